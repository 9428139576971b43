// Package issued owns the register of the secrets that the stand-ins have given
// out: codes and tokens. With it a test can look for every one of them where none
// belongs, such as logs, databases and answers. What a secret is good for, and
// for how long, stays in the stand-in that issued it.
package issued

import (
	"crypto/rand"
	"sync"
	"time"
)

// Usual is the capacity of a register that many fakes share, or one has for itself.
const Usual = 10_000

// Secret is one entry of the register.
type Secret struct {
	Site     string    `json:"site"`
	Kind     string    `json:"kind"` // e.g. "access_token"
	Value    string    `json:"value"`
	IssuedAt time.Time `json:"issued_at"` // UTC
}

// Register keeps the newest secrets. It is safe for concurrent use.
type Register struct {
	capacity int
	now      func() time.Time

	mu        sync.Mutex
	secrets   []Secret // oldest first
	forgotten int
}

// New returns an empty register of at most capacity secrets. It panics when
// capacity is not positive.
func New(capacity int, now func() time.Time) *Register {
	if capacity < 1 {
		panic("issued: capacity must be positive")
	}
	return &Register{capacity: capacity, now: now}
}

// List returns the secrets of a site, oldest first; an empty site means all of
// them. forgotten is how many had to make room for newer ones, over all sites.
func (r *Register) List(site string) (secrets []Secret, forgotten int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	secrets = make([]Secret, 0, len(r.secrets))
	for _, secret := range r.secrets {
		if site == "" || secret.Site == site {
			secrets = append(secrets, secret)
		}
	}
	return secrets, r.forgotten
}

func (r *Register) add(secret Secret) {
	r.mu.Lock()
	defer r.mu.Unlock()
	secret.IssuedAt = r.now().UTC()
	if len(r.secrets) == r.capacity {
		r.secrets = r.secrets[1:]
		r.forgotten++
	}
	r.secrets = append(r.secrets, secret)
}

// Issuer issues the secrets of one site.
type Issuer struct {
	register *Register
	site     string
}

// For returns the issuer of the named site.
func (r *Register) For(site string) Issuer { return Issuer{register: r, site: site} }

// Issue makes a secret of at least 256 random bits that nobody can guess, begins
// it with prefix and enters it in the register.
func (i Issuer) Issue(kind, prefix string) string {
	value := prefix + rand.Text() + rand.Text()
	i.Enter(kind, value)
	return value
}

// Enter puts a secret into the register that was made elsewhere, such as a signed
// one.
func (i Issuer) Enter(kind, value string) {
	i.register.add(Secret{Site: i.site, Kind: kind, Value: value})
}
