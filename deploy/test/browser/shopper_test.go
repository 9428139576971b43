package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

// TestShopper finds the best card for 1,500 zł in three clicks when the category lists have been
// read, which takes seconds without the interval between requests.
func TestShopper(t *testing.T) {
	t.Parallel()
	c := newChromium(t)
	s := newSite(t, "HARDWARE_PRICE_INTERVAL=1us")
	harness.EventuallyWithin(t, 2*patience, "the prices of the ranking are known", func() bool {
		return !strings.Contains(harness.Text(t, s.hardware+"/kreator/ranking/gpu"), "Znane ceny: 0 z")
	})
	b := c.open(t, s.url, desktop())
	b.visit("/kreator")
	b.follow(`main a[href="/kreator/ranking/gpu"]`)
	b.run("enter the budget", chromedp.Click(chromedp.CSS("#budzet")),
		chromedp.SendKeys(chromedp.CSS("#budzet"), "1500"))
	b.follow("form[role=search] .button")
	best := b.see("tbody tr:first-child th > a")
	requireBest(t, b, best)
	if wide := evaluate[int](b, `document.querySelector("table").clientWidth - `+
		`document.querySelector("section.card").clientWidth`); wide > 0 {
		t.Errorf("the table is %d px wider than its card", wide)
	}
	b.check("budget")
	b.follow("tbody tr:first-child th > a")
	b.see("section[aria-labelledby=oferty] tbody")
	if got := b.see("h1"); got != best {
		t.Errorf("the card is %q, want %q", got, best)
	}
}

// requireBest compares the first part with all others that have a known price.
func requireBest(t *testing.T, b *tab, best string) {
	t.Helper()
	rows := evaluate[[]struct {
		Name          string
		Points, Price float64
		Best          bool
	}](b, `[...document.querySelectorAll("tbody tr")].map((row) => {
		const text = (label) => row.querySelector("[data-label='" + label + "']").innerText;
		const number = (label) => parseFloat(text(label).replace(/[^\d,]/g, "").replace(",", "."));
		return {
			Name: row.querySelector("th a").innerText, Points: number("Punkty"), Price: number("Cena od") || 0,
			Best: row.querySelector(".badge") !== null,
		};
	})`)
	known := 0
	for i, row := range rows {
		if row.Price > 0 {
			known++
		}
		if row.Best != (i == 0) || row.Price > 1500 {
			t.Errorf("%+v, but the best is %s", row, best)
		}
		if row.Price > 0 && row.Points > rows[0].Points {
			t.Errorf("%+v is better than %s", row, best)
		}
	}
	if known < 5 {
		t.Errorf("%d prices within the budget are known", known)
	}
}
