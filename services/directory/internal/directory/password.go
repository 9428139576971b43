package directory

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
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

// hashWait is how long somebody waits for a turn.
const hashWait = 10 * time.Second

// Hasher makes and checks argon2id hashes. It works on a few at a time, so that
// a flood of logins waits instead of taking all memory; who has waited for hashWait
// is sent away with the fault too_many_attempts.
type Hasher struct {
	turns chan struct{}
	decoy phc // of nobody's password
}

// NewHasher returns a Hasher that works on at most parallel hashes at a time, and
// on one at least.
func NewHasher(parallel int) *Hasher {
	return &Hasher{turns: make(chan struct{}, max(parallel, 1)), decoy: newPHC()}
}

// newPHC has the cost of a new hash, and a salt and a sum that are random.
func newPHC() phc {
	p := phc{memory: hashMemory, passes: hashPasses, lanes: hashLanes, salt: make([]byte, hashSalt), sum: make([]byte, hashLength)}
	_, _ = rand.Read(p.salt) // never fails, nor does the next
	_, _ = rand.Read(p.sum)
	return p
}

// Hash returns the PHC string of a new password. Too short or too long a
// password is the fault invalid_password.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	if utf8.RuneCountInString(password) < minPassword || len(password) > maxPassword {
		return "", CodeInvalidPassword.Fault()
	}
	p := newPHC()
	sum, err := h.sum(ctx, password, p)
	if err != nil {
		return "", err
	}
	p.sum = sum
	return p.String(), nil
}

// Matches reports whether password is the one behind hash. An empty hash, which
// stands for nobody, takes as long as a real one.
func (h *Hasher) Matches(ctx context.Context, password, hash string) (bool, error) {
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
	got, err := h.sum(ctx, password, p)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, p.sum) == 1 && known, nil
}

// sum hashes password with the salt and at the cost of p, to the length of p's sum.
func (h *Hasher) sum(ctx context.Context, password string, p phc) ([]byte, error) {
	patience := time.NewTimer(hashWait)
	defer patience.Stop()
	select {
	case h.turns <- struct{}{}:
	case <-patience.C:
		return nil, CodeTooManyAttempts.Fault().After(hashWait)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.turns }()
	length := uint32(len(p.sum)) // #nosec G115 -- at most 64, see affordable
	return argon2.IDKey([]byte(password), p.salt, p.passes, p.memory, p.lanes, length), nil
}
