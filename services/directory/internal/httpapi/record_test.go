package httpapi_test

import (
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"backend.example/services/directory/internal/database/databasetest"
)

// record is all that a world answered, and the secrets that must not be in it.
type record struct {
	mu      sync.Mutex
	said    strings.Builder
	secrets []string
}

// note adds an answer; the cookies in it are meant to be there.
func (r *record) note(answer *httptest.ResponseRecorder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	header := answer.Header().Clone()
	header.Del("Set-Cookie")
	fmt.Fprintln(&r.said, header, answer.Body)
}

func (r *record) keep(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = append(r.secrets, secret)
}

// secret makes a secret that is found when it shows up in an answer or in the log.
func (w *world) secret(kind string) string {
	secret := kind + "-" + rand.Text()
	w.records.keep(secret)
	return secret
}

// leaks names every secret that an answer or the log holds.
func (r *record) leaks(log string) (found []string) {
	_, key, _ := strings.Cut(databasetest.Keys, ":")
	for _, secret := range append(r.secrets, key) {
		if strings.Contains(r.said.String()+log, secret) {
			found = append(found, secret)
		}
	}
	return found
}

// TestSecretsAreFound proves that the search at the end of every world finds what
// it is for.
func TestSecretsAreFound(t *testing.T) {
	leaks := map[string]func(answer *httptest.ResponseRecorder) (log string){
		"body":   func(a *httptest.ResponseRecorder) string { a.Body.WriteString("x access-1 y"); return "" },
		"header": func(a *httptest.ResponseRecorder) string { a.Header().Set("Location", "/?access-1"); return "" },
		"log":    func(*httptest.ResponseRecorder) string { return "token=access-1" },
		"key":    func(*httptest.ResponseRecorder) string { return databasetest.Keys },
	}
	for name, leak := range leaks {
		r, a := record{secrets: []string{"access-1"}}, httptest.NewRecorder()
		log := leak(a)
		r.note(a)
		if found := r.leaks(log); len(found) != 1 {
			t.Errorf("%s: found %q", name, found)
		}
	}
	r, a := record{secrets: []string{"access-1"}}, httptest.NewRecorder()
	a.Header().Set("Set-Cookie", "session=access-1")
	r.note(a)
	if found := r.leaks("access-2"); len(found) > 0 {
		t.Errorf("found %q", found)
	}
}
