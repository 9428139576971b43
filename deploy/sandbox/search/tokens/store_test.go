package tokens_test

import (
	"errors"
	"testing"
	"time"

	"backend.example/deploy/sandbox/search/tokens"
	"backend.example/deploy/sandbox/upstream"
)

const callback = "http://localhost:8080/cb"

// fixture is a store with a clock and rules that a test may change.
type fixture struct {
	*tokens.Store
	now   time.Time
	rules tokens.Rules
}

func newFixture() *fixture {
	f := &fixture{now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return f.now }
	f.Store = tokens.New(upstream.NewSecrets("search", clock), clock, func() tokens.Rules { return f.rules })
	return f
}

// connect runs a whole authorization of an account.
func (f *fixture) connect(t *testing.T, account string) tokens.Tokens {
	t.Helper()
	code := f.IssueCode(tokens.Consent{Account: account, Scopes: []string{"openid"}, RedirectURI: callback, Offline: true, Prompted: true})
	given, err := f.Redeem(code, callback, "")
	if err != nil {
		t.Fatal(err)
	}
	return given
}

func TestHowRefreshTokensEnd(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*fixture)
		dead bool
	}{
		"used in time":          {func(f *fixture) { f.now = f.now.Add(180 * 24 * time.Hour) }, false},
		"unused for too long":   {func(f *fixture) { f.now = f.now.Add(180*24*time.Hour + 1) }, true},
		"access tokens expired": {func(f *fixture) { f.ExpireAccess() }, false},
		"revoked":               {func(f *fixture) { f.RevokeAccount("anna") }, true},
		"all revoked":           {func(f *fixture) { f.RevokeAccount("") }, true},
		"another one revoked":   {func(f *fixture) { f.RevokeAccount("marek") }, false},
		"reset":                 {func(f *fixture) { f.Reset() }, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			given := f.connect(t, "anna")
			c.end(f)
			if _, err := f.Refresh(given.Refresh); errors.Is(err, tokens.DeadRefresh) != c.dead {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTheOldestOfTooManyRefreshTokensDies(t *testing.T) {
	f := newFixture()
	var all []string
	for range 101 {
		all = append(all, f.connect(t, "anna").Refresh)
	}
	for i, value := range all {
		if _, err := f.Refresh(value); (err != nil) != (i == 0) {
			t.Errorf("token %d of 101: %v", i+1, err)
		}
	}
}

func TestEveryTokenOfAGrantEndsWithIt(t *testing.T) {
	for name, end := range map[string]func(f *fixture, given tokens.Tokens) error{
		"revoked by access token":  func(f *fixture, given tokens.Tokens) error { return f.Revoke(given.Access) },
		"revoked by refresh token": func(f *fixture, given tokens.Tokens) error { return f.Revoke(given.Refresh) },
		"rotated token came twice": func(f *fixture, given tokens.Tokens) error {
			f.rules.Rotate = true
			_, err := f.Refresh(given.Refresh)
			_, _ = f.Refresh(given.Refresh)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			first, second, stranger := f.connect(t, "anna"), f.connect(t, "anna"), f.connect(t, "marek")
			if err := end(f, second); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Check(first.Access); !errors.Is(err, tokens.UnknownAccess) {
				t.Errorf("an access token lives on: %v", err)
			}
			if _, err := f.Refresh(first.Refresh); !errors.Is(err, tokens.DeadRefresh) {
				t.Errorf("a refresh token lives on: %v", err)
			}
			if err := f.Revoke(first.Access); !errors.Is(err, tokens.NothingToRevoke) {
				t.Errorf("revoked twice: %v", err)
			}
			if _, err := f.Check(stranger.Access); err != nil {
				t.Errorf("another account's grant ended: %v", err)
			}
		})
	}
}
