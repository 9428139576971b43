package site_test

import (
	"net/url"
	"strings"
	"testing"

	"backend.example/services/internal/kit/settings"
	"backend.example/services/internal/kit/site"
)

func TestFooterLinks(t *testing.T) {
	o := options()
	if body := write(t, newSite(t, o), "greeting", site.Page{}).Body.String(); strings.Contains(body, "Polityka") ||
		strings.Contains(body, "Kontakt") {
		t.Errorf("links without addresses in\n%s", body)
	}
	o.Legal = settings.Legal{
		Privacy: &url.URL{Scheme: "https", Host: "a.example", Path: "/p"},
		Terms:   &url.URL{Scheme: "https", Host: "a.example", Path: "/t"},
		Contact: "biuro+a@a.example",
	}
	body := write(t, newSite(t, o), "greeting", site.Page{}).Body.String()
	requireText(t, body, `<a href="https://a.example/p">Polityka prywatności</a>`,
		`<a href="https://a.example/t">Regulamin</a>`, `<a href="mailto:biuro`, `a@a.example">Kontakt</a>`)
	o.Legal.Contact = "https://a.example/kontakt"
	requireText(t, write(t, newSite(t, o), "greeting", site.Page{}).Body.String(),
		`<a href="https://a.example/kontakt">Kontakt</a>`)
}
