package connection

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/provider"
)

// FuzzState: a state is split into the parts it was made of, and nothing else is
// one: the service never holds a colon, and what follows it stays random.
func FuzzState(f *testing.F) {
	for _, seed := range []string{"7:42:search_profile:r", "-1:+2:x:", "7:42::r", ":::", "9223372036854775808:1:s:r",
		"1:2:\xff:\x00:::", "007:1:s:r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, state string) {
		parts, ok := parseState(state)
		if !ok {
			if parts != (stateParts{}) {
				t.Errorf("%q: %+v with a refusal", state, parts)
			}
			return
		}
		if parts.service == "" || strings.Contains(string(parts.service), ":") || strings.Count(state, ":") < 3 {
			t.Errorf("%q: %+v", state, parts)
		}
		again := newState(parts.companyID, parts.userID, parts.service)
		if back, ok := parseState(again); !ok || back != parts {
			t.Errorf("%q: %+v becomes %q, and that %+v", state, parts, again, back)
		}
	})
}

// FuzzPending: a callback meets the authorization only with its very state, at its
// provider, within its time.
func FuzzPending(f *testing.F) {
	for _, seed := range []struct {
		held, sent, at, from string
		age                  int64
	}{
		{"7:42:s:r", "7:42:s:r", "provider_search", "provider_search", 600e9},
		{"7:42:s:r", "7:42:s:r", "provider_search", "provider_search", 600e9 + 1},
		{"", "", "p", "p", 0}, {"a", "A", "p", "p", 0}, {"a", "a", "p", "P", 0}, {"a", "a\x00", "", "", -1 << 63},
	} {
		f.Add(seed.held, seed.sent, seed.at, seed.from, seed.age)
	}
	made := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, held, sent, at, from string, age int64) {
		p := &Pending{State: held, Provider: provider.Name(at), CreatedAt: made}
		want := held != "" && held == sent && at == from && time.Duration(age).Abs() <= 10*time.Minute
		if got := p.meets(provider.Name(from), sent, made.Add(time.Duration(age))); got != want {
			t.Errorf("%q at %q after %d ns meets %q from %q: %t", held, at, age, sent, from, got)
		}
		if (*Pending)(nil).meets(provider.Name(from), sent, made) {
			t.Error("no authorization is met")
		}
	})
}
