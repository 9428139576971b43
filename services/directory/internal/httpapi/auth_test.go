package httpapi_test

import (
	"fmt"
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
		b.post("/api/auth/logout", "").want(200).wantAt("Wylogowanie powiodło się.", "message")
		b.get("/api/auth/me").wantErrorOnly(401, textNotLoggedIn)
		b.post("/api/auth/logout", "").want(200)
	})
}

// TestPermissions: what the roles may do; members edit only their own company.
func TestPermissions(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		tests := []struct {
			role                     account.Role
			company                  *company.Company
			edit, panel, forum, none bool
		}{
			{role: account.Unaffiliated, none: true},
			{role: account.Unaffiliated, company: &w.Company},
			{role: account.Member, company: &w.Company, edit: true},
			{role: account.OfficeManager, company: &w.Company, edit: true, forum: true},
			{role: account.Admin, none: true, panel: true, forum: true},
			{role: account.Admin, company: &w.Company, edit: true, panel: true, forum: true},
		}
		for i, test := range tests {
			u := w.AddUser(fmt.Sprint("u", i), test.role, test.company)
			a := w.loggedInAs(u).get("/api/auth/me").want(200).wantAt(test.role.String(), "user", "role")
			a.wantAt(test.edit, "permissions", "can_edit_company").wantAt(test.panel, "permissions", "can_access_admin_panel")
			a.wantAt(test.forum, "permissions", "can_moderate_forum")
			if got := a.at("company") == nil; got != test.none {
				t.Errorf("%v: company %v", test.role, a.at("company"))
			}
		}
	})
}

// TestWrongLogin: an unknown address and a wrong password are answered alike.
func TestWrongLogin(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password, b := w.setPassword(w.Anna), w.browser()
		w.AddUser("bezhasla", account.Member, nil)
		for email, password := range map[string]string{
			"anna@poczta.example": "nie to hasło", "nikt@poczta.example": password, "bezhasla@poczta.example": password, "'--": password,
			"anna@poczta.example ": password + " ",
		} {
			b.login(email, password).wantErrorOnly(401, textWrongLogin)
		}
		b.post("/api/auth/login", `{"email":"anna\u0000@poczta.example","password":"x"}`).wantErrorOnly(401, textWrongLogin)
		if b.cookie != nil {
			t.Error("a failed login sets a cookie")
		}
	})
}

func TestLoginFields(t *testing.T) {
	tests := map[string]string{ // body → text
		`{}`:                             textMissing("email"),
		`{"email":"a"}`:                  textMissing("password"),
		`{"email":"","password":"x"}`:    textMissing("email"),
		`{"email":null,"password":"x"}`:  textMissing("email"),
		`{"email":"a","password":null}`:  textMissing("password"),
		`{"email":1,"password":"x"}`:     textInvalid("email"),
		`{"email":["a"],"password":"x"}`: textInvalid("email"),
		`{"email":"a","password":{}}`:    textInvalid("password"),
		`{"email":"a","password":true}`:  textInvalid("password"),
		`{"Email":"a","PASSWORD":"x"}`:   textMissing("email"),
	}
	withService(t, func(t *testing.T, w *world) {
		for body, text := range tests {
			w.browser().post("/api/auth/login", body).wantErrorOnly(400, text)
		}
	})
}

// TestGoodLoginsDoNotLock: a good login clears the count of its account.
func TestGoodLoginsDoNotLock(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password, b := w.setPassword(w.Anna), w.browser()
		for range 11 {
			b.login("anna@poczta.example", password).want(200)
		}
		for range 3 {
			for range 9 {
				b.login("anna@poczta.example", "zgadywane").want(401)
			}
			b.login("anna@poczta.example", password).want(200)
		}
		for range 10 {
			b.login("anna@poczta.example", "zgadywane").want(401)
		}
		b.login("anna@poczta.example", password).wantErrorOnly(429, textTooManyLogins)
	})
}

// TestLoginLimitOfANetwork: an IPv6 client cannot change its address to go on.
func TestLoginLimitOfANetwork(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password, b := w.setPassword(w.Anna), w.browser()
		for i := range 60 {
			b.address = fmt.Sprintf("2001:db8:0:1::%x", i+1)
			b.login("nikt@poczta.example", "zgadywane")
		}
		b.address = "2001:db8:0:1:ffff::1"
		b.login("anna@poczta.example", password).wantErrorOnly(429, textTooManyLogins)
		b.address = "2001:db8:0:2::1"
		b.login("anna@poczta.example", password).want(200)
	})
}

// TestLoginLimitOfAnAccount counts bad logins, from wherever.
func TestLoginLimitOfAnAccount(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password := w.setPassword(w.Anna)
		for i := range 10 {
			b := w.browser()
			b.address = fmt.Sprintf("198.51.100.%d", i)
			b.login("anna@poczta.example", "zgadywane").want(401)
			w.pass(time.Minute)
		}
		b := w.browser()
		a := b.login("Anna@poczta.example", password).wantErrorOnly(429, textTooManyLogins)
		if got := a.Header().Get("Retry-After"); got != "300" || b.cookie != nil {
			t.Errorf("Retry-After %q, cookie %v", got, b.cookie)
		}
		w.pass(5*time.Minute - time.Second)
		b.login("anna@poczta.example", password).want(429)
		w.pass(time.Second)
		b.login("anna@poczta.example", password).want(200)
	})
}

// TestLoginLimitOfAnAddress: who tries many accounts is stopped; others are not.
func TestLoginLimitOfAnAddress(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password, b := w.setPassword(w.Anna), w.browser()
		for range 60 { // the account's own limit saves hashes
			b.login("nikt@poczta.example", "zgadywane")
		}
		b.login("anna@poczta.example", password).wantErrorOnly(429, textTooManyLogins)
		b.do("POST", "/api/auth/login", credentials("anna@poczta.example", password), "X-Forwarded-For", "1.2.3.4, 198.51.100.7").want(429)
		other := w.browser()
		other.address = "198.51.100.8"
		other.login("anna@poczta.example", password).want(200)
	})
}
