package ceneo

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"backend.example/deploy/sandbox/fake"
)

var update = flag.Bool("update", false, "keep what the fake serves in testdata")

const (
	processor = "/97024746" // a product with 24 shops
	disk      = "/Dyski;szukaj-Seagate+BarraCuda+2TB"
)

func do(f *fake.Fake, method, target string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	request.Host = "127.0.0.1:9092"
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, request)
	return recorder
}

func TestResponses(t *testing.T) {
	f := New()
	for _, c := range []struct {
		method, target string
		status         int
		want           string // the location, or a part of the body
	}{
		{"GET", "/;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"HEAD", "/;szukaj-RTX+4070", 200, ""},
		{"GET", "/Karty_graficzne;szukaj-RTX+4070", 200, `<meta name="robots" content="noindex,follow">`},
		{"GET", "/Komputery;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"GET", "/Obudowy;szukaj-obudowa", 200, `data-pagecount="1"`},
		{"GET", "/Karty_graficzne;szukaj-RTX", 200, `data-pagecount="3"`}, // of 70 products
		{"GET", "/Dyski;szukaj-dysk", 200, `data-pagecount="3"`},          // of 90
		{"GET", "/Procesory;szukaj-RTX+4070", 302, "/;szukaj-RTX+4070"},
		{"GET", "/;szukaj-brakwyniku", 200, "nie znaleźliśmy produktów dla zapytania „brakwyniku”"},
		{"GET", "/;szukaj-", 301, "/"},
		{"GET", "/Dyski;szukaj-", 301, "/Dyski"},
		{"GET", "/;szukaj-x", 500, "Wystąpił błąd"},
		{"GET", "/;szukaj-%C5%BC", 500, "Wystąpił błąd"}, // one letter of two bytes
		{"GET", "/Smartfony;szukaj-RTX+4070", 404, "Nie ma takiej kategorii"},
		{"GET", "/;szukaj-amd%20RYZEN++7%207800x3d", 302, processor},
		{"GET", "/Procesory;szukaj-AMD+Ryzen+7+7800X3D", 302, processor},
		{"GET", "/12345678", 404, "Nie ma takiego produktu"},
		{"GET", "/123456789", 404, "Nie ma takiego produktu"},
		{"GET", "/1234567890", 404, "Nie ma takiej strony"},
		{"GET", "/12345", 404, "Nie ma takiego produktu"},
		{"GET", "/1234", 404, "Nie ma takiej strony"},
		{"GET", processor + ";0282-1;02516.htm", 200, "AMD Ryzen 7 7800X3D"},
		{"GET", "/Captcha/Add", 200, "cf-turnstile"},
		{"GET", "/Click/Offer/?e=abc&a=2", 200, "Tu otworzyłby się sklep"},
		{"GET", "/robots.txt", 200, "\nDisallow: /;szukaj\n"},
		{"POST", "/Captcha/Add", 405, "Tej strony nie można tak użyć"},
	} {
		answer := do(f, c.method, c.target)
		body := answer.Body.String()
		if answer.Code != c.status {
			t.Errorf("%s %s: got status %d, want %d", c.method, c.target, answer.Code, c.status)
		}
		if location := answer.Header().Get("Location"); location != "" && location != c.want {
			t.Errorf("%s %s: redirects to %q, want %q", c.method, c.target, location, c.want)
		} else if location == "" && !strings.Contains(body, c.want) {
			t.Errorf("%s %s: got %.300q, want %q in it", c.method, c.target, body, c.want)
		}
		blocked := regexp.MustCompile(`fdetection|js_f-container|Just a moment|cf-turnstile`).MatchString(body)
		if isCaptcha := c.target == "/Captcha/Add" && c.method == "GET"; blocked != isCaptcha {
			t.Errorf("%s %s: looks blocked: %t, want %t", c.method, c.target, blocked, isCaptcha)
		}
		if strings.HasPrefix(body, "<!DOCTYPE") && !strings.Contains(body, "Ta strona jest chroniona przez reCAPTCHA") {
			t.Errorf("%s lacks the branding footer", c.target)
		}
	}
	f.SetFault(fake.Fault{Kind: "captcha"})
	const want = "/Captcha/Add?returnUrl=%2F%3Bszukaj-RTX%2B4070"
	if got := do(f, "GET", "/;szukaj-RTX+4070").Header().Get("Location"); got != want {
		t.Errorf("the captcha redirects to %q, want %q", got, want)
	}
	if got := do(f, "GET", "/Captcha/Add").Code; got != 200 {
		t.Errorf("the captcha page itself: got status %d, want 200", got)
	}
}

// text returns the text of a selection with its white space collapsed.
func text(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }

var marks = regexp.MustCompile(`unavailable|outofstock|instock|promoted`)

// outline returns the text of an element and, sorted, the attributes of all in it that a client reads: addresses,
// titles, data and the classes of adverts and stock.
func outline(s *goquery.Selection) string {
	var attributes []string
	for _, node := range s.Find("*").AddSelection(s).Nodes {
		for _, a := range node.Attr {
			if a.Key == "class" && marks.MatchString(a.Val) {
				attributes = append(attributes, "class="+strings.Join(strings.Fields(a.Val), " "))
			}
			if a.Key == "href" || a.Key == "title" || strings.HasPrefix(a.Key, "data-") {
				attributes = append(attributes, a.Key+"="+a.Val)
			}
		}
	}
	slices.Sort(attributes)
	return text(s) + "\n  " + strings.Join(slices.Compact(attributes), " ")
}

// TestShopsStayTheSame compares rows, products, offers and redirects with what was served when the demo and the
// tests of the hardware service were written for them.
func TestShopsStayTheSame(t *testing.T) {
	f := New()
	var got strings.Builder
	for _, target := range []string{
		processor, processor + ";0280-0.htm", disk, "/136497447", "/Chlodzenie_komputerowe;szukaj-noctua",
		"/;szukaj-lampa+na+biurko+z+bardzo+długim+ramieniem+i+jeszcze+dłuższym+przewodem", "/;szukaj-brakwyniku",
		"/;szukaj-x", "/Captcha/Add", "/Click/Offer/", "/;szukaj-RTX+4070", "/;szukaj-lampa+biurkowa+42",
		"/Dyski;szukaj-%C4%85%C4%99",
	} {
		answer := do(f, "GET", target)
		fmt.Fprintln(&got, "#", target, answer.Code, answer.Header().Get("Location"))
		page, err := goquery.NewDocumentFromReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		page.Find(`meta[property^="product:"], script[type="application/ld+json"]`).
			Each(func(_ int, s *goquery.Selection) {
				fmt.Fprintln(&got, s.AttrOr("property", ""), s.AttrOr("content", ""), text(s))
			})
		page.Find("title, h1, .count, .pagination, .not-found, .highlighted-offers a, .page-tabs, .breadcrumbs, " +
			".cat-prod-box, .cat-prod-row, .product-top, .product-offers__list__item, .product-offers__list__ado-item").
			Each(func(_ int, s *goquery.Selection) {
				fmt.Fprintln(&got, outline(s))
			})
	}
	const kept = "testdata/shops.txt"
	if *update {
		if err := os.WriteFile(kept, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(content), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i == len(want) || line != want[i] {
			t.Fatalf("line %d is\n%s\n(-update keeps what is served)", i+1, line)
		}
	}
	if len(got.String()) != len(content) {
		t.Errorf("%s has more lines", kept)
	}
}

func TestSearchFindsProductsWithTheWords(t *testing.T) {
	list := newInventory()
	for _, c := range []struct {
		query, slug string
		want        string // in every name found; empty if nothing is found
	}{
		{"Ryzen 7 7800X3D", "Procesory", "Ryzen 7 7800X3D"},
		{"rtx4090", "Karty_graficzne", "RTX 4090"},
		{"ryzen7 7800x3d", "Procesory", "Ryzen 7 7800X3D"}, // no name has the first word
		{"990p", "Dyski", "990 PRO"},
		{"plyta glowna b650", "Plyty_glowne", "B650"},
		{"zasilacz 850 W", "Komputery", "850W"},
		{"klocki", "Komputery", "Klocki"},
		{"klocki", "Procesory", ""},
		{"lis", "", "Lis"},
		{"ul", "", ""}, // too short for a word
		{"RTX 4090", "Podzespoly_komputerowe", "RTX 4090"},
		{"akcesoria", "Podzespoly_komputerowe", ""},
		{"RTX 4070 brakwyniku", "Karty_graficzne", ""},
		{"RTX 4070 xq zt", "Karty_graficzne", ""}, // two words are missing
		{"Ryzen kolorowy", "Procesory", ""},       // one of two is missing
		{"AMD Ryzen kolorowy", "Procesory", "Ryzen"},
		{"komputer gamingowy", "Podzespoly_komputerowe", ""},
		{"!!!", "", ""},
	} {
		var found []string
		for _, p := range list.search(c.query, c.slug) {
			found = append(found, p.Name)
		}
		wrong := func(name string) bool { return !strings.Contains(name, c.want) }
		if (len(found) == 0) != (c.want == "") || slices.ContainsFunc(found, wrong) {
			t.Errorf("%q in %q: found %q, want names with %q", c.query, c.slug, found, c.want)
		}
	}
}

func TestExactFindsOneProduct(t *testing.T) {
	list := newInventory()
	for _, c := range []struct {
		query, slug, want string // beginning of the name; empty if not exact
	}{
		{"AMD Ryzen 7 7800X3D", "", "AMD Ryzen 7 7800X3D BOX"},
		{"  amd   RYZEN 7 7800x3d ", "Procesory", "AMD Ryzen 7 7800X3D BOX"},
		{"AMD Ryzen 7 7800X3D", "Dyski", ""},
		{"Ryzen 7 7800X3D", "", ""},
		{"samsung 990 pro 2 TB", "", "Samsung 990 PRO 2TB M.2"},
		{"ALC-13527", "", "Alphacool Core blok wodny"},
		{"Intel Core i5-14600K OEM", "", ""}, // sold by a single shop
	} {
		p, exact := list.exact(c.query, c.slug)
		if exact != (c.want != "") || !strings.HasPrefix(p.Name, c.want) {
			t.Errorf("%q in %q: got %q, exact %t, want %q", c.query, c.slug, p.Name, exact, c.want)
		}
	}
}
