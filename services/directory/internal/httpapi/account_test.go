package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
)

const textWrongLogin, textTooManyLogins = "Nieprawidłowy adres e-mail lub hasło.", "Zbyt wiele prób logowania. Spróbuj ponownie później."

func credentials(email, password string) string {
	return fmt.Sprintf(`{"email":%q,"password":%q}`, email, password)
}

func (b *browser) login(email, password string) answer {
	return b.post("/api/auth/login", credentials(email, password))
}

func TestLogin(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password, b := w.setPassword(w.Anna), w.browser()
		for _, a := range []answer{b.login(" ANNA@poczta.example ", password).want(200), b.get("/api/auth/me").want(200)} {
			a.wantAt("anna@poczta.example", "user", "email").wantAt("MANAGER", "user", "role").wantAt("anna", "user", "name")
			a.wantAt("piekarnia", "company", "slug").wantAt(true, "permissions", "can_edit_company")
			a.wantAt(false, "permissions", "can_access_admin_panel").wantAt(false, "permissions", "can_moderate_forum")
		}
		ola, other := w.AddUser("ola", account.OfficeManager, nil), w.browser()
		other.login(ola.Email, w.setPassword(ola)).want(200)
		other.get("/api/auth/me").want(200).wantAt("ola", "user", "name").wantAt(nil, "company").
			wantAt(false, "permissions", "can_edit_company").wantAt(true, "permissions", "can_moderate_forum")
		w.loggedInAs(w.AddUser("ala", account.Admin, &w.Company)).get("/api/auth/me").want(200).wantAt("ADMIN", "user", "role").
			wantAt(true, "permissions", "can_access_admin_panel")
		w.accounts.Company = func(context.Context, int64) (company.Company, error) {
			return company.Company{}, company.CodeNotFound.Fault()
		}
		b.get("/api/auth/me").want(200).wantAt(nil, "company").wantAt(false, "permissions", "can_edit_company")
	})
}

// TestLoginRefused: an unknown address and a wrong password are answered alike.
func TestLoginRefused(t *testing.T) {
	tests := map[string]string{ // body → text
		credentials("anna@poczta.example", "nie to hasło"):     textWrongLogin,
		credentials("nikt@poczta.example", "nie to hasło"):     textWrongLogin,
		`{"email":"anna\u0000@poczta.example","password":"x"}`: textWrongLogin,
		`{}`:                             textMissing("email"),
		`{"email":"a"}`:                  textMissing("password"),
		`{"email":["a"],"password":"x"}`: textInvalid("email"),
		`{"email":"a","password":true}`:  textInvalid("password"),
		`{"Email":"a","PASSWORD":"x"}`:   textMissing("email"),
	}
	withService(t, func(t *testing.T, w *world) {
		w.setPassword(w.Anna)
		b := w.browser()
		for body, text := range tests {
			status := 400
			if text == textWrongLogin {
				status = 401
			}
			b.post("/api/auth/login", body).wantErrorOnly(status, text)
		}
		if b.cookie != nil {
			t.Error("a failed login sets a cookie")
		}
	})
}

// TestLoginThatCannotBeAnswered leaves no session behind.
func TestLoginThatCannotBeAnswered(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password := w.setPassword(w.Anna)
		w.accounts.Company = func(context.Context, int64) (company.Company, error) { return company.Company{}, errSecret }
		if cookies := w.browser().login(w.Anna.Email, password).wantErrorOnly(500, textInternal).Result().Cookies(); len(cookies) > 0 {
			t.Errorf("the failure sets %v", cookies)
		}
	})
}

// TestLoginLimitOfAnAccount counts bad logins at one address since the last good one there;
// the owner at another address is not locked out.
func TestLoginLimitOfAnAccount(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password, b, owner := w.setPassword(w.Anna), w.browser(), w.browser()
		owner.address = "203.0.113.9"
		bad := func(times int) {
			for range times {
				b.login("anna@poczta.example", "zgadywane").want(401)
				w.pass(time.Minute)
			}
		}
		bad(9)
		b.login("anna@poczta.example", password).want(200)
		bad(10)
		late := w.browser()
		a := late.login("Anna@poczta.example", password).wantErrorOnly(429, textTooManyLogins)
		if got := a.Header().Get("Retry-After"); got != "300" || late.cookie != nil {
			t.Errorf("Retry-After %q, cookie %v", got, late.cookie)
		}
		owner.login("anna@poczta.example", password).want(200)
		w.pass(5*time.Minute - time.Second)
		late.login("anna@poczta.example", password).want(429)
		w.pass(time.Second)
		late.login("anna@poczta.example", password).want(200)
	})
}

// TestLoginLimitOfAnAddress: a client that tries many accounts is stopped, also if it
// changes its IPv6 address within a network; others are not.
func TestLoginLimitOfAnAddress(t *testing.T) {
	for _, test := range []struct{ from, again, other string }{
		{"198.51.100.7", "198.51.100.7", "198.51.100.8"},
		{"2001:db8:0:1::1", "2001:db8:0:1:ffff::1", "2001:db8:0:2::1"},
	} {
		withService(t, func(t *testing.T, w *world) {
			password, b := w.setPassword(w.Anna), w.browser()
			b.address = test.from
			for range 60 { // the account's own limit saves hashes
				b.login("nikt@poczta.example", "zgadywane")
			}
			b.address = test.again
			b.login("anna@poczta.example", password).wantErrorOnly(429, textTooManyLogins)
			b.address = test.other
			b.login("anna@poczta.example", password).want(200)
		})
	}
}

func TestSessionCookie(t *testing.T) {
	tests := map[bool]string{false: "session", true: "__Host-session"} // https → name
	withService(t, func(t *testing.T, w *world) {
		password := w.setPassword(w.Anna)
		for secure, name := range tests {
			w.guard.Sessions = w.newSessions(secure)
			b := w.browser()
			cookies := b.login("anna@poczta.example", password).want(200).Result().Cookies()
			if len(cookies) != 1 {
				t.Fatalf("cookies %v", cookies)
			}
			c := cookies[0]
			if c.Name != name || c.Secure != secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
				c.Domain != "" || c.MaxAge != 7*24*60*60 || len(c.Value) < 43 {
				t.Errorf("https %t: cookie %v", secure, c)
			}
			b.get("/api/auth/me").want(200)
			gone := b.post("/api/auth/logout", "").want(200).Result().Cookies()
			if len(gone) != 1 || gone[0].Name != name || gone[0].MaxAge >= 0 || gone[0].Value != "" || gone[0].Secure != secure || gone[0].Path != "/" {
				t.Errorf("https %t: cookies of logout %v", secure, gone)
			}
		}
	})
}

// TestOnlyOwnCookies: a cookie that the service did not sign, or signed for another
// name, is no login.
func TestOnlyOwnCookies(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		good := b.cookie.Value
		for _, value := range []string{"", "x", good[1:], strings.ToLower(good), good + "A", strings.Repeat("A", 8000)} {
			b.cookie.Value = value
			b.get("/api/auth/me").wantErrorOnly(401, textNotLoggedIn)
		}
		b.cookie = &http.Cookie{Name: "__Host-session", Value: good}
		b.get("/api/auth/me").want(401)
	})
}

// TestLoginRotatesTheSession: neither the id that a browser had before, planted by
// another or its own, nor what that session held is good any more.
func TestLoginRotatesTheSession(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password, own := w.setPassword(w.Anna), w.loggedInAs(w.Anna)
		state := own.connect(profilePair)
		attacker := w.loggedInAs(w.AddUser("ewa", account.Member, nil))
		for _, before := range []*http.Cookie{own.cookie, attacker.cookie, {Name: "session", Value: "chosen-by-ewa"}} {
			b, old := w.browser(), w.browser()
			b.cookie, old.cookie = before, before
			b.login("anna@poczta.example", password).want(200)
			b.get("/api/auth/me").want(200).wantAt("anna@poczta.example", "user", "email")
			old.get("/api/auth/me").wantErrorOnly(401, textNotLoggedIn)
			b.callback(profilePair, state).redirects("oauth_error=invalid_state")
		}
	})
}

func TestLogoutEndsTheSession(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b, elsewhere := w.loggedInAs(w.Anna), w.loggedInAs(w.Anna)
		stolen := *b
		b.post("/api/auth/logout", "").want(200).wantAt("Wylogowanie powiodło się.", "message")
		stolen.get("/api/auth/me").wantErrorOnly(401, textNotLoggedIn)
		elsewhere.get("/api/auth/me").want(200)
	})
}

func TestSessionEnds(t *testing.T) {
	tests := map[string]struct {
		every, total time.Duration // used that often, for that long
		status       int
	}{
		"idle for almost 12 hours": {12*time.Hour - time.Second, 12*time.Hour - time.Second, 200},
		"idle for 12 hours":        {12 * time.Hour, 12 * time.Hour, 401},
		"almost 7 days old":        {6 * time.Hour, 7*24*time.Hour - time.Second, 200},
		"7 days old":               {6 * time.Hour, 7 * 24 * time.Hour, 401},
	}
	withService(t, func(t *testing.T, w *world) {
		for name, test := range tests {
			b, end := w.loggedInAs(w.Anna), w.Now.Add(test.total)
			for w.Now.Add(test.every).Before(end) {
				w.pass(test.every)
				b.get("/api/auth/me").want(200)
			}
			w.Now = end
			if a := b.get("/api/auth/me"); a.Code != test.status {
				t.Errorf("%s: %d", name, a.Code)
			}
		}
	})
}
