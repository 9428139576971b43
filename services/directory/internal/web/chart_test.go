package web

import (
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"math"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/site"
	"backend.example/services/internal/kit/testkit"
)

// moment is a time at which it is already the next day, November 22nd, in Poland.
var moment = time.Date(2026, time.November, 21, 23, 5, 0, 0, time.UTC)

func TestCharts(t *testing.T) {
	const hostile, escaped = `<script>"&'`, "&lt;script"
	charts := template.Must(template.ParseFS(files, "templates/partials/charts.html"))
	// draw returns a chart, which has to be well-formed XML without anything that the
	// Content-Security-Policy forbids.
	draw := func(t *testing.T, name string, view any) string {
		t.Helper()
		var out strings.Builder
		if err := charts.ExecuteTemplate(&out, name, view); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		decoder := xml.NewDecoder(strings.NewReader(text))
		for {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
		}
		for _, unwanted := range []string{"<script", "style=", "NaN", "Inf", "%!"} {
			if strings.Contains(text, unwanted) {
				t.Errorf("%s is in\n%s", unwanted, text)
			}
		}
		return text
	}
	// day is the point of the n-th day after moment.
	day := func(n int, value float64, broken string) chartPoint {
		return chartPoint{At: moment.AddDate(0, 0, n), Value: value, Break: broken}
	}
	line := func(points ...chartPoint) *lineChart {
		return newLineChart("it", hostile, 100, time.Time{}, time.Time{}, points)
	}
	wants := func(t *testing.T, text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("no %s in\n%s", part, text)
			}
		}
	}
	for _, test := range []struct {
		name, template string
		view           any
		wants          []string // parts of the markup
	}{
		{"line", "line", line(day(0, 0, ""), day(3, 50, ""), day(4, 250, "")), []string{
			`viewBox="0 0 8 96"`, `d="M0 96L6 48L8 0"`, `d="M0 96L0 96L6 48L8 0L8 96z"`, `<rect x="3" width="4"`,
			"<title>22\u00a0listopada: 0</title>", "od 22 do 26\u00a0listopada 2026: od 0 do 250",
			">26\u00a0listopada</text>",
			`y1="8" y2="8"/>`, `y="12" text-anchor="end">100<`, `y1="56" y2="56"/>`, `y="60" text-anchor="end">50<`,
			`y1="104" y2="104"/>`, `y="108" text-anchor="end">0<`}},
		{"interrupted line", "line", line(day(0, 0, ""), day(3, 50, hostile), day(4, 100, "")), []string{
			`cx="0%" cy="104"`, `d="M6 48L8 0"`, `d="M6 96L6 48L8 0L8 96z"`, `class="chart-break" x1="75%"`,
			"50 (" + escaped}},
		{"single point", "line", line(day(0, 33.3, "")),
			[]string{`cx="100%"`, "33,3", ">22\u00a0listopada</text>", `y="122" text-anchor="end"></text>`}},
		{"two points on a day", "line", line(day(0, 1, "x"), chartPoint{At: moment.Add(90 * time.Minute), Value: 2},
			day(3, 3, "")), []string{
			`d="M0 94L6 93"`, "22\u00a0listopada: 2 (x)"}},
		{"two years", "line", line(day(0, 1, ""), day(365, 1, "")),
			[]string{">22\u00a0lis 2026<", ">22\u00a0lis 2027<", "<title>22\u00a0listopada 2027: 1</title>"}},
		{"no points", "line", line(), []string{`y="122" text-anchor="end"></text>`}},
		{"gauge", "gauge", gauge{ID: "it", Title: hostile, Value: 82.5, Max: 100, Text: "82,5", Caption: "na 100",
			Level: site.Good}, []string{
			`class="chart gauge good"`, `stroke-dasharray="82.5 200"`, ": 82,5 na 100</title>"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := draw(t, test.template, test.view)
			wants(t, text, test.wants...)
			wants(t, text, `role="img"`, `aria-labelledby="it-title`, `<title id="it-title">`+escaped)
		})
	}
	spark := draw(t, "spark", line(day(0, 0, ""), day(1, 50, "x"), day(2, 100, "")))
	wants(t, spark, `d="M2 16L4 0"`, `aria-hidden="true"`)
	for _, empty := range []gauge{{ID: "it", Max: 100, Text: "0"}, {ID: "it"},
		{ID: "it", Value: math.NaN(), Max: 100}} {
		text := draw(t, "gauge", empty)
		wants(t, text, `class="chart gauge"`)
		if strings.Contains(text, "gauge-fill") {
			t.Errorf("an empty gauge is filled:\n%s", text)
		}
	}
	testkit.Equal(t, "an interrupted line is broken", line(day(0, 1, ""), day(1, 1, "x")).Broken(), true)
	testkit.Equal(t, "a whole line is broken", line(day(0, 1, "")).Broken(), false)
}

// A sum begins on the first day on which both accounts are known.
func TestTwoAccountsTogether(t *testing.T) {
	day := func(n int, value float64) chartPoint { return chartPoint{At: moment.AddDate(0, 0, n), Value: value} }
	early, late := []chartPoint{day(0, 10), day(3, 12)}, []chartPoint{day(2, 5)}
	first := site.Day(moment).AddDate(0, 0, 2)
	want := []chartPoint{{At: first, Value: 15}, {At: first.AddDate(0, 0, 1), Value: 17}}
	for _, got := range [][]chartPoint{together(early, late), together(late, early)} {
		testkit.Equal(t, "sums", got, want)
	}
}

// A sum is as old as the older of its channels, and stale if either is.
func TestFollowersOfBothChannels(t *testing.T) {
	older := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	newer := older.Add(time.Minute)
	read := func(pair provider.Pair, at time.Time, stale bool) panel {
		of := measure{Value: "10", known: []chartPoint{{At: at, Value: 10}}}
		return panel{channel: channelOf(pair), SyncedAt: at, Stale: stale, Measures: []measure{of}}
	}
	for name, panels := range map[string][]panel{
		"the older is stale": {read(provider.PagesPair, newer, false), read(provider.PhotosPair, older, true)},
		"the newer is stale": {read(provider.PagesPair, newer, true), read(provider.PhotosPair, older, false)},
	} {
		shown := headlines(panels, span{Days: 28})
		followers := shown[len(shown)-1]
		testkit.Equal(t, name+": stale", followers.Stale, true)
		testkit.Equal(t, name+": as of", followers.AsOf, older)
	}
}

// A login leads to a page of ours, as every browser reads the address.
func FuzzOwnPath(f *testing.F) {
	for _, seed := range []string{
		"/konto/audyt?x=1", "/audyt/piekarnia", "https://evil.example/konto/", "//evil.example/konto/x",
		`/\evil.example/konto/`, `\\evil.example`, "/konto/../../evil",
		"/konto//evil.example", "javascript:alert(1)//konto/", "/konto/%2e%2e/%2e%2e/api", "/konto/\t//evil",
		"/konto/x#//evil", "http:/konto/x", "/konto/%0d%0aX: y", "", "/%6bonto/x", "/konto/?a\\b", "/",
		"///evil.example", "konto/audyt", "/api/auth/me", "//konto/audyt",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		got := ownPath(address)
		u, err := url.Parse("https://firmy.example" + got)
		if err != nil {
			t.Fatalf("%q leads to %q, which is no address: %v", address, got, err)
		}
		if u.Host != "firmy.example" || u.User != nil {
			t.Errorf("%q leads to %q, which is another site", address, got)
		}
		if path.Clean(u.Path) != u.Path {
			t.Errorf("%q leads to %q, whose path is not clean", address, got)
		}
		if !strings.HasPrefix(got, "/konto/") && !strings.HasPrefix(got, "/audyt/") {
			t.Errorf("%q leads to %q, which is no page of an account or audit", address, got)
		}
		if strings.ContainsAny(got, "\r\n\t\x00") {
			t.Errorf("%q leads to %q, which has control characters", address, got)
		}
		if again := ownPath(got); again != got {
			t.Errorf("%q leads to %q, and that to %q", address, got, again)
		}
	})
}

func TestAskedIn(t *testing.T) {
	for scope, want := range map[string][]string{
		"openid https://www.googleapis.com/auth/webmasters.readonly": {"odczyt danych o witrynie w Search Console"},
		"pages_show_list,nowa_zgoda": {"lista stron na Facebooku, którymi zarządzasz",
			"nowa_zgoda"},
		"": nil,
		"https://www.googleapis.com/auth/business.manage": {
			"zarządzanie Profilem Firmy (Google nie ma zgody na sam odczyt; my tylko czytamy)",
		},
		"pages_show_list,pages_read_engagement,read_insights,instagram_basic,instagram_manage_insights," +
			"business_management": {
			"lista stron na Facebooku, którymi zarządzasz", "odczyt treści tych stron i liczby obserwujących",
			"odczyt statystyk stron",
			"odczyt połączonego konta na Instagramie i jego publikacji", "odczyt statystyk konta na Instagramie",
			"dostęp do stron w portfolio firmy",
		},
	} {
		got := askedIn("https://consent.example/auth?" + url.Values{"scope": {scope}}.Encode())
		testkit.Equal(t, "asked in "+scope, got, want)
	}
	if got := askedIn("https://consent.example/%zz?scope=a"); got != nil {
		t.Errorf("an address that cannot be read asks for %q", got)
	}
}

// TestEveryServiceIsOffered checks that the pages have texts for each service and provider: without
// them they show a card without a name and a button.
func TestEveryServiceIsOffered(t *testing.T) {
	for _, p := range provider.Pairs() {
		if channelOf(p).Benefit == "" {
			t.Errorf("%s has no channel", p)
		}
		if offers[p.Provider].Button == "" {
			t.Errorf("%s has no offer", p.Provider)
		}
	}
}
