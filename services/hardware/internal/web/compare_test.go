package web_test

import (
	"net/url"
	"strconv"
	"testing"
)

const cards = "?rodzina=gpu&cpu=Ryzen+7&czesc=Nvidia+RTX+4070+SUPER&czesc=nvidia+rtx+4070"

// A comparison looks no price up: a script does so, and without one the page loads again.
func TestCompare(t *testing.T) {
	a := newApp(t)
	open(t, a, cardOffers)
	a.Ceneo.ClearRequests()
	require(t, "one price known", open(t, a, "/kreator/porownaj"+cards), facts{
		"h1":       {"Porównanie: Karty graficzne"},
		"main > p": {"Źródło: UserBenchmark, pobrano 21 listopada 2026, 13:00.", "Wróć do rankingu"},
		"thead a@href": {
			"/kreator/czesc?cpu=Ryzen+7&nazwa=Nvidia+RTX+4070+SUPER&rodzaj=gpu",
			"/kreator/czesc?cpu=Ryzen+7&nazwa=nvidia+rtx+4070&rodzaj=gpu",
		},
		"tbody tr:not(.screen) td": {
			"236 najwięcej", "211", "16", "21", "9762", "8678", "2 569,00 zł", "sprawdzamy…", "2 569,00 zł",
			"–", "9,19", "–",
		},
		"[data-part=stan] p:first-child": {
			"Ceny z VAT; znane: 1 z 2. Najtańszą część wskażemy, gdy poznamy wszystkie ceny.",
		},
		"tbody a.plain@href": {
			"/kreator/zestaw?cpu=Ryzen+7&gpu=Nvidia+RTX+4070+SUPER", "/kreator/zestaw?cpu=Ryzen+7&gpu=Nvidia+RTX+4070",
		},
		"tbody a.danger@href": {
			"/kreator/porownaj?cpu=Ryzen+7&czesc=nvidia+rtx+4070&rodzina=gpu",
			"/kreator/porownaj?cpu=Ryzen+7&czesc=Nvidia+RTX+4070+SUPER&rodzina=gpu",
		},
		"[data-prices]@data-prices": {
			"/kreator/porownaj/ceny?cpu=Ryzen+7&czesc=Nvidia+RTX+4070+SUPER&czesc=nvidia+rtx+4070&rodzina=gpu",
		},
		"noscript meta@content": {
			"0; url=/kreator/porownaj?cpu=Ryzen+7&czekaj=1&czesc=Nvidia+RTX+4070+SUPER&" +
				"czesc=nvidia+rtx+4070&rodzina=gpu",
		},
	})
	if asked := a.Asked(); len(asked) > 0 {
		t.Errorf("requests to the source: %q", asked)
	}
	fragment := open(t, a, "/kreator/porownaj/ceny"+cards)
	require(t, "all prices known", fragment, facts{
		"[data-part=stan]": {"Ceny z VAT; znane: 2 z 2."}, "[data-part=cena-2]": {"2 343,99 zł na zamówienie"},
		"[data-pending]": nil,
	})
	page := open(t, a, "/kreator/porownaj"+cards)
	for _, part := range texts(fragment, "[data-part]@data-part") { // by which the script finds its place
		require(t, part, page, facts{"[data-part=" + part + "]": texts(fragment, "[data-part="+part+"]")})
	}
}

// What has no price is compared as well, and what there is no room for is named.
func TestCompareWhatIsNotThere(t *testing.T) {
	a := newApp(t)
	rows := []string{",,X (2025),1,100,1", ",,Brakwyniku 1000,2,50,1"}
	query := "rodzina=gpu&czesc=Nieznana+%3Cb%3E&czesc=ab"
	for n := range 20 {
		rows = append(rows, ",Karta,"+strconv.Itoa(n)+","+strconv.Itoa(n+3)+",10,1")
		query += "&czesc=" + url.QueryEscape("Karta "+strconv.Itoa(n))
	}
	serveRanking(a, "GPU", rows...)
	for query, want := range map[string]facts{
		query + "&czesc=+Karta++0": {
			"thead th": {"Karta 0", "Karta 1", "Karta 2", "Karta 3"},
			".alert p": {
				"Porównać można najwyżej cztery części. Usuń którąś, aby zobaczyć następną:",
				"Nie zmieściło się jeszcze: 9.", "Tych części nie ma w rankingu:",
			},
			".alert li": {
				"Karta 4 (pomiń)", "Karta 5 (pomiń)", "Karta 6 (pomiń)", "Karta 7 (pomiń)", "Karta 8 (pomiń)",
				"Karta 9 (pomiń)", "Karta 10 (pomiń)", "Nieznana <b> (pomiń)",
			},
		},
		// Without its brackets the name is too short to be asked for.
		"rodzina=gpu&czesc=X+(2025)&czesc=Brakwyniku+1000&czekaj=1": {
			"[data-part^=cena]": {"nieznana", "nie znaleziono"}, "tbody a.plain": {"Do zestawu: Brakwyniku 1000"},
			"tbody a.danger": {"Usuń: X (2025)", "Usuń: Brakwyniku 1000"}, "[data-pending], noscript": nil,
		},
		"rodzina=gpu&czesc=X+(2025)": {"thead th": {"X (2025)"}, ".badge": nil}, // there is nothing to compare it with
	} {
		require(t, query, open(t, a, "/kreator/porownaj?"+query), want)
	}
}
