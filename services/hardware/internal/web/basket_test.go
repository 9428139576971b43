package web

import (
	"net/url"
	"slices"
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
		"gpu=ab&cpu=%00%00%00&case=---":      "/x", // no names of parts
		"tytul=+Do++gier+&gpu=RTX+5090":      "/x?gpu=RTX+5090&tytul=Do+gier",
		"limit=5000,5&gpu=RTX+5090":          "/x?gpu=RTX+5090&limit=5000.5",
		"limit=dużo&gpu=RTX+5090":            "/x?gpu=RTX+5090",
		"szukaj=abc&toaster=abc&gpu=ab%26cd": "/x?gpu=ab%26cd",
		"psu=" + strings.Repeat("a", 201):    "/x",
	} {
		b := parse(t, query)
		if got := address("/x", b); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if again := parse(t, strings.TrimPrefix(strings.TrimPrefix(address("/x", b), "/x"), "?")); !slices.EqualFunc(
			again.Items, b.Items, same,
		) {
			t.Errorf("%s: %v became %v", query, b, again)
		}
	}
}

func same(a, b item) bool { return a.Kind.Key == b.Kind.Key && a.Query == b.Query }

func TestBasketIsBounded(t *testing.T) {
	var query []string
	for n := range 40 {
		query = append(query, "ram=Kit+"+strings.Repeat("x", n+1))
	}
	b := parse(t, strings.Join(query, "&"))
	if len(b.Items) != 20 || b.Dropped != 20 {
		t.Errorf("%d parts, %d dropped", len(b.Items), b.Dropped)
	}
}

func TestBasketChangesLeaveTheOldOne(t *testing.T) {
	b := parse(t, "cpu=Ryzen+7&gpu=RTX+5090&ram=Kit+A")
	gpu := kindOf("gpu")
	if got := address(
		"/", b.with(gpu, catalog.Query{Text: "RX 9070", Category: "gpu"}),
	); got != "/?cpu=Ryzen+7&gpu=RX+9070&ram=Kit+A" {
		t.Errorf("replaced: %s", got)
	}
	if got := address(
		"/", b.with(kindOf("ram"), catalog.Query{Text: "Kit B", Category: "ram"}),
	); got != "/?cpu=Ryzen+7&gpu=RTX+5090&ram=Kit+A&ram=Kit+B" {
		t.Errorf("added: %s", got)
	}
	if got := address("/", b.without(0), "b", "1"); got != "/?b=1&gpu=RTX+5090&ram=Kit+A" {
		t.Errorf("removed: %s", got)
	}
	if got := address("/", b); got != "/?cpu=Ryzen+7&gpu=RTX+5090&ram=Kit+A" {
		t.Errorf("the old one became %s", got)
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

func TestKindsCoverTheDomain(t *testing.T) {
	var categories, families []string
	for _, k := range kinds() {
		if k.Category != "" {
			categories = append(categories, string(k.Category))
		}
		for _, f := range k.Families {
			families = append(families, string(f))
			if kindOf(f).Key != k.Key || familyName(f) == "" {
				t.Errorf("family %s of kind %s", f, k.Key)
			}
		}
		if got, err := parseKind(k.Key); err != nil || got.Key != k.Key {
			t.Errorf("%s: %v", k.Key, err)
		}
	}
	for what, lists := range map[string][2][]string{
		"categories": {categories, catalog.Categories()}, "families": {families, catalog.Families()},
	} {
		slices.Sort(lists[0])
		slices.Sort(lists[1])
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: %v, want %v", what, lists[0], lists[1])
		}
	}
}
