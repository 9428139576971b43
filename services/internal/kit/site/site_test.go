package site_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/settings"
	"backend.example/services/internal/kit/site"
)

func TestPageEscapesItsContent(t *testing.T) {
	o := options()
	o.Notice, o.Theme = "Dane <pokazowe>", "violet"
	body := write(t, newSite(t, o), "greeting", site.Page{
		Title: "Audyt <1>", Scripts: []string{"more.js"}, Data: "Cześć <script>",
	}).Body.String()
	requireText(t, body,
		`<html lang="pl" class="violet">`, "<title>Audyt &lt;1&gt; – Katalog</title>", `<a class="skip" href="#main">`,
		"<h1>Cześć &lt;script&gt;</h1><i>Cześć &lt;script&gt;</i>", "<b>anna@demo.example</b>",
		"<header class=\"site-header\">\n<p class=\"notice\" role=\"note\">Dane &lt;pokazowe&gt;</p>",
		`<script src="/konto/static/more.`,
		`<a class="brand" href="/konto">`, `<a href="/konto/audyt?firma=1" aria-current="page">Audyt</a>`,
		`<a href="/konto/inne">Inne</a>`)
}

func TestPageHeaders(t *testing.T) {
	o := options()
	o.FormTargets = []string{"https://accounts.example"}
	header := write(t, newSite(t, o), "greeting", site.Page{}).Header()
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
		"X-Frame-Options": "DENY",
		"Referrer-Policy": "strict-origin-when-cross-origin", "Cross-Origin-Opener-Policy": "same-origin",
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
			"img-src 'self'; form-action 'self' https://accounts.example; base-uri 'none'; frame-ancestors 'none'",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestFragmentForHEADHasNoBodyAndKeepsCacheControl(t *testing.T) {
	answer, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodHead, "/konto", nil)
	answer.Header().Set("Cache-Control", "no-cache")
	if err := newSite(t, options()).WriteFragment(answer, r, http.StatusCreated, "greeting", "part", "x"); err != nil {
		t.Fatal(err)
	}
	type fragment struct{ Status, ContentLength, CacheControl, Body string }
	h := answer.Header()
	got := fragment{fmt.Sprint(answer.Code), h.Get("Content-Length"), h.Get("Cache-Control"), answer.Body.String()}
	if diff := cmp.Diff(fragment{"201", "8", "no-cache", ""}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFailedRenderingWritesNothing(t *testing.T) {
	o := options()
	o.Files.(fstest.MapFS)["templates/error.html"] = file(`{{define "main"}}<p>{{.Missing}}</p>{{end}}`)
	s := newSite(t, o)
	page := func(name string, data any) func(http.ResponseWriter, *http.Request) error {
		return func(w http.ResponseWriter, r *http.Request) error {
			return s.Write(w, r, http.StatusOK, name, site.Page{Data: data})
		}
	}
	for name, test := range map[string]struct {
		write func(http.ResponseWriter, *http.Request) error
		want  string
	}{
		"no such field": {page("broken", 1), "make page broken"},
		"no such key":   {page("broken", map[string]any{"Other": 1}), "make page broken"},
		"no page":       {page("none", 1), `no page "none"`},
		"fragment": {func(w http.ResponseWriter, r *http.Request) error {
			return s.WriteFragment(w, r, http.StatusOK, "broken", "main", 1)
		}, "make page broken"},
		"error": {func(w http.ResponseWriter, r *http.Request) error {
			_, err := s.WriteError(w, r, http.StatusNotFound, unknown)
			return err
		}, "make page error"},
	} {
		answer := httptest.NewRecorder()
		err := test.write(answer, httptest.NewRequest(http.MethodGet, "/konto", nil))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %q", name, err, test.want)
		}
		if answer.Body.Len() > 0 || len(answer.Header()) > 0 {
			t.Errorf("%s: wrote headers %v and body %q, want nothing", name, answer.Header(), answer.Body)
		}
	}
}

func TestWhichErrorsArePages(t *testing.T) {
	s := newSite(t, options())
	for path, want := range map[string]bool{
		"/": true, "/konto": true, "/konto/": true, "/konto/a/b": true, "/kontoteka": false, "/api/konto": false,
		"/x": false, "//x": false, "": false,
	} {
		answer, r := httptest.NewRecorder(), &http.Request{Method: http.MethodPost, URL: &url.URL{Path: path}}
		written, err := s.WriteError(answer, r, http.StatusBadRequest, fault.New(fault.Invalid, "invalid", "Źle."))
		if err != nil {
			t.Errorf("%q: %v", path, err)
		}
		if written != want {
			t.Errorf("%q: got written %t, want %t", path, written, want)
		}
		if hasBody := answer.Body.Len() > 0; hasBody != written {
			t.Errorf("%q: written is %t, but the body is %q", path, written, answer.Body)
		}
	}
}

func TestOnlyFailedGETsAreRetried(t *testing.T) {
	s := newSite(t, options())
	busy := fault.New(fault.Unavailable, "busy", "Za dużo <pytań>.").After(11200 * time.Millisecond)
	for _, test := range []struct {
		method string
		status int
		again  bool
	}{{"GET", 503, true}, {"GET", 500, true}, {"POST", 503, false}, {"GET", 404, false}} {
		answer := writeError(t, s, test.method, "/konto/x?a=1&b=2", test.status, busy)
		if answer.Code != test.status {
			t.Errorf("%s: got status %d, want %d", test.method, answer.Code, test.status)
		}
		body := answer.Body.String()
		requireText(t, body, "<h1>Za dużo &lt;pytań&gt;.</h1>", " za ", "12\u00a0s", `href="/konto"`)
		for _, part := range []string{`<noscript><meta http-equiv="refresh" content="12"></noscript>`,
			`data-retry="12"`, "/retry."} {
			if got := strings.Contains(body, part); got != test.again {
				t.Errorf("%+v: page with %s: got %t, want %t\n%s", test, part, got, test.again, body)
			}
		}
	}
}

func TestErrorPageReplaces502And504(t *testing.T) {
	s := newSite(t, options())
	for _, status := range []int{http.StatusBadGateway, http.StatusGatewayTimeout} {
		for wait, want := range map[time.Duration]string{0: "5", time.Minute: "60"} {
			answer, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/konto/x", nil)
			if wait != 0 {
				answer.Header().Set("Retry-After", want) // as package httpx does before it calls WriteError
			}
			f := fault.New(fault.Upstream, "source_changed", "Źródło zawiodło.").After(wait)
			if _, err := s.WriteError(answer, r, status, f); err != nil {
				t.Fatal(err)
			}
			if answer.Code != http.StatusServiceUnavailable {
				t.Errorf("%d is written as %d, want 503", status, answer.Code)
			}
			if got := answer.Header().Get("Retry-After"); got != want {
				t.Errorf("%d of a fault with RetryAfter %v: got Retry-After %q, want %q", status, wait, got, want)
			}
			requireText(t, answer.Body.String(), "Błąd 503", `data-retry="`+want+`"`)
		}
	}
}

// Programs and requests to the API get no page.
func TestUnknownPathIsPageForBrowsers(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	absent := fault.New(fault.NotFound, "company_not_found", "Nie znaleziono firmy.")
	for _, test := range []struct {
		path, accept string
		fault        *fault.Error
		want         bool
	}{
		{"/x", browser, unknown, true}, {"/x", "*/*", unknown, false}, {"/x", "", unknown, false},
		{"/api/x", browser, unknown, false}, {"/api", browser, unknown, false}, {"/apis", browser, unknown, true},
		{"/x", browser, absent, false},
	} {
		r := httptest.NewRequest(http.MethodGet, test.path, nil)
		r.Header.Set("Accept", test.accept)
		answer := httptest.NewRecorder()
		written, err := newSite(t, options()).WriteError(answer, r, http.StatusNotFound, test.fault)
		name := fmt.Sprintf("%s of %s for Accept %q", test.fault.Code, test.path, test.accept)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if written != test.want {
			t.Errorf("%s: got written %t, want %t", name, written, test.want)
		}
		if test.want {
			requireText(t, answer.Body.String(), "Nie ma takiej strony.")
		}
	}
}

// The redirect stays on the site, and only unknown paths are redirected.
func TestSuperfluousSlashesRedirect(t *testing.T) {
	s := newSite(t, options())
	for target, want := range map[string]string{
		"/konto/":                 "/konto",
		"/konto/a/?b=c&d=%2F":     "/konto/a?b=c&d=%2F",
		"/konto//a//":             "/konto/a",
		"/konto/../%5Cevil.test/": "/%5Cevil.test",
		"/konto/..//evil.test/":   "/evil.test",
		"/konto/a":                "",
	} {
		answer := writeError(t, s, http.MethodGet, target, http.StatusNotFound, unknown)
		if got := answer.Header().Get("Location"); got != want {
			t.Errorf("%s: got Location %q, want %q", target, got, want)
		}
		if want != "" && answer.Code != http.StatusPermanentRedirect {
			t.Errorf("%s: got status %d, want 308", target, answer.Code)
		}
	}
}

func TestCachesRevalidateDocuments(t *testing.T) {
	d := site.NewDocument("application/yaml", []byte("openapi: 3"))
	get := func(etag string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest(http.MethodGet, "/openapi", nil), httptest.NewRecorder()
		r.Header.Set("If-None-Match", etag)
		d.ServeHTTP(w, r)
		return w
	}
	first := get("")
	if got, want := first.Body.String(), "openapi: 3"; got != want {
		t.Errorf("body: got %q, want %q", got, want)
	}
	if got, want := first.Header().Get("Cache-Control"), "no-cache"; got != want {
		t.Errorf("Cache-Control: got %q, want %q", got, want)
	}
	if again := get(first.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("request with the ETag: got status %d, want 304", again.Code)
	}
}

func address(t *testing.T, s *site.Site, name string) string {
	t.Helper()
	url, err := s.AssetURL(name)
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func TestAssetsAreCachedUnlessOfAnotherVersion(t *testing.T) {
	o := options()
	o.Files.(fstest.MapFS)["static/data.json"] = file("{}")
	s := newSite(t, o)
	const forEver = "public, max-age=31536000, immutable"
	type headers struct{ ContentType, CacheControl string }
	for path, want := range map[string]headers{
		address(t, s, "site.css"):             {"text/css; charset=utf-8", forEver},
		address(t, s, "icon.svg"):             {"image/svg+xml", forEver},
		address(t, s, "data.json"):            {"application/json", forEver},
		address(t, s, "more.js"):              {"text/javascript; charset=utf-8", forEver},
		"/konto/static/more.000000000000.js":  {"text/javascript; charset=utf-8", "no-store"}, // of another version
		"/konto/static/site.000000000000.css": {"text/css; charset=utf-8", "no-store"},
	} {
		answer := httptest.NewRecorder()
		if err := s.ServeAsset(answer, httptest.NewRequest(http.MethodGet, path, nil)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		h := answer.Header()
		if diff := cmp.Diff(want, headers{h.Get("Content-Type"), h.Get("Cache-Control")}); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		if answer.Body.Len() == 0 {
			t.Errorf("%s: no body", path)
		}
	}
	head, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodHead, address(t, s, "site.css"), nil)
	if err := s.ServeAsset(head, r); err != nil {
		t.Errorf("HEAD: %v", err)
	}
	if head.Body.Len() > 0 {
		t.Errorf("HEAD: got a body of %d bytes, want none", head.Body.Len())
	}
}

func TestAssetAddressFollowsTheContent(t *testing.T) {
	one, two := options(), options()
	two.Files.(fstest.MapFS)["static/more.js"] = file("alert(2)")
	if a, b := address(t, newSite(t, one), "more.js"), address(t, newSite(t, two), "more.js"); a == b {
		t.Errorf("files of different content have the same address %s", a)
	}
}

// plain shows no-break spaces as _.
func plain(s string) string { return strings.ReplaceAll(s, "\u00a0", "_") }

func TestNumbersArePolish(t *testing.T) {
	for _, test := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{0, 0, "0"}, {7.25, 1, "7,2"}, {2649, 2, "2649,00"}, {9999.994, 2, "9999,99"}, {9999.996, 2, "10_000,00"},
		{123456, 0, "123_456"}, {1234567.5, 1, "1_234_567,5"}, {-12.5, 1, "−12,5"}, {-0.001, 2, "0,00"},
	} {
		if got := plain(site.Number(test.v, test.decimals)); got != test.want {
			t.Errorf("Number(%v, %d) = %q, want %q", test.v, test.decimals, got, test.want)
		}
	}
}

func TestDatesAndMoneyArePolish(t *testing.T) {
	moment := time.Date(2026, time.November, 21, 23, 5, 0, 0, time.UTC) // it is the next day in Poland
	for got, want := range map[string]string{
		site.Moment(moment): "22_listopada 2026, 00:05", site.Money(10999.9): "10_999,90_zł",
		site.Money(2649): "2_649,00_zł", site.Money(999): "999,00_zł",
		site.Date(time.Date(2026, time.July, 1, 21, 59, 0, 0, time.UTC)): "1_lipca 2026",
	} {
		if plain(got) != want {
			t.Errorf("got %q, want %q", plain(got), want)
		}
	}
	months := strings.Fields("stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października " +
		"listopada grudnia")
	for i, name := range months {
		month := time.Month(i + 1)
		got, want := plain(site.Date(time.Date(2026, month, 3, 12, 0, 0, 0, time.UTC))), "3_"+name+" 2026"
		if got != want {
			t.Errorf("Date in %v: got %q, want %q", month, got, want)
		}
	}
	if got, want := site.Day(moment), time.Date(2026, time.November, 22, 0, 0, 0, 0, time.UTC); got != want {
		t.Errorf("Day(%v): got %v, want %v", moment, got, want)
	}
	o := options()
	o.Files.(fstest.MapFS)["templates/time.html"] = file(`{{define "main"}}<time datetime="{{machine .}}">{{end}}`)
	body := write(t, newSite(t, o), "time", site.Page{Data: moment.In(time.FixedZone("", 3600))}).Body.String()
	requireText(t, body, `<time datetime="2026-11-21T23:05:00Z">`)
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// options configure a small site.
func options() site.Options {
	return site.Options{
		Name: "Katalog", Home: "/konto", Paths: []string{"/", "/konto"}, Prefix: "/konto/static",
		Visitor: func(*http.Request) (any, []site.Link) {
			return "anna@demo.example", []site.Link{
				{Href: "/konto/audyt?firma=1", Text: "Audyt"}, {Href: "/konto/inne", Text: "Inne"},
			}
		},
		Files: fstest.MapFS{
			"static/more.js":          file("alert(1)"),
			"templates/greeting.html": file(`{{define "main"}}<h1>{{.}}</h1>{{template "part" .}}{{end}}`),
			"templates/parts.html": file(`{{define "main"}}{{plural 2 "a" "b" "c"}}{{end}}{{define "head"}}<meta ` +
				`name="x" content="{{.}}">{{end}}`),
			"templates/broken.html":           file(`{{define "main"}}<p>{{.Missing}}</p>{{end}}`),
			"templates/partials/account.html": file(`{{define "account"}}<b>{{.}}</b>{{end}}`),
			"templates/partials/part.html":    file(`{{define "part"}}<i>{{.}}</i>{{end}}`),
		},
	}
}

func newSite(t *testing.T, o site.Options) *site.Site {
	t.Helper()
	s, err := site.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// write renders a page for a request of /konto/audyt.
func write(t *testing.T, s *site.Site, name string, p site.Page) *httptest.ResponseRecorder {
	t.Helper()
	answer, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/konto/audyt", nil)
	if err := s.Write(answer, r, http.StatusOK, name, p); err != nil {
		t.Fatal(err)
	}
	return answer
}

// unknown is the fault of an unknown path.
var unknown = fault.New(fault.NotFound, "not_found", "Nie znaleziono zasobu.")

func writeError(t *testing.T, s *site.Site, method, target string, status int,
	f *fault.Error) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	written, err := s.WriteError(answer, httptest.NewRequest(method, target, nil), status, f)
	if err != nil {
		t.Fatal(err)
	}
	if !written {
		t.Fatalf("no error page for %s %s", method, target)
	}
	return answer
}

func requireText(t *testing.T, body string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(body, text) {
			t.Errorf("text %s is missing in\n%s", text, body)
		}
	}
}

func TestFooterLinksToConfiguredAddresses(t *testing.T) {
	o := options()
	body := write(t, newSite(t, o), "greeting", site.Page{}).Body.String()
	if strings.Contains(body, "Polityka") || strings.Contains(body, "Kontakt") {
		t.Errorf("links without addresses in\n%s", body)
	}
	o.Legal = settings.Legal{
		Privacy: &url.URL{Scheme: "https", Host: "a.example", Path: "/p"},
		Terms:   &url.URL{Scheme: "https", Host: "a.example", Path: "/t"},
		Contact: "biuro+a@a.example",
	}
	body = write(t, newSite(t, o), "greeting", site.Page{}).Body.String()
	requireText(t, body, `<a href="https://a.example/p">Polityka prywatności</a>`,
		`<a href="https://a.example/t">Regulamin</a>`, `<a href="mailto:biuro`, `a@a.example">Kontakt</a>`)
	o.Legal.Contact = "https://a.example/kontakt"
	body = write(t, newSite(t, o), "greeting", site.Page{}).Body.String()
	requireText(t, body, `<a href="https://a.example/kontakt">Kontakt</a>`)
}
