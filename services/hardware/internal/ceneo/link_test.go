package ceneo

import (
	"testing"
)

func TestLinksBecomeWebAddresses(t *testing.T) {
	base := mustParse(t, "https://www.ceneo.pl/1;0280-0.htm")
	tests := map[string]string{
		" /Click/Offer/?e=1&a=2 ":   "https://www.ceneo.pl/Click/Offer/?e=1&a=2",
		"//shop.example/x":          "https://shop.example/x",
		"http://shop.example/":      "http://shop.example/",
		"/x?q=a b\"<ą":              "https://www.ceneo.pl/x?q=a%20b%22%3C%C4%85",
		"":                          "",
		"#top":                      "",
		"javascript:alert(1)":       "",
		"ftp://shop.example/":       "",
		"https:///x":                "",
		"https://user@shop.example": "",
		"https://u:p@shop.example":  "",
		"https://shop<.example/":    "",
		"//0::0":                    "",
	}
	for href, want := range tests {
		if got := absolute(base, href); got != want {
			t.Errorf("absolute(%q) = %q, want %q", href, got, want)
		}
	}
}
