package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"backend.example/deploy/sandbox/internal/issued"
	"backend.example/deploy/sandbox/search/ledger"
)

const (
	callback = "http://localhost:8080/cb"
	// The pair of RFC 7636, appendix B.
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// book is a ledger with a clock and rules that a test may change.
type book struct {
	*ledger.Ledger
	now   time.Time
	rules ledger.Rules
}

func newBook() *book {
	b := &book{now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return b.now }
	b.Ledger = ledger.New(issued.New(1000, clock).For("search"), clock, func() ledger.Rules { return b.rules })
	return b
}

func consentOf(account string) ledger.Consent {
	return ledger.Consent{
		Account: account, Scopes: []string{"openid", "business"}, RedirectURI: callback,
		Challenge: challenge, Offline: true, Prompted: true,
	}
}

// connect runs a whole authorization.
func (b *book) connect(t *testing.T, consent ledger.Consent) ledger.Tokens {
	t.Helper()
	tokens, err := b.Redeem(b.IssueCode(consent), callback, verifier)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func TestACodeGivesTokensOnce(t *testing.T) {
	b := newBook()
	code := b.IssueCode(consentOf("anna"))
	tokens, err := b.Redeem(code, callback, verifier)
	if err != nil || tokens.Account != "anna" || tokens.AccessLife != 3599*time.Second || tokens.Refresh == "" || !slices.Equal(tokens.Scopes, []string{"openid", "business"}) {
		t.Errorf("got %+v, %v", tokens, err)
	}
	if access, err := b.Check(tokens.Access); err != nil || access.Account != "anna" || !slices.Equal(access.Scopes, tokens.Scopes) {
		t.Errorf("the token opens %+v, %v", access, err)
	}
	if _, err := b.Redeem(code, callback, verifier); !errors.Is(err, ledger.SpentCode) {
		t.Errorf("the second time: %v", err)
	}
}

func TestACodeIsRefused(t *testing.T) {
	open := consentOf("anna")
	open.Challenge = ""
	cases := map[string]struct {
		consent            ledger.Consent
		later              time.Duration
		redirect, verifier string
		want               error
	}{
		"at ten minutes":   {consentOf("anna"), 10 * time.Minute, callback, verifier, nil},
		"after them":       {consentOf("anna"), 10*time.Minute + 1, callback, verifier, ledger.SpentCode},
		"other redirect":   {consentOf("anna"), 0, callback + "/", verifier, ledger.WrongRedirect},
		"no redirect":      {consentOf("anna"), 0, "", verifier, ledger.WrongRedirect},
		"wrong verifier":   {consentOf("anna"), 0, callback, verifier[1:] + "A", ledger.WrongVerifier},
		"no verifier":      {consentOf("anna"), 0, callback, "", ledger.MissingVerifier},
		"the challenge":    {consentOf("anna"), 0, callback, challenge, ledger.WrongVerifier},
		"no challenge":     {open, 0, callback, "", nil},
		"unneeded verifer": {open, 0, callback, verifier, ledger.SpareVerifier},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBook()
			code := b.IssueCode(c.consent)
			b.now = b.now.Add(c.later)
			if _, err := b.Redeem(code, c.redirect, c.verifier); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if _, err := b.Redeem(code, callback, verifier); !errors.Is(err, ledger.SpentCode) {
				t.Errorf("the attempt did not spend the code: %v", err)
			}
		})
	}
	if _, err := newBook().Redeem("4/0Aunknown", callback, verifier); !errors.Is(err, ledger.UnknownCode) {
		t.Errorf("an unknown code: %v", err)
	}
}

func TestWhenThereIsARefreshToken(t *testing.T) {
	cases := []struct {
		first, offline, prompted, withhold, want bool
	}{
		{first: true, offline: true, want: true},
		{first: true, offline: true, prompted: true, want: true},
		{offline: true, prompted: true, want: true},
		{offline: true},
		{first: true},
		{first: true, prompted: true},
		{first: true, offline: true, prompted: true, withhold: true},
	}
	for _, c := range cases {
		b := newBook()
		if !c.first {
			b.connect(t, consentOf("anna"))
		}
		b.rules.Withhold = c.withhold
		consent := consentOf("anna")
		consent.Offline, consent.Prompted = c.offline, c.prompted
		if tokens := b.connect(t, consent); (tokens.Refresh != "") != c.want {
			t.Errorf("%+v: got %q", c, tokens.Refresh)
		}
	}
}

func TestRefreshKeepsTheToken(t *testing.T) {
	b := newBook()
	first := b.connect(t, consentOf("anna"))
	for range 2 {
		b.now = b.now.Add(time.Hour)
		tokens, err := b.Refresh(first.Refresh)
		if err != nil || tokens.Refresh != "" || tokens.Access == first.Access || !slices.Equal(tokens.Scopes, first.Scopes) {
			t.Errorf("got %+v, %v", tokens, err)
		}
		if _, err := b.Check(tokens.Access); err != nil {
			t.Errorf("the new token: %v", err)
		}
	}
	if _, err := b.Check(first.Access); !errors.Is(err, ledger.ExpiredAccess) {
		t.Errorf("the old token: %v", err)
	}
	if _, err := b.Refresh(first.Access); !errors.Is(err, ledger.DeadRefresh) {
		t.Errorf("an access token refreshes: %v", err)
	}
}

func TestARotatedRefreshTokenEndsTheGrantWhenItComesAgain(t *testing.T) {
	b := newBook()
	other, stranger := b.connect(t, consentOf("anna")), b.connect(t, consentOf("marek"))
	first := b.connect(t, consentOf("anna"))
	b.rules.Rotate = true
	second, err := b.Refresh(first.Refresh)
	if err != nil || second.Refresh == "" || second.Refresh == first.Refresh {
		t.Fatalf("got %+v, %v", second, err)
	}
	if _, err := b.Refresh(first.Refresh); !errors.Is(err, ledger.DeadRefresh) {
		t.Errorf("the used token: %v", err)
	}
	if _, err := b.Refresh(second.Refresh); !errors.Is(err, ledger.DeadRefresh) {
		t.Errorf("its successor lives on: %v", err)
	}
	if _, err := b.Refresh(other.Refresh); !errors.Is(err, ledger.DeadRefresh) {
		t.Errorf("another token of the grant lives on: %v", err)
	}
	if _, err := b.Check(second.Access); !errors.Is(err, ledger.UnknownAccess) {
		t.Errorf("the access token lives on: %v", err)
	}
	if _, err := b.Refresh(stranger.Refresh); err != nil {
		t.Errorf("another account's grant ended: %v", err)
	}
}

func TestHowRefreshTokensEnd(t *testing.T) {
	cases := map[string]struct {
		end  func(*book)
		dead bool
	}{
		"used in time": {func(b *book) { b.now = b.now.Add(180 * 24 * time.Hour) }, false},
		"never used":   {func(b *book) { b.now = b.now.Add(180*24*time.Hour + 1) }, true},
		"a week":       {func(b *book) { b.now = b.now.Add(7 * 24 * time.Hour) }, true},
		"expired":      {func(b *book) { b.ExpireRefresh() }, true},
		"access alone": {func(b *book) { b.ExpireAccess() }, false},
		"revoked":      {func(b *book) { b.RevokeAccount("anna") }, true},
		"all revoked":  {func(b *book) { b.RevokeAccount("") }, true},
		"of another":   {func(b *book) { b.RevokeAccount("marek") }, false},
		"forgotten":    {func(b *book) { b.Forget() }, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBook()
			if name == "a week" {
				b.rules.RefreshLife = 7 * 24 * time.Hour
			}
			tokens := b.connect(t, consentOf("anna"))
			c.end(b)
			if _, err := b.Refresh(tokens.Refresh); errors.Is(err, ledger.DeadRefresh) != c.dead {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTheOldestOfTooManyRefreshTokensDies(t *testing.T) {
	b := newBook()
	var all []string
	for range 101 {
		all = append(all, b.connect(t, consentOf("anna")).Refresh)
	}
	for i, value := range all {
		if _, err := b.Refresh(value); (err != nil) != (i == 0) {
			t.Errorf("token %d of 101: %v", i+1, err)
		}
	}
}

func TestRevokeEndsTheWholeGrant(t *testing.T) {
	for name, pick := range map[string]func(ledger.Tokens) string{
		"access":  func(t ledger.Tokens) string { return t.Access },
		"refresh": func(t ledger.Tokens) string { return t.Refresh },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook()
			first, second, other := b.connect(t, consentOf("anna")), b.connect(t, consentOf("anna")), b.connect(t, consentOf("marek"))
			if err := b.Revoke(pick(second)); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Check(first.Access); !errors.Is(err, ledger.UnknownAccess) {
				t.Errorf("access lives on: %v", err)
			}
			if _, err := b.Refresh(first.Refresh); !errors.Is(err, ledger.DeadRefresh) {
				t.Errorf("refresh lives on: %v", err)
			}
			if err := b.Revoke(pick(first)); !errors.Is(err, ledger.DeadToken) {
				t.Errorf("revoked twice: %v", err)
			}
			if _, err := b.Check(other.Access); err != nil {
				t.Errorf("another account's ended: %v", err)
			}
		})
	}
	if err := newBook().Revoke("nonsense"); !errors.Is(err, ledger.DeadToken) {
		t.Errorf("an unknown token: %v", err)
	}
}

func TestScopesOfATokenAndOfTheGrant(t *testing.T) {
	b := newBook()
	b.connect(t, consentOf("anna"))
	plain := consentOf("anna")
	plain.Scopes = []string{"analytics"}
	if got := b.connect(t, plain).Scopes; !slices.Equal(got, []string{"analytics"}) {
		t.Errorf("a token covers %v, want what was asked for", got)
	}
	plain.Incremental = true
	if got := b.connect(t, plain).Scopes; !slices.Equal(got, []string{"openid", "business", "analytics"}) {
		t.Errorf("an incremental token covers %v, want everything allowed so far", got)
	}
}

func TestSummary(t *testing.T) {
	b := newBook()
	b.connect(t, consentOf("marek"))
	b.connect(t, consentOf("anna"))
	b.connect(t, consentOf("anna"))
	if got := b.ExpireAccess(); got != 3 {
		t.Errorf("expired %d, want 3", got)
	}
	b.connect(t, consentOf("anna"))
	got := b.Summary()
	if len(got.Grants) != 2 || got.Grants[0].Account != "anna" || got.Grants[0].RefreshTokens != 3 || got.AccessTokens != 1 || got.RefreshTokens != 4 {
		t.Errorf("got %+v", got)
	}
	if got := b.ExpireRefresh(); got != 4 {
		t.Errorf("expired %d, want 4", got)
	}
	if ended := b.RevokeAccount(""); ended != 2 || len(b.Summary().Grants) != 0 {
		t.Errorf("ended %d, left %+v", ended, b.Summary())
	}
}

func TestAnAccessTokenEndsWhenItSays(t *testing.T) {
	b := newBook()
	b.rules.AccessLife = 5 * time.Second
	tokens := b.connect(t, consentOf("anna"))
	b.now = b.now.Add(5*time.Second - 1)
	if _, err := b.Check(tokens.Access); err != nil {
		t.Errorf("before: %v", err)
	}
	b.now = b.now.Add(1)
	if _, err := b.Check(tokens.Access); !errors.Is(err, ledger.ExpiredAccess) {
		t.Errorf("at the end: %v", err)
	}
}
