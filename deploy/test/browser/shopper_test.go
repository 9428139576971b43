package browser

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

func requireNarrow(t *testing.T, b *tab) {
	t.Helper()
	if wide := evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		t.Errorf("%s is %d px wider than the screen", evaluate[string](b, "location.pathname"), wide)
	}
}

// TestShopper shops when the category lists have been read, which takes seconds without the
// interval between requests.
func TestShopper(t *testing.T) {
	t.Parallel()
	s := harness.StartMakeRun(t, settings("HARDWARE_PRICE_INTERVAL=1us")...)
	harness.EventuallyWithin(t, 2*patience, "the lists are read", func() bool {
		return !strings.Contains(harness.Text(t, s.Hardware+"/kreator/lista/case"), "Nie mamy teraz listy")
	})
	small := screen{name: "phone", width: 390, height: 844}
	t.Run("two side by side", func(t *testing.T) {
		b := open(t, s.URL, small)
		b.visit("/kreator/porownaj?rodzina=gpu&czesc=Nvidia+RTX+4070+SUPER&czesc=Nvidia+RTX+4070")
		b.seeText("znane: 2 z 2")
		requireNarrow(t, b)
		const scroll = `document.querySelector(".table-scroll")`
		if hidden := evaluate[int](b, scroll+".scrollWidth - "+scroll+".clientWidth"); hidden > 0 {
			t.Errorf("%d px of the table are hidden", hidden)
		}
	})
	for _, screen := range []screen{desktop(), small} {
		t.Run("the best card in two clicks, "+screen.name, func(t *testing.T) {
			b := open(t, s.URL, screen)
			b.visit("/kreator")
			b.follow(`main a[href^="/kreator/ranking/gpu"]`)
			b.run("enter the budget", chromedp.Click(chromedp.CSS("#budzet")),
				chromedp.SendKeys(chromedp.CSS("#budzet"), "1500"))
			b.follow("form[role=search] .button")
			best := b.see("tbody tr:first-child th > a")
			if b.clicks != 2 {
				t.Errorf("%d clicks", b.clicks)
			}
			rows := evaluate[[]struct {
				Name          string
				Points, Price float64
				Best          bool
			}](b, `[...document.querySelectorAll("tbody tr")].map((row) => {
				const text = (label) => row.querySelector("[data-label='" + label + "']").innerText;
				const number = (label) => parseFloat(text(label).replace(/[^\d,]/g, "").replace(",", "."));
				return {
					Name: row.querySelector("th a").innerText, Points: number("Punkty"), Price: number("Cena od") || 0,
					Best: row.querySelector(".badge") !== null, // among the known prices
				};
			})`)
			if len(rows) != 20 {
				t.Errorf("%d cards", len(rows))
			}
			for i, row := range rows {
				if row.Best != (i == 0) {
					t.Errorf("%+v, but the best is %s", row, best)
				}
				if row.Price == 0 || row.Price > 1500 {
					t.Errorf("the price of %+v", row)
				}
				if row.Points > rows[0].Points {
					t.Errorf("%+v is better than %s", row, best)
				}
			}
			requireNarrow(t, b)
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
		})
		// A part of every kind, the cheapest of those shown that have a price and go with the build as far as is
		// known, without typing anything but the budget.
		t.Run("eight parts, "+screen.name, func(t *testing.T) {
			b := open(t, s.URL, screen)
			b.visit("/kreator/zestaw?limit=5000")
			for n := range 8 {
				b.follow("section[aria-labelledby=brakuje] a.tile")
				requireNarrow(t, b)
				row := evaluate[int](b, `(() => {
					const text = (row) => row.querySelector("[data-label='Cena od']").innerText;
					const price = (row) => parseFloat(text(row).replace(/[^\d,]/g, "").replace(",", "."));
					const rows = [...document.querySelectorAll("tbody tr")];
					const fitting = rows.filter((row) => !row.querySelector(".badge.bad") && price(row) > 0);
					return 1 + rows.indexOf(fitting.reduce((a, b) => price(b) < price(a) ? b : a));
				})()`)
				b.follow(chromedp.CSS("tbody tr:nth-child(" + strconv.Itoa(row) + ") a.button"))
				b.seeText("Znane ceny: " + strconv.Itoa(n+1) + " z ") // or the page would move under the mouse
				requireNarrow(t, b)
			}
			b.seeText("Znane ceny: 8 z 8")
			b.seeText("Z budżetu 5")
			if n := b.count(".alert.bad, .badge.bad"); n > 0 || b.clicks > 20 {
				t.Errorf("%d warnings after %d clicks", n, b.clicks)
			}
			const end = `document.querySelector("[data-sum]").getBoundingClientRect().bottom + scrollY`
			bottom := evaluate[float64](b, end)
			if bottom > float64(b.screen.height) {
				t.Errorf("the sum ends at %.0f px, below the first screen", bottom)
			}
			if height := evaluate[float64](b, `document.querySelector("header").offsetHeight`); height > 180 {
				t.Errorf("the header takes %.0f px", height)
			}
		})
	}
}
