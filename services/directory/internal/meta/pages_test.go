package meta_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"backend.example/services/directory/internal/meta"
)

func TestSocialPages(t *testing.T) {
	const accounts = "GET /v25.0/me/accounts"
	s := newServer(t, nil)
	s.Replies[accounts] = ok(`{"data":[
		{"id":"1","name":"Strona 1","category":"Sklep","fan_count":7,"tasks":["MANAGE"],"access_token":"of page 1"},
		{"id":"2","name":"Strona 2","category":"Usługi"}],"paging":{"cursors":{"before":"b","after":"Q1="}}}`)
	pages, err := s.social().Pages(t.Context(), someToken, nil)
	wantFault(t, err, "")
	want := []meta.Page{{ID: "1", Name: "Strona 1", Category: "Sklep", FanCount: 7, AccessToken: "of page 1"}, {ID: "2", Name: "Strona 2", Category: "Usługi"}}
	if !slices.Equal(pages.Items, want) || !pages.Complete || len(s.Calls) != 1 {
		t.Errorf("pages = %+v\nwant %+v in one call", pages, want)
	}
	unreadable := map[string]string{
		"page without an id":     `{"data":[{"name":"x"}]}`,
		"id with a path":         `{"data":[{"id":"../me"}]}`,
		"next without a cursor":  `{"data":[],"paging":{"next":"yes"}}`,
		"the same cursor again":  `{"data":[],"paging":{"cursors":{"after":"0"},"next":"yes"}}`,
		"list of another form":   `{"data":{}}`,
		"no list, but an answer": `"` + someToken + `"`,
	}
	for name, body := range unreadable {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies[accounts] = ok(body)
			_, err := s.social().Pages(t.Context(), someToken, nil)
			if wantFault(t, err, changed); len(s.Calls) > 2 {
				t.Errorf("%d calls", len(s.Calls))
			}
		})
	}
}

// TestSocialPortfolioPages: pages of business portfolios are added to one's own, each
// page once, the copy with a token before the one without.
func TestSocialPortfolioPages(t *testing.T) {
	const business = "GET /v25.0/me/businesses"
	lists := map[string]reply{
		"GET /v25.0/me/accounts":     ok(`{"data":[{"id":"1","name":"own"},{"id":"2","name":"both","access_token":"own of 2"}]}`),
		business:                     ok(`{"data":[{"id":"81","name":"A"},{"id":"82","name":"B"}]}`),
		"GET /v25.0/81/owned_pages":  ok(`{"data":[{"id":"1","name":"owned","access_token":"of 1"},{"id":"2","name":"again","access_token":"other of 2"}]}`),
		"GET /v25.0/81/client_pages": ok(`{"data":[{"id":"3","name":"client"}]}`),
		"GET /v25.0/82/owned_pages":  ok(`{"data":[]}`),
		"GET /v25.0/82/client_pages": ok(`{"data":[{"id":"4","access_token":"of 4"}]}`),
	}
	all := []string{"1 of 1", "2 own of 2", "3 ", "4 of 4"}
	for name, tt := range map[string]struct {
		granted  []string
		spoiled  string
		want     []string
		complete bool
	}{
		"all":                      {pagesScopes, "", all, true},
		"without the scope":        {socialScopes, "", []string{"1 ", "2 own of 2"}, true},
		"no portfolio can be read": {pagesScopes, business, []string{"1 ", "2 own of 2"}, false},
		"one list cannot be read":  {pagesScopes, "GET /v25.0/81/owned_pages", []string{"1 ", "2 own of 2", "3 ", "4 of 4"}, false},
		"an object without its id": {pagesScopes, "GET /v25.0/82/client_pages", []string{"1 of 1", "2 own of 2", "3 "}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil)
			maps.Copy(s.Replies, lists)
			if tt.spoiled != "" {
				s.Replies[tt.spoiled] = graphError(10, 0, "permission")
			}
			found, err := s.social().Pages(t.Context(), someToken, tt.granted)
			wantFault(t, err, "")
			var got []string
			for _, page := range found.Items {
				got = append(got, page.ID+" "+page.AccessToken)
			}
			if !slices.Equal(got, tt.want) || found.Complete != tt.complete {
				t.Errorf("pages %q, complete %t; want %q, %t", got, found.Complete, tt.want, tt.complete)
			}
		})
	}
}

func TestSocialFindPage(t *testing.T) {
	fake, s := newMeta(t)
	token := fake.Grant("anna", pagesScopes...).User
	page, err := s.social().FindPage(t.Context(), token, bakeryID)
	if wantFault(t, err, ""); page.ID != bakeryID || page.Name != "Piekarnia Kowalski" || page.AccessToken == "" {
		t.Errorf("page = %+v", page)
	}
	_, err = s.social().FindPage(t.Context(), fake.Grant("marek", pagesScopes...).User, bakeryID)
	wantFault(t, err, permission)
	_, err = s.social().FindPage(t.Context(), token, "105600000099999")
	wantFault(t, err, gone)
}

// Piotr manages more pages than one list holds. The sandbox puts the token into the
// address of the next list, as the provider does.
func TestSocialPagesOfTheSandbox(t *testing.T) {
	fake, s := newMeta(t)
	for person, want := range map[string]struct{ pages, acting, calls int }{
		"anna": {pages: 3, acting: 2, calls: 2}, "piotr": {pages: 135, acting: 135, calls: 4}, "tomasz": {pages: 0, acting: 0, calls: 2},
	} {
		s.Calls = nil
		pages, err := s.social().Pages(t.Context(), fake.Grant(person, pagesScopes...).User, pagesScopes)
		wantFault(t, err, "")
		acting := 0
		for _, page := range pages.Items {
			if page.AccessToken != "" {
				acting++
			}
		}
		if !pages.Complete || len(pages.Items) != want.pages || acting != want.acting || len(s.Calls) != want.calls {
			t.Errorf("%s has %d pages, %d with a token, in %d calls; want %+v", person, len(pages.Items), acting, len(s.Calls), want)
		}
		if got := s.Calls[0].Query; got.Get("limit") != "100" {
			t.Errorf("asked with %v", got)
		}
	}
}

func TestSocialPagesBounds(t *testing.T) {
	lists := 0
	s := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		lists++
		_, _ = fmt.Fprintf(w, `{"data":[{"id":"%d"}],"paging":{"cursors":{"after":"%d"},"next":"yes"}}`, lists, lists)
	}))
	pages, err := s.social().Pages(t.Context(), someToken, nil)
	if err != nil || len(pages.Items) != 50 || pages.Complete || len(s.Calls) != 50 {
		t.Errorf("%d pages in %d calls, %v; want those of 50 lists, which are not all", len(pages.Items), len(s.Calls), err)
	}
}
