package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"github.com/gorilla/sessions"
)

func (s *Store) options() *sessions.Options {
	return &sessions.Options{
		Path: "/", MaxAge: int(totalLimit / time.Second), Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}

func (s *Store) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

func (s *Store) idOf(r *http.Request, name string) (id string, ok bool) {
	name = s.cookieName(name)
	cookie, err := r.Cookie(name)
	if err != nil {
		return "", false
	}
	return s.keys.verify(name, cookie.Value)
}

// newID makes an id of 32 random bytes.
func newID() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

func hashOf(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return sum[:]
}
