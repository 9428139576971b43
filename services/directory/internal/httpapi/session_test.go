package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
)

func TestSessionCookie(t *testing.T) {
	tests := map[bool]string{false: "session", true: "__Host-session"} // https → name
	withService(t, func(t *testing.T, w *world) {
		password := w.setPassword(w.Anna)
		for secure, name := range tests {
			w.guard.Sessions = w.newSessions(secure)
			b := w.browser()
			a := b.login("anna@poczta.example", password).want(200)
			cookies := a.Result().Cookies()
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

// TestOnlyOwnCookies: what the service did not sign, or signed for another name,
// is nobody's.
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

// TestLoginRotatesTheSession: a new id, and neither the old one nor what it held
// is good any more.
func TestLoginRotatesTheSession(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password, b := w.setPassword(w.Anna), w.loggedInAs(w.Anna)
		before := *b
		state := b.connect(profilePair)
		b.login("anna@poczta.example", password).want(200)
		if b.cookie.Value == before.cookie.Value {
			t.Fatal("the id stays")
		}
		before.get("/api/auth/me").wantErrorOnly(401, textNotLoggedIn)
		b.get("/api/auth/me").want(200)
		b.callback(profilePair, state).redirects("oauth_error=invalid_state")
	})
}

func TestLogoutKillsTheSession(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b, elsewhere := w.loggedInAs(w.Anna), w.loggedInAs(w.Anna)
		stolen := *b
		b.post("/api/auth/logout", "").want(200)
		if b.cookie != nil {
			t.Error("the cookie stays")
		}
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

// TestProtectedRoutes answers 401 before anything else of the request counts.
func TestProtectedRoutes(t *testing.T) {
	open := []string{
		"POST /api/auth/login", "POST /api/auth/logout", "GET /api/oauth/callback/provider_search", "GET /api/bizprofile/audit/health",
		"GET /api/bizprofile/audit", "GET /api/bizprofile/audit/piekarnia", "GET /api/bizprofile/audit/piekarnia/history",
		"POST " + deauthorize, "POST " + dataDeletion,
	}
	withService(t, func(t *testing.T, w *world) {
		for path, methods := range w.paths() {
			for _, method := range methods {
				a := w.browser().do(method, path, "")
				isOpen := slices.Contains(open, strings.Replace(method, "HEAD", "GET", 1)+" "+path)
				if isOpen != (a.Code != 401) {
					t.Errorf("%s %s: %d", method, path, a.Code)
				}
				if !isOpen && method != http.MethodHead {
					a.wantErrorOnly(401, textNotLoggedIn)
				}
			}
		}
	})
}

// gone answers for a user and a company that are not there any more.
type gone struct{ account.BrowserSessions }

func (gone) User(*http.Request) (*account.User, error) { return nil, nil }

func (gone) Take(http.ResponseWriter, *http.Request, string) (string, error) { return "", nil }

// SetOutcome fails, which does not change the response.
func (gone) SetOutcome(http.ResponseWriter, string) error { return errors.New("no key") }

// taken is a session whose user is gone, with an authorization under way.
type taken struct {
	account.BrowserSessions
	times int
}

func (*taken) User(*http.Request) (*account.User, error) { return nil, nil }

func (s *taken) Take(http.ResponseWriter, *http.Request, string) (string, error) {
	s.times++
	return (&connection.Pending{}).String(), nil
}

func (*taken) SetOutcome(http.ResponseWriter, string) error { return nil }

// TestCallbackOfAUserWhoIsGone: the authorization is spent all the same.
func TestCallbackOfAUserWhoIsGone(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		var sessions taken
		w.guard.Sessions = &sessions
		w.browser().get("/api/oauth/callback/provider_search?code=c&state=s").redirects("oauth_error=unauthorized")
		if sessions.times != 1 {
			t.Errorf("the authorization was taken %d times, want once", sessions.times)
		}
	})
}

// TestLoginThatCannotBeAnswered leaves no session behind.
func TestLoginThatCannotBeAnswered(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password := w.setPassword(w.Anna)
		w.accounts.Company = func(context.Context, int64) (company.Company, error) { return company.Company{}, errSecret }
		a := w.browser().post("/api/auth/login", `{"email":"`+w.Anna.Email+`","password":"`+password+`"}`).wantErrorOnly(500, textInternal)
		if cookies := a.Result().Cookies(); len(cookies) > 0 {
			t.Errorf("the failure sets %v", cookies)
		}
	})
}

func TestUserIsGone(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		w.accounts.Company = func(context.Context, int64) (company.Company, error) {
			return company.Company{}, company.CodeNotFound.Fault()
		}
		b.get("/api/auth/me").want(200).wantAt(nil, "company").wantAt(false, "permissions", "can_edit_company")
		w.guard.Sessions = gone{}
		b.get("/api/auth/me").wantErrorOnly(401, textNotLoggedIn)
		b.get("/api/oauth/callback/provider_search?error=x").redirects("oauth_error=unauthorized")
	})
}
