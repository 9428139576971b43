package ceneo_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"backend.example/deploy/sandbox/ceneo"
	"backend.example/deploy/sandbox/fake/faketest"
)

// marks are the classes of adverts and stock.
var marks = regexp.MustCompile(`unavailable|outofstock|instock|promoted`)

// outline returns the text of an element and, sorted, the addresses, data and marks of
// adverts and stock of all in it.
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

// TestShopsStayTheSame compares rows, products, offers and redirects with what was served
// when the demo and the tests of the hardware service were written for them.
func TestShopsStayTheSame(t *testing.T) {
	f := ceneo.New()
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
				fmt.Fprintln(&got, attr(s, "property"), attr(s, "content"), text(s))
			})
		page.Find("title, h1, .count, .pagination, .not-found, .highlighted-offers a, .page-tabs, .breadcrumbs, " +
			".cat-prod-box, .cat-prod-row, .product-top, .product-offers__list__item, .product-offers__list__ado-item").
			Each(func(_ int, s *goquery.Selection) {
				fmt.Fprintln(&got, outline(s))
			})
	}
	faketest.Kept(t, "shops.txt", got.String())
}
