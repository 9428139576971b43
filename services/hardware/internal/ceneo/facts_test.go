package ceneo

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// pageParts are the short names of parts of product pages in testdata/facts.
var pageParts = strings.NewReplacer("<a>", heading, "<ld>", `<script type="application/ld+json">`, "</ld>",
	"</script>", "<tab>", `<span class="page-tab__title">`, "</tab>", "</span>", "<offer>", offerOf("a", "10", ""),
	"<used>", offerOf("a", "10", `<i class="short-name__txt">A używana</i>`),
	"<offer of b for 15>", offerOf("b", "15", ""))

func offerOf(shop, price, content string) string {
	return list(`data-price="`+price+`" data-shopurl="`+shop+`.pl"`, content)
}

// said names the facts that a page says, without those in usual.
func said(names, facts []string, usual ...string) string {
	var said []string
	for i, fact := range facts {
		if fact != "" && !slices.Contains(usual, fact) {
			said = append(said, strings.TrimSpace(names[i]+" "+fact))
		}
	}
	return strings.Join(said, ", ")
}

// TestPagesSayWhatTheirPartsSay reads parts of pages as testdata/facts states them.
func TestPagesSayWhatTheirPartsSay(t *testing.T) {
	rowNames := slices.Concat([]string{""}, rowFacts[1:])
	for file, read := range map[string]func(html string) (string, error){
		"search": func(html string) (string, error) {
			rows, err := parseSearch(strings.NewReader(html))
			read := []string{}
			for _, row := range rows {
				read = append(read, said(rowNames, factsOfRow(row, ""), "product", "no"))
			}
			if rows == nil {
				read = []string{"nothing found"}
			}
			return strings.Join(read, "; "), err
		},
		"offer": func(html string) (string, error) {
			if !strings.HasPrefix(html, "<ul") {
				html = offerOf("a", "10", html)
			}
			p, err := readProduct(heading + html)
			if len(p.offers) == 0 {
				return "sold out", err
			}
			return said(offerFacts, factsOfOffer(p.offers[0]), "a.pl", "10.00"), err
		},
		"product": func(html string) (string, error) {
			p, err := readProduct(pageParts.Replace(html))
			return fmt.Sprintf("%s: %d for %v to %v, %d shown, %d read", p.name, p.count, p.low, p.high, p.shown,
				len(p.offers)), err
		},
	} {
		for _, line := range truth(t, "facts/"+file) {
			got, err := read(line[1])
			if errors.Is(err, errLayout) {
				got = "unknown layout"
			}
			if got != line[0] {
				t.Errorf("%s: %s: %q, want %q", file, line[1], got, line[0])
			}
		}
	}
}

func TestRowsAndTitlesAreBounded(t *testing.T) {
	row := `<div class="cat-prod-row" data-pid="1"><p class="cat-prod-row__name"><a href="/1">RTX</a></p></div>`
	if rows, err := parseSearch(strings.NewReader(strings.Repeat(row, 250))); err != nil || len(rows) != 200 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	for title, want := range map[string]string{
		strings.Repeat("ż", 201):                strings.Repeat("ż", 200),
		"A " + strings.Repeat("ż", 197) + " żż": "A " + strings.Repeat("ż", 197),
	} {
		p, err := readProduct(heading + offerOf("a", "10", `<i class="short-name__txt">`+title+`</i>`))
		if err != nil || p.offers[0].Title != want {
			t.Errorf("%+v, %v; want %q", p.offers, err, want)
		}
	}
}
