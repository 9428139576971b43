package upstream

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

const secretCapacity = 10_000

// Secret is a code or token that a site gave out.
type Secret struct {
	Site     string    `json:"site"`
	Kind     string    `json:"kind"` // e.g. "access_token"
	Value    string    `json:"value"`
	IssuedAt time.Time `json:"issued_at"` // UTC
}

// Secrets registers the newest of them, so that a test can look for each where none
// belongs, such as logs, databases and answers. What a secret is good for is known to
// the site. It is safe for concurrent use.
type Secrets struct {
	site string
	now  func() time.Time

	mu        sync.Mutex
	list      []Secret // oldest first
	forgotten int
}

// NewSecrets returns an empty register of the named site.
func NewSecrets(site string, now func() time.Time) *Secrets { return &Secrets{site: site, now: now} }

// List returns the secrets, oldest first, and how many had to make room for newer ones.
func (s *Secrets) List() (list []Secret, forgotten int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list), s.forgotten
}

// Issue makes a secret of at least 256 random bits that begins with prefix, and enters
// it in the register.
func (s *Secrets) Issue(kind, prefix string) string {
	value := prefix + rand.Text() + rand.Text()
	s.Enter(kind, value)
	return value
}

// Enter registers a secret that was made elsewhere, such as a signed one.
func (s *Secrets) Enter(kind, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == secretCapacity {
		s.list = s.list[1:]
		s.forgotten++
	}
	s.list = append(s.list, Secret{Site: s.site, Kind: kind, Value: value, IssuedAt: s.now().UTC()})
}
