package aggregator

import (
	"testing"

	"backend.example/deploy/sandbox/aggregator/catalogue"
)

func TestParseAddress(t *testing.T) {
	search := func(head, query string) address { return address{head: head, searched: true, query: query} }
	cases := map[string]address{
		"/":                                          {},
		"/;szukaj-iphone+15":                         search("", "iphone 15"),
		"/szukaj-haribo+wummis":                      search("", "haribo wummis"),
		"/Karty_graficzne;szukaj-RTX+4070+SUPER":     search("Karty_graficzne", "RTX 4070 SUPER"),
		"/;szukaj-s%C5%82uchawki%20sony":             search("", "słuchawki sony"),
		"/;szukaj-a%3Bb%2Fc%2Bd":                     search("", "a;b/c+d"),
		"/;szukaj-++dwa+++s%C5%82owa++":              search("", "dwa słowa"),
		"/;szukaj-":                                  search("", ""),
		"/;szukaj-ok%FF%00":                          search("", "ok"),
		"/138536500":                                 {head: "138536500"},
		"/138536500;0280-0.htm":                      {head: "138536500", order: "0280-0"},
		"/138536500;0282-1;02516.htm":                {head: "138536500", order: "0282-1"},
		"/Dyski;0112-0.htm":                          {head: "Dyski", order: "0112-0"},
		"/Dyski;m2000;n2800.htm":                     {head: "Dyski", from: catalogue.PLN(2000), to: catalogue.PLN(2800)},
		"/Dyski;0020-30-0-0-2.htm":                   {head: "Dyski", page: 2},
		"/Dyski;szukaj-ssd;0112-0;0020-30-0-0-1.htm": {head: "Dyski", searched: true, query: "ssd", order: "0112-0", page: 1},
		"/Dyski;;":                                   {head: "Dyski"},
		"/Captcha/Add":                               {head: "Captcha/Add"},
	}
	for path, want := range cases {
		if got := parseAddress(path); got != want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", path, got, want)
		}
	}
}

func TestListAddressesReadBack(t *testing.T) {
	cases := []string{
		"/;szukaj-RTX+4070;0020-30-0-0-3.htm",
		"/Karty_graficzne;szukaj-s%C5%82owo;0112-0;0020-30-0-0-3.htm",
		"/Dyski;0112-0;m100;n900;0020-30-0-0-3.htm",
		"/Dyski;0020-30-0-0-3.htm",
	}
	for _, path := range cases {
		if got := parseAddress(path).list(3); got != path {
			t.Errorf("got %s, want %s", got, path)
		}
	}
	if got := parseAddress("/Dyski;szukaj-a;0020-30-0-0-3.htm").list(0); got != "/Dyski;szukaj-a" {
		t.Errorf("first page: got %s", got)
	}
}

func TestIsProduct(t *testing.T) {
	for head, want := range map[string]bool{
		"12345": true, "138536500": true, "1234": false, "1234567890": false, "12a45": false, "": false, "-12345": false,
	} {
		if got := (address{head: head}).isProduct(); got != want {
			t.Errorf("isProduct(%q) = %t", head, got)
		}
	}
}

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{
		1: "1 opinia", 2: "2 opinie", 4: "4 opinie", 5: "5 opinii", 11: "11 opinii", 12: "12 opinii", 14: "14 opinii",
		21: "21 opinii", 22: "22 opinie", 112: "112 opinii", 1754: "1754 opinie",
	} {
		if got := counted(n, "opinia", "opinie", "opinii"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
