package retry

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// After reads the Retry-After header: seconds or a date (RFC 9110, section
// 10.2.3). It is zero when the header is absent, past or unreadable, and for more
// seconds than 31 bits hold, which is 68 years.
func After(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second // #nosec G115 -- 31 bits
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}
