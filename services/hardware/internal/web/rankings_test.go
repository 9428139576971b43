package web_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/deploy/sandbox/fake"
)

func TestRanking(t *testing.T) {
	a := newApp(t)
	serveRanking(a, "GPU",
		",Nvidia,RTX 5090 1.5TB,1,200,84129", "V-1,MSI,MSI RTX 5090 Ventus,1,200,84129",
		"V-2,MSI,MSI RTX 5090 Ventus,1,200,84129", ",AMD,RX 9070 (2025) 12GB,2,0.5,1", ",,Nieznana 5080 1GB,2,0.5,1",
		"A-3,Nvidia,GT 710 1GB,3,0,0",
	)
	require(t, "the ranking", open(t, a, "/kreator/ranking/gpu?cpu=Ryzen+7"), facts{
		"h1": {"Karty graficzne – ranking"},
		"#tabela ~ table caption": {"Pokazano 3 z 3. Punkty to procent wydajności " +
			"części wzorcowej. Znane ceny: 0 z 3; pozostałe sprawdzimy, gdy otworzysz część."},
		"main > p": {"Źródło: UserBenchmark, pobrano 21 listopada 2026, 13:00."},
		"tbody tr": {
			"1 Nvidia RTX 5090 1.5TB 84 129 pomiarów 1 wariant MSI RTX 5090 Ventus 200 nieznana– " +
				"Porównaj: Nvidia RTX 5090 1.5TB Do zestawu: Nvidia RTX 5090 1.5TB",
			"2 AMD RX 9070 (2025) 12GB 1 pomiar 1 wariant Nieznana 5080 1GB 0,5 nieznana– " +
				"Porównaj: AMD RX 9070 (2025) 12GB Do zestawu: AMD RX 9070 (2025) 12GB",
			"3 Nvidia GT 710 1GB 0 pomiarów 0 nieznana– Porównaj: Nvidia GT 710 1GB Do zestawu: Nvidia GT 710 1GB",
		},
		".chart-bar@width":            {"100%", "0.3%", "0%"},
		"select[name=marka] option":   {"Wszystkie", "AMD", "MSI", "Nvidia"},
		"label[for=pamiec]":           {"Pamięć (z nazwy)"},
		"select[name=pamiec] option":  {"Dowolna", "1 GB", "12 GB", "1,5 TB"},
		"select[name=ile] option":     {"20", "50", "100", "200", "500"},
		"details[open], tbody .badge": nil,
		"tbody tr:first-child a@href": {
			"/kreator/czesc?cpu=Ryzen+7&nazwa=Nvidia+RTX+5090+1.5TB&rodzaj=gpu",
			"/kreator/czesc?cpu=Ryzen+7&nazwa=MSI+RTX+5090+Ventus&rodzaj=gpu",
			"/kreator/zestaw?cpu=Ryzen+7&gpu=Nvidia+RTX+5090+1.5TB",
		},
		"tbody tr:nth-child(2) a.button@href": {"/kreator/zestaw?cpu=Ryzen+7&gpu=AMD+RX+9070+12GB"},
	})
	for query, want := range map[string][]string{
		"szukaj=rtx": {"Nvidia RTX 5090 1.5TB"}, "szukaj=+nvidia++RTX+": {"Nvidia RTX 5090 1.5TB"},
		"szukaj=a-3": {"Nvidia GT 710 1GB"}, "szukaj=9070+2025": {"AMD RX 9070 (2025) 12GB"},
		"marka=MSI": {"MSI RTX 5090 Ventus"}, "marka=Nvidia&szukaj=710": {"Nvidia GT 710 1GB"}, "pamiec=16": nil,
		"pamiec=12": {"AMD RX 9070 (2025) 12GB"}, "marka=AMD&szukaj=710": nil, "marka=None": nil, "szukaj=%3Cb%3E": nil,
	} {
		require(t, query, open(t, a, "/kreator/ranking/gpu?"+query), facts{"tbody th > a": want})
	}
	for _, query := range []string{"pamiec=x", "budzet=0", "budzet=-1", "budzet=NaN", "ile=1", "ile=x", "sortuj=x"} {
		if n := open(t, a, "/kreator/ranking/gpu?"+query).Find("tbody tr").Length(); n != 3 {
			t.Errorf("%s: %d models, want all", query, n)
		}
	}
}

// The filters of an address are in its form and in the addresses of the other orders.
func TestRankingKeepsItsFilters(t *testing.T) {
	query := "?cpu=Ryzen+7&budzet=1500,5&ile=50&marka=Nvidia&pamiec=8&szukaj=+rtx+&sortuj=cena"
	require(t, query, open(t, newApp(t), "/kreator/ranking/gpu"+query), facts{
		"#szukaj@value": {"rtx"}, "#budzet@value": {"1500.5"}, "#pamiec option[selected]": {"8 GB"},
		"#marka option[selected]": {"Nvidia"}, "#ile option[selected]": {"50"},
		"details[open] summary":                      {"Więcej filtrów"},
		"form[role=search] input[name=sortuj]@value": {"cena"},
		".tabs a": {"Punkty", "Cena", "Opłacalność"}, ".tabs [aria-current]": {"Cena"},
		".tabs li:last-child a@href": {
			"/kreator/ranking/gpu?budzet=1500.5&cpu=Ryzen+7&ile=50&marka=Nvidia&pamiec=8&sortuj=oplacalnosc&szukaj=rtx",
		},
	})
}

// Prices are those that are known already: a ranking looks none up.
func TestRankingByKnownPrices(t *testing.T) {
	a := withLists(t)
	for query, want := range map[string]string{
		"budzet=1500":            "najwięcej ze znanych",
		"budzet=1500&szukaj=arc": "najwięcej punktów", // all of them have a price
	} {
		require(t, query, open(t, a, "/kreator/ranking/gpu?"+query), facts{
			"tbody .badge": {want}, "tbody tr:first-child .badge": {want},
		})
	}
	asked := len(a.Asked())
	for family, want := range map[string]int{"cpu": 20, "gpu": 20, "ram": 20, "ssd": 20, "hdd": 17, "usb": 0} {
		priced := open(t, a, "/kreator/ranking/"+family).Find("td:not(.muted)[data-label='Cena od']").Length()
		if priced != want {
			t.Errorf("%s: %d prices of the first 20 are known, want %d", family, priced, want)
		}
	}
	for query, want := range map[string]struct {
		column  string
		sign    float64
		caption string
	}{
		"sortuj=cena":             {"Cena od", 1, "Części bez znanej ceny są na końcu."},
		"sortuj=oplacalnosc":      {"Pkt za 100 zł", -1, "Części bez znanej ceny są na końcu."},
		"sortuj=cena&budzet=1500": {"Cena od", 1, "na końcu: nie wiemy, czy mieszczą się w budżecie."},
		"budzet=1500":             {"Punkty", -1, "na końcu: nie wiemy, czy mieszczą się w budżecie."},
	} {
		page := open(t, a, "/kreator/ranking/gpu?ile=500&"+query)
		column := texts(page, "tbody tr:has([data-label='Pkt za 100 zł']) td[data-label='"+want.column+"']")
		if len(column) < 10 || !slices.IsSortedFunc(column, func(a, b string) int {
			return int(want.sign * (number(t, a) - number(t, b)))
		}) {
			t.Errorf("%s: %s is %q", query, want.column, column)
		}
		if got := texts(page, "caption")[0]; !strings.Contains(got, want.caption) {
			t.Errorf("%s: no %q in %q", query, want.caption, got)
		}
		require(t, query+": priced after unpriced", page, facts{"tr:has(.unknown) ~ tr:not(:has(.unknown))": nil})
		for _, price := range texts(page, "td:not(.muted)[data-label='Cena od']") {
			if strings.Contains(query, "budzet") && number(t, price) > 1500 {
				t.Errorf("%s: %s", query, price)
			}
		}
	}
	if n := len(a.Asked()) - asked; n > 0 {
		t.Errorf("%d requests to the source", n)
	}
}

// number reads "1 468,49 zł".
func number(t *testing.T, text string) float64 {
	t.Helper()
	text, _, _ = strings.Cut(text, " zł")
	n, err := strconv.ParseFloat(strings.Replace(strings.ReplaceAll(text, " ", ""), ",", ".", 1), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRankingIsCutToItsCount(t *testing.T) {
	a := newApp(t)
	for query, want := range map[string]int{"": 20, "?ile=50": 50, "?sortuj=cena": 20, "?ile=500": 61} {
		if n := open(t, a, "/kreator/ranking/gpu"+query).Find("tbody tr").Length(); n != want {
			t.Errorf("%s: %d models, want %d", query, n, want)
		}
	}
}

func TestRankingFromALocalCopy(t *testing.T) {
	a := newApp(t)
	a.Get("/kreator/ranking/gpu").Want(http.StatusOK)
	a.UserBenchmark.SetFault(fake.Fault{Kind: "down"})
	a.Clock.Pass(25 * time.Hour)
	copied := []string{"Kopia lokalna. Źródło rankingu nie odpowiada, więc pokazujemy ostatnią zapisaną kopię: " +
		"21 listopada 2026."}
	for path, want := range map[string][]string{
		"/kreator/ranking/gpu": copied, "/kreator/czesc?rodzaj=gpu&nazwa=nvidia+rtx+4070": copied,
		"/kreator/czesc?rodzaj=gpu&nazwa=rtx+4070+nvidia": nil, // not its name
	} {
		if diff := cmp.Diff(want, texts(open(t, a, path), ".alert.warning"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
