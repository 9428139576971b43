package ledger_test

import (
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/sandbox/internal/issued"
	"backend.example/deploy/sandbox/social/ledger"
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
	b.Ledger = ledger.New(issued.New(1000, clock).For("social"), clock, func() ledger.Rules { return b.rules })
	return b
}

func loginOf(account string) ledger.Login {
	return ledger.Login{Account: account, Asked: []string{"list", "read"}, Allowed: []string{"list"}, RedirectURI: callback}
}

// user runs a whole login.
func (b *book) user(t *testing.T, login ledger.Login) string {
	t.Helper()
	given, err := b.Redeem(b.IssueCode(login), callback, "")
	if err != nil {
		t.Fatal(err)
	}
	return given.Value
}

func TestACodeGivesAToken(t *testing.T) {
	proved := loginOf("anna")
	proved.Challenge = challenge
	cases := map[string]struct {
		login              ledger.Login
		later              time.Duration
		redirect, verifier string
		want               error
	}{
		"in time":        {loginOf("anna"), 10 * time.Minute, callback, "", nil},
		"too late":       {loginOf("anna"), 10*time.Minute + 1, callback, "", ledger.ExpiredCode},
		"long forgotten": {loginOf("anna"), 61 * time.Minute, callback, "", ledger.ExpiredCode},
		"other redirect": {loginOf("anna"), 0, callback + "/", "", ledger.WrongRedirect},
		"verifier":       {proved, 0, callback, verifier, nil},
		"no verifier":    {proved, 0, callback, "", ledger.MissingVerifier},
		"wrong verifier": {proved, 0, callback, verifier[1:] + "A", ledger.WrongVerifier},
		"spare verifier": {loginOf("anna"), 0, callback, verifier, ledger.SpareVerifier},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBook()
			code := b.IssueCode(c.login)
			b.now = b.now.Add(c.later)
			given, err := b.Redeem(code, c.redirect, c.verifier)
			if !errors.Is(err, c.want) || (err == nil) != (given.Value != "") {
				t.Fatalf("got %+v, %v", given, err)
			}
			if _, err := b.Redeem(code, callback, ""); err == nil || (c.later <= 10*time.Minute && !errors.Is(err, ledger.UsedCode)) {
				t.Errorf("the second time: %v", err)
			}
		})
	}
}

func TestACodeIsGoodOnceAtOnce(t *testing.T) {
	b := newBook()
	code := b.IssueCode(loginOf("anna"))
	var mu sync.Mutex
	var wait sync.WaitGroup
	good := 0
	for range 8 {
		wait.Go(func() {
			if _, err := b.Redeem(code, callback, ""); err == nil {
				mu.Lock()
				good++
				mu.Unlock()
			}
		})
	}
	if wait.Wait(); good != 1 {
		t.Errorf("%d of 8 got a token", good)
	}
}

func TestOldCodesAreForgotten(t *testing.T) {
	b := newBook()
	code := b.IssueCode(loginOf("anna"))
	b.now = b.now.Add(time.Hour + 1)
	b.IssueCode(loginOf("anna"))
	if _, err := b.Redeem(code, callback, ""); !errors.Is(err, ledger.UnknownCode) {
		t.Errorf("got %v", err)
	}
}

func TestACodeOfAWithdrawnGrantGivesNothing(t *testing.T) {
	b := newBook()
	code := b.IssueCode(loginOf("anna"))
	b.Withdraw("anna")
	if _, err := b.Redeem(code, callback, ""); !errors.Is(err, ledger.AppRemoved) {
		t.Errorf("got %v", err)
	}
}

func TestTokensTellWhatTheyAreGoodFor(t *testing.T) {
	b := newBook()
	start := b.now
	short := b.user(t, loginOf("anna"))
	long, err := b.Lengthen(short)
	if err != nil || long.Life != 5183944*time.Second {
		t.Fatalf("got %+v, %v", long, err)
	}
	page, made := b.PageToken(long.Value, "1")
	again, madeAgain := b.PageToken(long.Value, "1")
	if page != again || !made || madeAgain {
		t.Errorf("two tokens of one page, or made %t and %t", made, madeAgain)
	}
	brief, _ := b.PageToken(short, "1")
	scopes, dataEnds := []string{"list"}, start.Add(90*24*time.Hour)
	cases := map[string]struct {
		value string
		want  ledger.Token
	}{
		"short":         {short, ledger.Token{Kind: ledger.User, Account: "anna", Issued: start, Ends: start.Add(90 * time.Minute), DataEnds: dataEnds, Scopes: scopes}},
		"long":          {long.Value, ledger.Token{Kind: ledger.User, Account: "anna", Issued: start, Ends: start.Add(long.Life), DataEnds: dataEnds, Scopes: scopes}},
		"page":          {page, ledger.Token{Kind: ledger.Page, Account: "anna", Page: "1", Issued: start, DataEnds: dataEnds, Scopes: scopes}},
		"page of short": {brief, ledger.Token{Kind: ledger.Page, Account: "anna", Page: "1", Issued: start, Ends: start.Add(90 * time.Minute), DataEnds: dataEnds, Scopes: scopes}},
		"app":           {b.AppToken("4711").Value, ledger.Token{Kind: ledger.App, Issued: start, Scopes: []string{}}},
	}
	for name, c := range cases {
		if got, err := b.Check(c.value); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", name, got, err, c.want)
		}
	}
	b.now = start.Add(90 * time.Minute)
	for value, want := range map[string]error{short: ledger.Expired, brief: ledger.Expired, long.Value: nil, page: nil} {
		if _, err := b.Check(value); !errors.Is(err, want) {
			t.Errorf("after 90 minutes: %v, want %v", err, want)
		}
	}
}

func TestOnlyTokensOfPeopleAreExchanged(t *testing.T) {
	b := newBook()
	short := b.user(t, loginOf("anna"))
	page, _ := b.PageToken(short, "1")
	for name, value := range map[string]string{"page": page, "app": b.AppToken("4711").Value, "unknown": "EAAGx"} {
		if _, err := b.Lengthen(value); !errors.Is(err, ledger.Unknown) {
			t.Errorf("%s: %v", name, err)
		}
		if value, made := b.PageToken(value, "1"); value != "" || made {
			t.Errorf("%s gives the token of a page", name)
		}
	}
}

func TestPermissionsBelongToTheGrant(t *testing.T) {
	b := newBook()
	token := b.user(t, loginOf("anna"))
	scopes := func() []string {
		got, err := b.Check(token)
		if err != nil {
			t.Fatal(err)
		}
		return got.Scopes
	}
	all := loginOf("anna")
	all.Allowed = all.Asked
	if b.IssueCode(all); slices.Contains(scopes(), "read") {
		t.Error("what was declined is asked for again unasked")
	}
	all.Again = true
	if b.IssueCode(all); !slices.Contains(scopes(), "read") {
		t.Error("what was declined cannot be granted")
	}
	b.rules.Missing = []string{"read"}
	if slices.Contains(scopes(), "read") {
		t.Error("the rule takes nothing away")
	}
	b.rules.Missing = nil
	if !b.WithdrawPermission("anna", "read") || b.WithdrawPermission("anna", "read") || b.WithdrawPermission("anna", "x") || b.WithdrawPermission("marek", "list") {
		t.Error("one permission can be withdrawn once")
	}
	if want := []ledger.Permission{{"list", ledger.Granted}, {"read", ledger.Declined}}; !reflect.DeepEqual(b.Permissions("anna"), want) {
		t.Errorf("got %v", b.Permissions("anna"))
	}
}

func TestPagesBelongToTheLastLogin(t *testing.T) {
	b := newBook()
	if b.Shares("anna", "1") || b.Chosen("anna") != nil {
		t.Error("pages are seen without a grant")
	}
	login := loginOf("anna")
	if b.IssueCode(login); !b.Shares("anna", "1") || b.Chosen("anna") != nil {
		t.Error("a login without a choice shares everything")
	}
	login.Pages = []string{"2"}
	if b.IssueCode(login); b.Shares("anna", "1") || !b.Shares("anna", "2") || !slices.Equal(b.Chosen("anna"), login.Pages) {
		t.Error("the choice does not count")
	}
	login.Pages = []string{}
	if b.IssueCode(login); b.Shares("anna", "2") || b.Chosen("anna") == nil {
		t.Error("no page chosen, but seen")
	}
}

func TestKill(t *testing.T) {
	cases := map[string]struct {
		account string
		cause   ledger.Cause
		dead    int
		want    [4]error // anna's short and long one, that of her page, marek's
	}{
		"expired":    {"anna", ledger.Expired, 2, [4]error{ledger.Expired, ledger.Expired, nil, nil}},
		"password":   {"anna", ledger.PasswordChanged, 3, [4]error{ledger.PasswordChanged, ledger.PasswordChanged, ledger.PasswordChanged, nil}},
		"everybody":  {"", ledger.Invalid, 4, [4]error{ledger.Invalid, ledger.Invalid, ledger.Invalid, ledger.Invalid}},
		"app gone":   {"anna", ledger.AppRemoved, 3, [4]error{ledger.AppRemoved, ledger.AppRemoved, ledger.AppRemoved, nil}},
		"not theirs": {"zofia", ledger.Invalid, 0, [4]error{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBook()
			short, other := b.user(t, loginOf("anna")), b.user(t, loginOf("marek"))
			long, _ := b.Lengthen(short)
			page, _ := b.PageToken(long.Value, "1")
			app := b.AppToken("4711").Value
			if got := b.Kill(c.account, c.cause); got != c.dead {
				t.Errorf("%d tokens died, want %d", got, c.dead)
			}
			for i, value := range []string{short, long.Value, page, other} {
				if _, err := b.Check(value); !errors.Is(err, c.want[i]) {
					t.Errorf("token %d: %v, want %v", i, err, c.want[i])
				}
			}
			if _, err := b.Check(app); err != nil {
				t.Errorf("the app's own: %v", err)
			}
			if gone := b.Permissions("anna") == nil; gone != (c.cause == ledger.AppRemoved) {
				t.Errorf("the grant is gone: %t", gone)
			}
		})
	}
}

func TestCausesAreToldApart(t *testing.T) {
	texts := map[string]bool{}
	for _, cause := range append(ledger.Causes(), ledger.Unknown) {
		texts[cause.Error()] = true
	}
	if len(texts) != 8 {
		t.Errorf("%d texts of 8 causes", len(texts))
	}
}
