package web_test

import (
	"net/http"
	"strings"
	"testing"

	"backend.example/services/directory/internal/apptest"
)

// TestSearchEngines checks what search engines and previews of links read: audits describe
// themselves with one address, pages of an account stay out.
func TestSearchEngines(t *testing.T) {
	a := apptest.New(t, apptest.Setting("DIRECTORY_CONTACT=bezpieczenstwo@firmy.example"))
	anna := a.Browser(a.Anna)
	submit(t, anna, "/audyt/piekarnia", "/konto/audyt")
	for path, texts := range map[string][]string{
		"/audyt/piekarnia": {
			`<link rel="canonical" href="https://firmy.example/audyt/piekarnia">`,
			`<meta property="og:title" content="Audyt: Piekarnia Kowalski">`,
			`<meta name="description" content="Wizytówka firmy Piekarnia Kowalski w Google: `,
		},
		"/konto/audyt":              {`<link rel="canonical" href="https://firmy.example/audyt/piekarnia">`},
		"/konto/przeglad":           {`<meta name="robots" content="noindex">`},
		"/sitemap.xml":              {"<loc>https://firmy.example/audyt/piekarnia</loc>"},
		"/.well-known/security.txt": {"Contact: mailto:bezpieczenstwo@firmy.example", "Expires: 2027-11-21T00:00:00Z"},
		"/favicon.ico":              {"<svg"},
	} {
		body := anna.Get(path).Want(http.StatusOK).Body.String()
		for _, text := range texts {
			if !strings.Contains(body, text) {
				t.Errorf("%s lacks %q:\n%s", path, text, body)
			}
		}
	}
}
