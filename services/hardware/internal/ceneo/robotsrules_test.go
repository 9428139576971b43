package ceneo

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"backend.example/services/hardware/internal/lookup"
)

// robotsRules are the rules for everybody in a robots.txt.
func robotsRules(file string) []string {
	_, group, _ := strings.Cut(file, "User-agent: *\n")
	if end := strings.Index(strings.ToLower(group), "user-agent:"); end >= 0 {
		group = group[:end]
	}
	rules := strings.Fields(strings.ReplaceAll(group, ": ", ":"))
	slices.Sort(rules)
	return rules
}

func TestTheRulesAreThoseOfTheSite(t *testing.T) {
	want := robotsRules(capture(t, "robots.txt"))
	if got := robotsRules(fixture(t, "robots.txt")); len(got) < 50 || !slices.Equal(got, want) {
		t.Errorf("%d rules, the site has %d:\n got %q\nwant %q", len(got), len(want), got, want)
	}
}

func TestTheRulesOfTheSiteAreObeyed(t *testing.T) {
	s, a, _ := openStub(t)
	s.on(robotsPath, text(200, fixture(t, "robots.txt")))
	for address, open := range map[string]bool{
		"/Karty_graficzne;szukaj-rtx+4070":        true,
		"/Podzespoly_komputerowe;szukaj-rtx+4070": true,
		"/Komputery;szukaj-dysk+2%2C5%22":         true,
		"/155000002":                              true,
		"/155000002;0280-0.htm":                   true,
		"/;szukaj-rtx+4070":                       false,
		"/;szukaj-":                               false,
		"/;0201-30-0-0-1.htm":                     false,
		"/Komputery;szukaj-dysk+u-sl":             false,
		"/Komputery;szukaj-dysk+u-slim":           true,
		"/Komputery;sl":                           false,
		"/Komputery;szukaj-x-basket":              false,
		"/Komputery;017P1-2-3-4.htm":              false,
		"/Komputery/Lokalizacja:Krakow;m5;n9.htm": false,
		"/Komputery?e=1":                          false,
		"/search-x":                               false,
		"/Search-x":                               false,
		"/Product/155000002":                      false,
		"/porownanie/a-p1-vs-b-p2":                true,
	} {
		_, err := newSession(t.Context(), &lookup.Request{}, a.client).open(s.URL+address, nil)
		if errors.Is(err, colly.ErrRobotsTxtBlocked) == open {
			t.Errorf("%s: %v, want it open: %t", address, err, open)
		}
	}
}

func TestOneOddLineDoesNotMakeARobotsTxtUnreadable(t *testing.T) {
	for name, file := range map[string]string{
		"delay in words":       "User-agent: *\nCrawl-delay: soon\nDisallow: /Karty\n",
		"delay below zero":     "User-agent: *\nCrawl-delay: -1\nDisallow: /Karty\n",
		"rule before a name":   "Allow: /\nUser-agent: *\nDisallow: /Karty\n",
		"carriage returns":     "User-agent: *\r\nDisallow: /Karty\r\n",
		"byte order mark":      "\ufeffUser-agent: *\nDisallow: /Karty\n",
		"unknown lines":        "hello\nUser-agent: *\nHost:\nNoindex: /\nSitemap: x\n\nDisallow: /Karty # cards\n",
		"no end of line":       "User-agent: *\nDisallow: /Karty",
		"another letter case":  "USER-AGENT : *\ndisallow : /Karty\n",
		"a delay without end":  "User-agent: *\nCrawl-delay: 1e300\nDisallow: /Karty\n",
		"two names, one group": "User-agent: otherbot\nUser-agent: *\nDisallow: /Karty\n",
	} {
		s, a, _ := openStub(t)
		s.on(robotsPath, text(200, file))
		if _, err := newSession(t.Context(), &lookup.Request{}, a.client).open(s.URL+searchPath, nil); !errors.Is(err, colly.ErrRobotsTxtBlocked) {
			t.Errorf("%s: %v, want it closed", name, err)
		}
		if _, err := newSession(t.Context(), &lookup.Request{}, a.client).open(s.URL+plainPath, nil); err != nil {
			t.Errorf("%s: %v for an open address", name, err)
		}
	}
}

func TestThePacerLearnsTheDelayThatTheSiteAsksFor(t *testing.T) {
	for name, tt := range map[string]struct {
		file string
		want time.Duration
	}{
		"the real file":     {fixture(t, "robots.txt"), 0},
		"for everybody":     {"User-agent: *\nCrawl-delay: 5\n", 5 * time.Second},
		"with a comment":    {"User-agent: *\nCrawl-delay: 5 # seconds\n", 5 * time.Second},
		"half a second":     {"User-agent: *\nCrawl-delay: 0.5\n", 500 * time.Millisecond},
		"for us":            {"User-agent: *\nCrawl-delay: 5\n\nUser-agent: Hardware-Test\nCrawl-delay: 7\n", 7 * time.Second},
		"for another":       {"User-agent: *\nDisallow: /x\n\nUser-agent: otherbot\nCrawl-delay: 120\n", 0},
		"longer than we do": {"User-agent: *\nCrawl-delay: 1e300\n", maxCrawlDelay},
		"in words":          {"User-agent: *\nCrawl-delay: soon\n", 0},
		"no file":           {"", 0},
	} {
		s, a, pacer := openStub(t)
		s.on(robotsPath, text(200, tt.file))
		mustFind(t, a, query("RTX 4070"))
		mustFind(t, a, query("RTX 4070"))
		if !slices.Equal(pacer.apart, []time.Duration{tt.want}) {
			t.Errorf("%s: %v, want %v once", name, pacer.apart, tt.want)
		}
	}
}
