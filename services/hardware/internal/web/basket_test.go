package web

import (
	"net/url"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

func parse(t *testing.T, query string) basket {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return parseBasket(values)
}

func TestBasketIsItsAddress(t *testing.T) {
	for query, want := range map[string]string{
		"":                                   "/x",
		"gpu=RTX+5090&cpu=Ryzen+7":           "/x?cpu=Ryzen+7&gpu=RTX+5090",
		"gpu=RTX+5090&gpu=RTX+5080":          "/x?gpu=RTX+5080", // a build has one
		"ram=Kit+A&ram=kit++a&ram=Kit+B":     "/x?ram=kit+a&ram=Kit+B",
		"storage=SSD+A&storage=SSD+B":        "/x?storage=SSD+A&storage=SSD+B",
		"usb=Stick+A&usb=Stick+B":            "/x?usb=Stick+A&usb=Stick+B",
		"gpu=ab&cpu=%00%00%00&case=---":      "/x", // no names of parts
		"tytul=+Do++gier+&gpu=RTX+5090":      "/x?gpu=RTX+5090&tytul=Do+gier",
		"limit=5000,5&gpu=RTX+5090":          "/x?gpu=RTX+5090&limit=5000.5",
		"limit=dużo&gpu=RTX+5090":            "/x?gpu=RTX+5090",
		"szukaj=abc&toaster=abc&gpu=ab%26cd": "/x?gpu=ab%26cd",
		"psu=" + strings.Repeat("a", 201):    "/x",
	} {
		if got := address("/x", parse(t, query)); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if again := address("/x", parse(t, strings.TrimPrefix(strings.TrimPrefix(want, "/x"), "?"))); again != want {
			t.Errorf("%s became %s", want, again)
		}
	}
}

func TestBasketChangesLeaveTheOldOne(t *testing.T) {
	b := parse(t, "cpu=Ryzen+7&gpu=RTX+5090&ram=Kit+A")
	for name, tt := range map[string]struct{ got, want string }{
		"replaced": {
			address("/", b.with(kindOf("gpu"), catalog.Query{Text: "RX 9070"})), "/?cpu=Ryzen+7&gpu=RX+9070&ram=Kit+A",
		},
		"added": {
			address("/", b.with(kindOf("ram"), catalog.Query{Text: "Kit B"})),
			"/?cpu=Ryzen+7&gpu=RTX+5090&ram=Kit+A&ram=Kit+B",
		},
		"removed":  {address("/", b.without(0), "b", "1"), "/?b=1&gpu=RTX+5090&ram=Kit+A"},
		"the same": {address("/", b), "/?cpu=Ryzen+7&gpu=RTX+5090&ram=Kit+A"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %s, want %s", name, tt.got, tt.want)
		}
	}
}

func TestTitle(t *testing.T) {
	for title, want := range map[string]string{
		"": "", " Do\tgier \n": "Do gier", "\u202eźle\x00\u200b": "źle", "a\xffb": "ab",
		strings.Repeat("ż ", 100): strings.Repeat("ż ", 29) + "ż", "<b>": "<b>",
	} {
		if got := parseTitle(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}
