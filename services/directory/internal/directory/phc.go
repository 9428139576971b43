package directory

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// phc is an argon2id hash with what it was made of, as the PHC string format
// writes it (https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md).
type phc struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
	salt   []byte
	sum    []byte
}

var errPHC = errors.New("password hash: not an argon2id hash that we would make or check")

// String is the PHC string, "$argon2id$v=19$m=…,t=…,p=…$<salt>$<sum>".
func (p phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.passes, p.lanes,
		base64.RawStdEncoding.EncodeToString(p.salt), base64.RawStdEncoding.EncodeToString(p.sum))
}

// parsePHC reads what String writes, and nothing else.
func parsePHC(s string) (phc, error) {
	var p phc
	parts := strings.Split(s, "$")
	if len(parts) != 6 {
		return p, errPHC
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.passes, &p.lanes); err != nil {
		return p, errPHC
	}
	var err1, err2 error
	p.salt, err1 = base64.RawStdEncoding.DecodeString(parts[4])
	p.sum, err2 = base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || p.String() != s || !p.affordable() {
		return p, errPHC
	}
	return p, nil
}

// affordable keeps a stored hash from taking all memory or time; package argon2
// panics on a cost of zero.
func (p phc) affordable() bool {
	const maxMemory, maxPasses, maxLanes = 256 * 1024, 16, 16
	return p.memory <= maxMemory && p.passes >= 1 && p.passes <= maxPasses && p.lanes >= 1 && p.lanes <= maxLanes &&
		len(p.salt) >= 8 && len(p.sum) >= 16 && len(p.sum) <= 64
}
