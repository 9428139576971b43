package audit

import (
	"strings"
	"testing"
)

func TestAddressParts(t *testing.T) {
	for address, want := range map[string]int{
		"ul. Długa 12, 00-238 Warszawa":               3,
		"Długa 12, 00-238 Warszawa, Polska":           3,
		"ul. Długa 12A/4, 00-238 Warszawa":            3,
		"ul. Długa 12-14 lok. 5, 00-238 Warszawa":     3,
		"ul. Długa 12 lok. 5, II piętro, 00-238 Łódź": 3,
		"al. 3 Maja 7, 00-401 Warszawa":               3,
		"al. 3 Maja, 00-401 Warszawa":                 2,
		"os. Centrum A 7, 31-923 Kraków":              3,
		"Wólka 12, 05-300 Mińsk Mazowiecki":           3,
		"31-021 Kraków, ul. Floriańska 12":            3,
		"ul. Floriańska 12 31-021 Kraków":             3,
		"ul. Floriańska 12\n31-021 Kraków":            3,
		"ul. Floriańska 12  31-021 Kraków":            3,
		"ul. Floriańska 12  , 31-021 Kraków":          3,
		"ul. Floriańska 12, Kraków, 31-021":           3,
		"ul. Floriańska 12, ---":                      1,
		"3 Maja, 00-401":                              1,
		"ul. Długa 12, Polska":                        1,
		"Rynek, Kraków":                               1,
		"31-021":                                      1,
		"plac Wolności":                               0,
		"Polska":                                      0,
		"123-456":                                     0,
		"":                                            0,
		", ,\n":                                       0,
	} {
		if got := addressParts(address); got != want {
			t.Errorf("addressParts(%q) = %d, want %d", address, got, want)
		}
	}
}

func TestValidPhone(t *testing.T) {
	for phone, want := range map[string]bool{
		"12 421 00 12":                   true,
		"124210012":                      true,
		"(12) 421-00-12":                 true,
		"+48 12 421 00 12":               true,
		"+48\u00a0600\u00a0700\u00a0800": true,
		"0048 600 700 800":               true,
		"+49 30 901820":                  true,
		"+1 (650) 253-0000":              true,
		"+44 20 7946 0958":               true,
		"+380 44 123 45 67":              true,
		"+123456789012345":               true,
		"+1234567890123456":              false,
		"+1234567":                       false,
		"+48 12 421 00 1":                false,
		"+48 12 421 00 123":              false,
		"+48 012 421 00 1":               false,
		"012 421 00 1":                   false,
		"421 00 12":                      false,
		"12 421 00 12 wew. 5":            false,
		"49 30 901820 11":                false,
		"brak":                           false,
		"":                               false,
	} {
		if got := validPhone(phone); got != want {
			t.Errorf("validPhone(%q) = %t", phone, got)
		}
	}
}

func TestWebsiteScheme(t *testing.T) {
	for website, want := range map[string]string{
		"https://firma.pl":        "https",
		"HTTPS://Firma.PL/o-nas":  "https",
		"http://firma.pl:8080/":   "http",
		"firma.pl":                "http",
		"www.firma.pl/kontakt?a=": "http",
		"https://łódź.pl":         "https",
		"https://localhost":       "",
		"https://":                "",
		"https://firma.":          "",
		"ftp://firma.pl":          "",
		"biuro@firma.pl":          "",
		"nasza firma.pl":          "",
		"mailto:a@b.pl":           "",
		"javascript:alert(1.2)":   "",
		"https://a.pl:x":          "",
	} {
		if got := websiteScheme(website); got != want {
			t.Errorf("websiteScheme(%q) = %q, want %q", website, got, want)
		}
	}
}

func TestOpenDays(t *testing.T) {
	for hours, want := range map[string]int{
		"":                          0,
		"jak zwykle":                0,
		"nie dotyczy":               0,
		"poniedziałek: 08:00–16:00": 1,
		"pn-pt 8-16":                5,
		"Pon. – Pt.: 8:00–16:00, sob. 9–13":       6,
		"od poniedziałku do piątku 8-16":          5,
		"PONIEDZIAŁEK-NIEDZIELA 10-22":            7,
		"pon 8-16, wt 8-16, śr 8-16":              3,
		"pn. 8 - 16; czw. 8 - 16":                 2,
		"sob–pon 10–14":                           3,
		"pn, pn, pn":                              1,
		"codziennie 10–22":                        7,
		"24/7":                                    7,
		"wt 9-17\nczw 9-17":                       2,
		"pn i czw 8–16":                           2,
		"od 8 do pt":                              1,
		"poniedziałek 8–16\nniedziela: zamknięte": 2,
	} {
		if got := openDays(strings.Split(hours, "\n")); got != want {
			t.Errorf("openDays(%q) = %d, want %d", hours, got, want)
		}
	}
}
