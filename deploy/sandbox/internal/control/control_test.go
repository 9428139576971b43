package control_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/internal/control"
	"backend.example/deploy/sandbox/upstream"
)

// fixture is a control address over two sites of which "shop" was asked once, and
// "lab" remembers a count.
type fixture struct {
	http.Handler
	shop, lab *upstream.Fake
	count     int
}

func newFixture() *fixture {
	f := &fixture{count: 7}
	secrets := upstream.NewSecrets("lab", moment)
	secrets.Enter("code", "4/0x")
	f.shop = upstream.New(upstream.Site{
		Name: "shop", Title: "Sklep", Handler: http.NotFoundHandler(), Spared: []string{"/robots.txt"},
		Links: []upstream.Link{{Path: "/;szukaj-x", Text: "lista"}},
	})
	f.lab = upstream.New(upstream.Site{
		Name: "lab", Title: "Pracownia", Handler: http.NotFoundHandler(), Secrets: secrets,
		Toggles: upstream.NewToggles(upstream.Toggle{Name: "quota_zero", Off: false, Text: "limit zero"}),
		State:   func() any { return map[string]int{"count": f.count} },
		Reset:   func() { f.count = 0 },
		Actions: []upstream.Action{{Name: "add", Text: "dodaje", Do: func(options io.Reader) (any, error) {
			if text, err := io.ReadAll(options); err != nil || string(text) == "wrong" {
				return nil, errors.New("wrong options")
			}
			f.count++
			return f.count, nil
		}}},
	})
	request := httptest.NewRequest(http.MethodGet, "/;szukaj-a+b?x=<1>", nil)
	request.Header.Set("User-Agent", "probe/1.0")
	f.shop.ServeHTTP(httptest.NewRecorder(), request)
	f.Handler = control.New("http://127.0.0.1:9", []control.Mounted{{Fake: f.shop, URL: "http://127.0.0.1:1"}, {Fake: f.lab, URL: "http://127.0.0.1:2"}}).Handler()
	return f
}

func (f *fixture) do(method, target, body string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	request.RemoteAddr = "127.0.0.1:4711"
	f.ServeHTTP(recorder, request)
	return recorder
}

// times are the parts of an answer that depend on the clock.
var times = regexp.MustCompile(`"arrived_at":"[^"]+","arrived_unix_nano":\d+,`)

const (
	logged = `{"count":1,"requests":[{"site":"shop","method":"GET","path":"/;szukaj-a+b?x=<1>","user_agent":"probe/1.0","status":404,"finished":true}]}`
	noSite = `{"error":"unknown site: \"moon\"","allowed":["shop","lab"]}`
	secret = `{"count":1,"forgotten":0,"secrets":[{"site":"lab","kind":"code","value":"4/0x","issued_at":"2026-11-21T10:00:00Z"}]}`
)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"GET", "/requests", "", 200, logged},
		{"GET", "/requests?site=shop", "", 200, logged},
		{"GET", "/requests?site=lab", "", 200, `{"count":0,"requests":[]}`},
		{"GET", "/requests?site=moon", "", 404, noSite},
		{"DELETE", "/requests", "", 204, ""},
		{"GET", "/faults", "", 200, `{"faults":[{"site":"shop","fault":null},{"site":"lab","fault":null}]}`},
		{"PUT", "/faults/shop", `{"kind":"status","status":503,"retry_after":2,"times":1}`, 200,
			`{"site":"shop","fault":{"kind":"status","status":503,"retry_after":2,"times":1}}`},
		{"PUT", "/faults/moon", `{"kind":"down"}`, 404, noSite},
		{"PUT", "/faults/shop", `{"kind":"slow"}`, 400, `{"error":"delay_ms is required for kind slow"}`},
		{"PUT", "/faults/shop", `{"kind":"down","x":1}`, 400, `{"error":"the fault is not a valid JSON object: json: unknown field \"x\""}`},
		{"DELETE", "/faults/moon", "", 404, noSite},
		{"DELETE", "/faults/shop", "", 204, ""},
		{"GET", "/toggles/lab", "", 200, `{"site":"lab","toggles":{"quota_zero":false}}`},
		{"PUT", "/toggles/lab", `{"quota_zero":true}`, 200, `{"site":"lab","toggles":{"quota_zero":true}}`},
		{"PUT", "/toggles/lab", `{"quota_zero":1}`, 400, `{"error":"toggle quota_zero takes a bool"}`},
		{"GET", "/toggles/shop", "", 404, `{"error":"unknown site: \"shop\"","allowed":["lab"]}`},
		{"GET", "/state/lab", "", 200, `{"site":"lab","state":{"count":7}}`},
		{"GET", "/state/shop", "", 404, `{"error":"unknown site: \"shop\"","allowed":["lab"]}`},
		{"POST", "/state/lab/add", "", 200, `8`},
		{"POST", "/state/lab/add", "wrong", 400, `{"error":"wrong options"}`},
		{"POST", "/state/lab/dance", "", 404, `{"error":"unknown action: \"dance\"","allowed":["add"]}`},
		{"DELETE", "/state/lab", "", 204, ""},
		{"GET", "/issued", "", 200, secret},
		{"GET", "/issued?site=lab", "", 200, secret},
		{"GET", "/issued?site=shop", "", 200, `{"count":0,"forgotten":0,"secrets":[]}`},
		{"GET", "/issued?site=moon", "", 404, noSite},
	} {
		answer := newFixture().do(c.method, c.target, c.body)
		if got := times.ReplaceAllString(strings.TrimSpace(answer.Body.String()), ""); answer.Code != c.status || got != c.want {
			t.Errorf("%s %s %s:\ngot  %d %s\nwant %d %s", c.method, c.target, c.body, answer.Code, got, c.status, c.want)
		}
	}
}

func TestResettingTakesTheTogglesOffToo(t *testing.T) {
	f := newFixture()
	f.do("PUT", "/toggles/lab", `{"quota_zero":true}`)
	f.do("DELETE", "/state/lab", "")
	if f.lab.Toggles.On("quota_zero") || f.count != 0 {
		t.Errorf("toggles %v, count %d", f.lab.Toggles.Values(), f.count)
	}
}

func TestAnotherOriginCannotChangeAnything(t *testing.T) {
	f := newFixture()
	request := httptest.NewRequest("PUT", "/faults/shop", strings.NewReader(`{"kind":"down"}`))
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, request)
	if fault := f.shop.Injector.Fault(); recorder.Code != http.StatusForbidden || fault != nil {
		t.Errorf("got %d and %+v, want 403 and no fault", recorder.Code, fault)
	}
}

func TestIssuedSecretsStayOnThisMachine(t *testing.T) {
	for addr, want := range map[string]int{
		"127.0.0.1:1": 200, "127.9.9.9:1": 200, "[::1]:1": 200, "[::ffff:127.0.0.1]:1": 200,
		"192.168.1.5:1": 403, "172.17.0.1:1": 403, "[2001:db8::1]:1": 403, "": 403, "@": 403,
	} {
		request := httptest.NewRequest("GET", "/issued", nil)
		request.RemoteAddr = addr
		recorder := httptest.NewRecorder()
		newFixture().ServeHTTP(recorder, request)
		if recorder.Code != want || (want == 403 && strings.Contains(recorder.Body.String(), "4/0x")) {
			t.Errorf("from %q: got %d %s, want %d", addr, recorder.Code, recorder.Body, want)
		}
	}
}

func TestThePageShowsTheSites(t *testing.T) {
	f := newFixture()
	f.do("PUT", "/faults/lab", `{"kind":"garbage"}`)
	answer := f.do("GET", "/", "")
	if answer.Code != 200 || !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") {
		t.Fatalf("got %d %s", answer.Code, answer.Header())
	}
	for _, want := range []string{
		"danymi demonstracyjnymi", "Sklep", "Pracownia", `href="http://127.0.0.1:1/;szukaj-x"`, "/robots.txt",
		`<span class="on">garbage</span>`, "curl -X PUT http://127.0.0.1:9/faults/shop",
		`<a href="/requests?site=shop">1</a>`, "quota_zero", "limit zero", "POST /state/lab/add", `<a href="/issued">`,
	} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func moment() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }
