package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

// errSecret is a cause that must stay in the log.
var errSecret = errors.New(`dial tcp 10.0.3.7:5432: postgres://directory:hunter2@db.inner/directory: SELECT * FROM oauth_tokens at /srv/store/page.go:41`)

func requireNoLeak(t *testing.T, a answer) {
	t.Helper()
	all := fmt.Sprint(a.Header(), a.Body)
	for _, word := range []string{
		"10.0.3.7", "hunter2", "postgres", "sqlite", "inner", "SELECT", "INSERT", "/srv", ".go", "/tmp", ".db", "store:", "panic", "goroutine",
		"oauth_tokens", "relation", "no such table", "hidden", "sql:", "directory_test",
	} {
		if strings.Contains(all, word) {
			t.Errorf("the answer shows %q: %s", word, all)
		}
	}
}

// TestProviderFailures: a provider's failure is explained, an unclassified one is
// not, and neither shows its cause.
func TestProviderFailures(t *testing.T) {
	tests := []struct {
		err        error
		text       string
		retryAfter string
	}{
		{errSecret, textInternal, ""},
		{fmt.Errorf("provider: %w", errSecret), textInternal, ""},
		{context.DeadlineExceeded, textInternal, ""},
		{fmt.Errorf("list: %w", provider.Temporary(errSecret)), textTemporary, ""},
		{provider.Throttled(errSecret, 1500*time.Millisecond), "Dostawca chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później.", "2"},
		{directorytest.Revoked(), "Dostęp został cofnięty. Połącz konto ponownie.", ""}, // marks the connection, so comes last
	}
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		w.connect(pagesPair)
		b := w.loggedInAs(w.Anna)
		for _, test := range tests {
			w.Search.Err, w.Social.Err = test.err, test.err
			for path, body := range map[string]string{
				discoverLocations: "", selectLocation: `{"location_name":"locations/1"}`,
				discoverPages: of(w.Company), selectPage: pageOf(w.Company, `"104118"`),
			} {
				w.Log.Reset()
				a := b.post(path, body, "X-Request-Id", "r-1").wantErrorOnly(500, test.text)
				if got := a.Header().Get("Retry-After"); got != test.retryAfter {
					t.Errorf("%s: Retry-After %q", path, got)
				}
				requireNoLeak(t, a)
				if strings.Count(w.Log.String(), `"request_id":"r-1"`) != 1 {
					t.Errorf("%s: log %s", path, w.Log.String())
				}
			}
		}
	})
}

func TestRequestID(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		for _, id := range []string{"7f3c9a1e52d84b60", "a", "A.b_c-1", strings.Repeat("x", 64)} {
			if got := w.browser().get("/api/auth/me", "X-Request-Id", id).Header().Get("X-Request-Id"); got != id {
				t.Errorf("id %q became %q", id, got)
			}
		}
		for _, id := range []string{"", " ", "a b", "a\nb", "ł", `a"b`, strings.Repeat("x", 65)} {
			got := w.browser().get("/api/auth/me", "X-Request-Id", id).Header().Get("X-Request-Id")
			if got == id || len(got) < 16 {
				t.Errorf("id %q became %q", id, got)
			}
		}
	})
}
