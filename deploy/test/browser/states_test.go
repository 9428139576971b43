package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// state is a page as an address shows it, when nothing was done before. States
// that something leads to are checked by the stories.
type state struct {
	name, path string
	as         string       // e-mail of a demonstration user; empty: nobody
	see        chromedp.CSS // what has to be there; empty: any page
}

// accountStates are those of the directory service, after the story of the account.
func accountStates() []state {
	const manager, reference = "kierownik@demo.example", "details.operation"
	return []state{
		{name: "entry", path: "/"},
		{name: "login", path: "/konto/logowanie"},
		{name: "audit-public", path: "/audyt/piekarnia-kowalski"},
		{name: "reference", path: "/docs", see: reference},
		{name: "reference-operation", path: "/docs/hardware#getPrices", see: "#getPrices table"},
		{name: "reference-hardware", path: "/docs/hardware", see: reference},
		{name: "integrations-statistics", path: "/konto/integracje", as: manager},
		{name: "choose-page", path: "/konto/integracje/strona", as: manager},
		{name: "audit", path: "/konto/audyt", as: manager},
	}
}

// wizardStates are those of the hardware service.
func wizardStates() []state {
	return []state{
		{name: "start", path: "/kreator"},
		{name: "ranking", path: "/kreator/ranking/cpu"},
		{name: "empty-build", path: "/kreator/zestaw"},
		{name: "choice", path: "/kreator/czesc?rodzaj=psu"},
		{name: "long-names", path: "/kreator/ranking/ssd?ile=50&sortuj=cena"},
		{name: "compare", path: compared},
		{name: "part", path: gpuPart, see: "section[aria-labelledby=oferty] tbody"},
		{name: "build", path: build, see: "[data-sum]"},
	}
}

// checkStates goes through states, as one user after the other.
func (c chromium) checkStates(t *testing.T, s site, states []state) {
	t.Helper()
	b, as := c.newcomer(t, s, desktop()), ""
	for _, shown := range states {
		if shown.as != as {
			b, as = c.user(t, s, desktop(), shown.as), shown.as
		}
		b.visit(shown.path)
		if shown.see != "" {
			b.see(shown.see)
		}
		b.check(shown.name)
	}
}
