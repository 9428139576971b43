//go:build !race

// One request after another has nothing for the race detector, which makes it five times as slow.

package httpapi_test

import (
	"net/http"
	"os"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/database/databasetest"
)

func TestMain(m *testing.M) { os.Exit(checker.Run(func() int { return databasetest.Main(m) })) }

// TestEveryRequestIsAnsweredAsDocumented sends thousands of random requests, valid
// and invalid, of users of every kind, to a company whose state they change.
func TestEveryRequestIsAnsweredAsDocumented(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		other := w.AddCompany("cukiernia")
		w.Erasures.Erased = nil // so that the visitors stay
		visitors := []*account.User{nil}
		for _, u := range []account.User{
			w.Anna, w.AddUser("admin", account.Admin, nil), w.AddUser("obcy", account.Member, &other), w.AddUser("wolny", account.Unaffiliated, nil),
		} {
			visitors = append(visitors, &u)
		}
		sent := 0
		visit := http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
			if sent%200 == 0 {
				w.connectPage()
				w.connect(profilePair)
			}
			sent++
			w.echo.ServeHTTP(answer, w.dress(r, visitors[sent%len(visitors)]))
		})
		valid, invalid := checker.SendAll(t, visit, checker.RandomRequests(1, 120, map[string][]any{
			"company_id": {w.Company.ID, other.ID, 999, "9223372036854775808"}, "slug": {"piekarnia", "cukiernia", "nie-ma"},
			"page_id": {w.Social.Pages[0].ID, w.Social.Pages[2].ID}, "location_name": {"locations/1"},
			"provider": {"provider_search", "provider_social"}, "service": {"search_profile", "social_pages"},
			"id": {1, 2, 999}, "email": {"anna@poczta.example"}, "error": {""},
		}))
		if valid[200] < 300 || valid[401] < 100 || valid[403] < 50 || valid[404] < 50 || invalid[400] < 100 || invalid[413] == 0 {
			t.Errorf("answers to valid requests: %v, to invalid ones: %v", valid, invalid)
		}
	})
}

// dress makes r a request of u's browser, or of one without a login.
func (w *world) dress(r *http.Request, u *account.User) *http.Request {
	b := w.browser()
	if u != nil {
		b = w.loggedInAs(*u)
	}
	like := b.request(r.Method, "/", "")
	r.RemoteAddr = like.RemoteAddr
	for _, name := range []string{"Cookie", "X-Forwarded-For"} {
		if values := like.Header[name]; values != nil {
			r.Header[name] = values
		}
	}
	return r
}
