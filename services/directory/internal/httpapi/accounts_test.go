package httpapi_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/trail"
)

const newPassword = "nowe hasło 2026"

func passwords(old, chosen string) string {
	return fmt.Sprintf(`{"old_password":%q,"new_password":%q}`, old, chosen)
}

// sessionsLeft holds the number of the browser's sessions.
func (b *browser) sessionsLeft(want int) []any {
	b.w.t.Helper()
	list, _ := b.get("/api/auth/sessions").want(200).at("sessions").([]any)
	if len(list) != want {
		b.w.t.Errorf("%d sessions, want %d", len(list), want)
	}
	return list
}

// TestPasswordChange: the other sessions end, and that of the browser gets a new id.
func TestPasswordChange(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password := w.setPassword(w.Anna)
		b, thief := w.loggedInAs(w.Anna), w.loggedInAs(w.Anna)
		b.post("/api/auth/password", passwords("zgadywane-haslo", newPassword)).wantErrorOnly(400, "Obecne hasło jest nieprawidłowe.")
		b.post("/api/auth/password", passwords(password, "krótkie")).wantErrorOnly(400, account.CodeInvalidPassword.Text)
		before := b.cookie.Value
		b.post("/api/auth/password", passwords(password, newPassword)).want(200)
		if b.cookie.Value == before {
			t.Error("the session keeps its id")
		}
		b.get("/api/auth/me").want(200)
		thief.get("/api/auth/me").want(401)
		w.browser().login(w.Anna.Email, password).want(401)
		w.browser().login(w.Anna.Email, newPassword).want(200)
		if e := w.newestEntry(); e.Action != "password change" || *e.UserID != w.Anna.ID {
			t.Errorf("trail %+v", e)
		}
		for range 10 {
			b.post("/api/auth/password", passwords("zgadywane-haslo", newPassword)).want(400)
		}
		b.post("/api/auth/password", passwords(newPassword, password)).wantErrorOnly(429, textTooManyLogins)
		w.browser().login(w.Anna.Email, newPassword).want(200)
	})
}

// newestEntry is the last line of the company's audit trail.
func (w *world) newestEntry() trail.Entry {
	w.t.Helper()
	entries, err := w.Store.Trail(w.t.Context(), trail.Search{CompanyID: w.Company.ID, Limit: 1})
	w.ok(err)
	if len(entries) == 0 {
		w.t.Fatal("the audit trail is empty")
	}
	return entries[0]
}

// mailed sends what waits and returns the token in the last mail.
func (w *world) mailed(sent <-chan string) string {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer stop()
	go w.Passwords.Run(ctx)
	select {
	case text := <-sent:
		found := regexp.MustCompile(regexp.QuoteMeta(publicURL) + account.LinkPath + `\?token=([\w-]{43})\s`).FindStringSubmatch(text)
		if found == nil {
			w.t.Fatalf("mail %q", text)
		}
		w.records.keep(found[1])
		return found[1]
	case <-ctx.Done():
		w.t.Fatal("no mail")
		return ""
	}
}

// withMail keeps the mails that are sent.
func (w *world) withMail() <-chan string {
	sent := make(chan string, 9)
	w.Send = func(_ context.Context, to, _, text string) (bool, error) {
		sent <- to + "\n" + text
		return false, nil
	}
	w.wire()
	return sent
}

// TestReset by e-mail: requests for an account that exists and for one that does not are
// answered alike, the link works once and ends all sessions.
func TestReset(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		sent, b := w.withMail(), w.loggedInAs(w.Anna)
		var bodies []string
		for _, email := range []string{"nikt@poczta.example", "ANNA@poczta.example"} {
			bodies = append(bodies, w.browser().post("/api/auth/reset", fmt.Sprintf(`{"email":%q}`, email)).want(200).Body.String())
		}
		if bodies[0] != bodies[1] {
			t.Errorf("answers %q", bodies)
		}
		token := w.mailed(sent)
		confirm := func(password string) answer {
			return w.browser().post("/api/auth/reset/confirm", fmt.Sprintf(`{"token":%q,"new_password":%q}`, token, password))
		}
		confirm("krótkie").wantErrorOnly(400, account.CodeInvalidPassword.Text)
		turns := w.Passwords.Hasher
		w.Passwords.Hasher = &account.Hasher{}
		if a := confirm(newPassword).wantErrorOnly(429, textTooManyLogins); a.Header().Get("Retry-After") != "10" {
			t.Errorf("Retry-After %q", a.Header().Get("Retry-After"))
		}
		w.Passwords.Hasher = turns
		confirm(newPassword).want(200)
		confirm(newPassword).wantErrorOnly(400, account.CodeInvalidLink.Text)
		b.get("/api/auth/me").want(401)
		w.browser().login(w.Anna.Email, newPassword).want(200)
		if strings.Contains(w.Log.String(), "poczta.example") {
			t.Errorf("log %s", w.Log.String())
		}
	})
}

func TestResetRefused(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.browser().post("/api/auth/reset", `{"email":"anna@poczta.example"}`).wantErrorOnly(503, account.CodeNoMail.Text)
		w.withMail()
		b := w.browser()
		for i := range 20 {
			b.post("/api/auth/reset", fmt.Sprintf(`{"email":"%d@poczta.example"}`, i)).want(200)
		}
		if a := b.post("/api/auth/reset", `{"email":"anna@poczta.example"}`).wantErrorOnly(429, textTooManyLogins); a.Header().Get("Retry-After") != "3600" {
			t.Errorf("Retry-After %q", a.Header().Get("Retry-After"))
		}
	})
}

func TestOwnSessions(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b, other, third := w.loggedInAs(w.Anna), w.loggedInAs(w.Anna), w.loggedInAs(w.Anna)
		stranger := w.loggedInAs(w.AddUser("ewa", account.Member, nil))
		current := 0
		var foreign string
		for _, s := range b.sessionsLeft(3) {
			if s.(map[string]any)["current"] == true {
				current++
			} else {
				foreign = s.(map[string]any)["id"].(string)
			}
		}
		if current != 1 {
			t.Errorf("%d sessions are the current one", current)
		}
		end := fmt.Sprintf(`{"session_id":%q}`, foreign)
		stranger.post("/api/auth/sessions/end", end).wantErrorOnly(404, account.CodeUnknownSession.Text)
		b.post("/api/auth/sessions/end", end).want(200).wantAt(1.0, "ended")
		b.post("/api/auth/sessions/end", end).want(404)
		b.post("/api/auth/sessions/end", `{}`).want(200).wantAt(1.0, "ended")
		b.sessionsLeft(1)
		other.get("/api/auth/me").want(401)
		third.get("/api/auth/me").want(401)
		stranger.get("/api/auth/me").want(200)
		if e := w.newestEntry(); e.Action != "session end" || e.AboutUserID != w.Anna.ID || e.Detail != "1 ended" {
			t.Errorf("trail %+v", e)
		}
	})
}

// admin is a browser of an administrator who can log in.
func (w *world) admin() (account.User, *browser) {
	w.t.Helper()
	u := w.AddUser("ala", account.Admin, nil)
	w.setPassword(u)
	return u, w.loggedInAs(u)
}

func TestAdministrationOfCompanies(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		ala, b := w.admin()
		const path = "/api/admin/companies"
		a := b.post(path, `{"name":" Cukiernia ","slug":"cukiernia","categories":["Ciasta"],"phone":"1"}`).want(200)
		a.wantAt("Cukiernia", "company", "name").wantAt("active", "company", "status").wantAt("1", "company", "phone")
		one := fmt.Sprint(path, "/", a.at("company", "id"))
		b.post(one, `{"website":"https://cukiernia.example"}`).want(200).wantAt("1", "company", "phone")
		b.post(one, `{"phone":"","status":"archived"}`).want(200).wantAt("https://cukiernia.example", "company", "website").wantAt("", "company", "phone")
		b.get(one).want(200).wantAt("archived", "company", "status").wantAt("Cukiernia", "company", "name")
		w.browser().get("/api/bizprofile/audit/cukiernia").want(404)
		entries, err := w.Store.Trail(t.Context(), trail.Search{UserID: ala.ID, Limit: 9})
		w.ok(err)
		if len(entries) != 3 || entries[2].Action != "company add" || entries[0].Action != "company edit" || entries[0].Detail != "status, phone" {
			t.Errorf("trail %+v", entries)
		}
		for body, text := range map[string]string{
			`{"name":"x","slug":"cukiernia"}`: "Ten identyfikator firmy jest już zajęty.", `{"name":"x","slug":"A b"}`: "Nieprawidłowy identyfikator firmy w adresie.",
			`{"name":" ","slug":"x"}`: "Podaj nazwę firmy.", `{"slug":"x"}`: "Podaj nazwę firmy.", `{"name":"x"}`: textMissing("slug"),
			`{"name":"x","slug":"x","status":"inactive"}`: textInvalid("status"), `{"name":"x","slug":"x","categories":["a",1]}`: textInvalid("categories"),
			`{"name":"x","slug":"x","phone":1}`: textInvalid("phone"),
		} {
			b.post(path, body).wantErrorOnly(400, text)
		}
		b.post(path+"/x", `{}`).want(404)
		b.post(one, `{"name":"a\u0000"}`).want(400)
		for i := range 30 {
			w.AddCompany(fmt.Sprintf("bar-%02d", i))
		}
		first := b.get(path + "?search=firma+bar").want(200)
		rest := b.get(path+"?search=firma+bar&after="+first.at("next").(string)).want(200).wantAt(nil, "next")
		if n, m := len(first.at("companies").([]any)), len(rest.at("companies").([]any)); n != 25 || m != 5 {
			t.Errorf("pages of %d and %d", n, m)
		}
		b.get(path+"?after=x").wantErrorOnly(400, textInvalidParameter("after"))
	})
}

func textInvalidParameter(name string) string {
	return "Nieprawidłowa wartość parametru " + name + "."
}

func TestAdministrationOfUsers(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		ala, b := w.admin()
		const path = "/api/admin/users"
		invite := fmt.Sprintf(`{"email":"Jan@poczta.example","name":"Jan","role":"EMPLOYEE","company_id":%d}`, w.Company.ID)
		a := b.post(path, invite).want(200).wantAt("jan@poczta.example", "user", "email").wantAt("EMPLOYEE", "user", "role")
		link := a.at("link", "url").(string)
		_, token, _ := strings.Cut(link, "token=")
		w.browser().post("/api/auth/reset/confirm", fmt.Sprintf(`{"token":%q,"new_password":%q}`, token, newPassword)).want(200)
		jan := w.browser()
		jan.login("jan@poczta.example", newPassword).want(200)
		one := fmt.Sprint(path, "/", a.at("user", "id"))
		jan.get(one).want(403)
		b.post(one, `{"role":"MANAGER","company_id":0}`).want(200).wantAt("MANAGER", "user", "role").wantAt(nil, "user", "company_id").wantAt("Jan", "user", "name")
		jan.get("/api/auth/me").want(200).wantAt("MANAGER", "user", "role").wantAt(nil, "company")
		b.get(one).want(200).wantAt("MANAGER", "user", "role")
		if sessions := b.get(one + "/sessions").want(200).at("sessions").([]any); len(sessions) != 1 {
			t.Errorf("sessions %v", sessions)
		}
		b.post(one+"/sessions/end", `{"session_id":"0123"}`).wantErrorOnly(404, account.CodeUnknownSession.Text)
		b.post(one+"/sessions/end", `{}`).want(200).wantAt(1.0, "ended")
		jan.get("/api/auth/me").want(401)
		if again, _ := b.post(one+"/reset-link", "").want(200).at("link", "url").(string); again == link || !strings.Contains(again, account.LinkPath) {
			t.Errorf("link %q", again)
		}
		b.post(one, `{"disabled":true}`).want(200)
		jan.login("jan@poczta.example", newPassword).want(401)
		b.post(one, `{"disabled":false}`).want(200).wantAt(nil, "user", "disabled_at")
		for body, text := range map[string]string{
			`{"role":"BOSS"}`: textInvalid("role"), `{"company_id":-1}`: textInvalid("company_id"), `{"company_id":1.5}`: textInvalid("company_id"),
			`{"disabled":"x"}`: textInvalid("disabled"), `{"name":"` + strings.Repeat("x", 201) + `"}`: textInvalid("name"),
		} {
			b.post(one, body).wantErrorOnly(400, text)
		}
		for body, text := range map[string]string{
			`{"email":"jan@poczta.example","role":"MEMBER"}`: account.CodeEmailTaken.Text, `{"email":"jan","role":"MEMBER"}`: account.CodeInvalidEmail.Text,
			`{"email":"ewa@poczta.example"}`: textMissing("role"),
		} {
			b.post(path, body).wantErrorOnly(400, text)
		}
		b.post(path, `{"email":"ewa@poczta.example","role":"MEMBER","company_id":99}`).want(404)
		b.get(path+"?search=JAN").want(200).wantAt(nil, "next")
		for i := range 26 {
			w.AddUser(fmt.Sprintf("osoba-%02d", i), account.Member, nil)
		}
		next := b.get(path+"?search=osoba").want(200).wantCount(25, "users").at("next")
		b.get(fmt.Sprint(path, "?search=osoba&after=", next)).want(200).wantCount(1, "users").wantAt("osoba-25@poczta.example", "users", "0", "email").wantAt(nil, "next")
		b.get(path+"?after=x").wantErrorOnly(400, textInvalidParameter("after"))
		b.post(one+"/delete", "").want(200)
		b.get(one).wantErrorOnly(404, "Nie znaleziono użytkownika.")
		self := fmt.Sprint(path, "/", ala.ID)
		b.post(self, `{"role":"MEMBER"}`).wantErrorOnly(400, account.CodeLastAdmin.Text)
		b.post(self+"/delete", "").wantErrorOnly(400, account.CodeLastAdmin.Text)
		b.get("/api/auth/me").want(200).wantAt("ADMIN", "user", "role")
		if strings.Contains(w.Log.String(), token) {
			t.Error("the log holds a token")
		}
		if erased, err := w.Erased.All(); err != nil || len(erased) != 1 {
			t.Errorf("%d erasures are logged, %v", len(erased), err)
		}
		w.Erasures.Erased = nil
		b.post(fmt.Sprint(path, "/", w.Anna.ID, "/delete"), "").wantErrorOnly(503, "Usuwanie danych nie jest skonfigurowane.")
	})
}

// TestBodiesOfAdministrators: those of other users are refused before they are read.
func TestBodiesOfAdministrators(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		_, b := w.admin()
		user := fmt.Sprint("/api/admin/users/", w.Anna.ID)
		for _, path := range []string{
			"/api/admin/companies", fmt.Sprint("/api/admin/companies/", w.Company.ID), "/api/admin/users", user, user + "/sessions/end",
		} {
			b.post(path, "[]").wantErrorOnly(400, textNoJSON)
			b.post(path, strings.Repeat(" ", 64<<10+1)).wantErrorOnly(413, textTooLarge)
		}
	})
}

func TestAdministrationWithBrokenDatabase(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		_, b := w.admin()
		company, user := fmt.Sprint("/api/admin/companies/", w.Company.ID), fmt.Sprint("/api/admin/users/", w.Anna.ID)
		for _, test := range []struct{ table, method, path, body string }{
			{"companies", "GET", "/api/admin/companies", ""}, {"companies", "GET", company, ""},
			{"audit_trail", "POST", "/api/admin/companies", `{"name":"x","slug":"x"}`}, {"audit_trail", "POST", company, `{"phone":"1"}`},
			{"users", "GET", "/api/admin/users", ""}, {"users", "GET", user, ""},
			{"audit_trail", "POST", "/api/admin/users", `{"email":"a@b.example","role":"MEMBER"}`}, {"audit_trail", "POST", user, `{"role":"MEMBER"}`},
			{"oauth_tokens", "POST", user + "/delete", ""}, {"password_links", "POST", user + "/reset-link", ""},
			{"sessions", "GET", user + "/sessions", ""}, {"audit_trail", "POST", user + "/sessions/end", `{}`},
		} {
			restore := w.Hide(test.table)
			requireNoLeak(t, b.do(test.method, test.path, test.body).wantErrorOnly(500, textInternal))
			restore()
		}
		b.get(company).want(200).wantAt(w.Company.Phone, "company", "phone")
		b.get(user).want(200).wantAt("MANAGER", "user", "role")
	})
}
