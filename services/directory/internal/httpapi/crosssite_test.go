package httpapi_test

import (
	"net/http"
	"testing"
)

// TestOtherSites: no page of another site makes a browser change anything.
func TestOtherSites(t *testing.T) {
	tests := []struct {
		headers []string
		allowed bool
	}{
		{[]string{"Sec-Fetch-Site", "cross-site"}, false},
		{[]string{"Sec-Fetch-Site", "same-site"}, false},
		{[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, false},
		{[]string{"Origin", "https://evil.example"}, false},
		{[]string{"Origin", "null"}, false},
		{[]string{"Origin", "http://firmy.example"}, false}, // not by https
		{[]string{"Sec-Fetch-Site", "same-origin"}, true},
		{[]string{"Sec-Fetch-Site", "none"}, true},
		{[]string{"Origin", publicURL}, true},
		{[]string{"Origin", publicURL, "Sec-Fetch-Site", "same-origin"}, true},
		{nil, true},
	}
	withService(t, func(t *testing.T, w *world) {
		for path, methods := range w.paths() {
			for _, method := range methods {
				for _, test := range tests {
					a := w.loggedInAs(w.Anna).do(method, path, "", test.headers...)
					signed := path == deauthorize || path == dataDeletion // by the provider, from its own site
					refused := method == http.MethodPost && !test.allowed && !signed
					if refused {
						a.wantErrorOnly(403, textOtherSite)
					} else if a.Code == 403 {
						t.Errorf("%s %s with %v: %s", method, path, test.headers, a.Body)
					}
				}
			}
		}
	})
}

// TestOtherSitesFirst: who asks from another site learns nothing of the login.
func TestOtherSitesFirst(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.browser().post("/api/oauth/connect/x/y", "", "Sec-Fetch-Site", "cross-site").wantErrorOnly(403, textOtherSite)
		w.browser().post("/api/bizprofile/audit", "{", "Sec-Fetch-Site", "cross-site").wantErrorOnly(403, textOtherSite)
	})
}
