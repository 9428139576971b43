package web_test

import (
	"net/http"
	"testing"
)

// TestFirstSteps checks that the reference begins with calls that can be pasted, for the
// visitor's own company, and is there for strangers, too.
func TestFirstSteps(t *testing.T) {
	a, anna := pages(t)
	wantTexts(t, anna, "/docs",
		`curl -b cookies.txt -c cookies.txt -X POST -H 'Content-Type: application/json' -d `+
			`'{"email":"anna@poczta.example"`,
		`fetch('/api/bizprofile/audit', {method: 'POST'`, `directory.discoverPages({body: {company_id: 1}})`,
		"curl 'https://firmy.example/api/prices/ceneo?q=rtx+4060'", "!zawsze")
	wantTexts(t, a.Visitor(), "/docs", "anna@example.com", "Log in")
	a.Visitor().Get("/docs/hardware").Want(http.StatusOK)
}
