package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"
)

// week is how often a scan audits a company.
const week = 7 * 24 * time.Hour

// weekOf returns when the company's current week began. Each company has weeks of its own,
// by a hash of its id, so that the audits of all are spread over the week.
func weekOf(companyID int64, now time.Time) time.Time {
	hash := sha256.Sum256(strconv.AppendInt(nil, companyID, 10))
	offset := time.Duration(binary.BigEndian.Uint32(hash[:])) % (week / time.Second) * time.Second
	return now.Add(-offset).Truncate(week).Add(offset)
}
