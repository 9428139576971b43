package control_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/internal/control"
	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/issued"
	"backend.example/deploy/sandbox/internal/knobs"
	"backend.example/deploy/sandbox/internal/requestlog"
	"backend.example/deploy/sandbox/internal/standin"
)

// fixture is a control address over two sites of which "shop" was asked once.
type fixture struct {
	handler http.Handler
	board   *faults.Board
	log     *requestlog.Log
	memory  *memory
}

func newFixture() fixture {
	shop := faults.Site{Name: "shop", Kinds: faults.Common(), Spared: []string{"/robots.txt"}}
	lab := faults.Site{Name: "lab", Kinds: faults.Common()}
	board := faults.NewBoard(shop, lab)
	moment := time.Date(2026, 11, 21, 10, 0, 0, 123456789, time.UTC)
	log := requestlog.New(10, func() time.Time { return moment })
	request := httptest.NewRequest(http.MethodGet, "/;szukaj-a+b?x=<1>", nil)
	request.Header.Set("User-Agent", "probe/1.0")
	log.Record("shop", http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(), request)
	memory := &memory{count: 7}
	panel := knobs.NewPanel(knobs.Definition{Name: "quota_zero", Kind: knobs.Switch, Text: "limit zero"})
	sites := []control.Mounted{
		{StandIn: standin.StandIn{Site: shop, Title: "Sklep", Links: []standin.Link{{Path: "/;szukaj-x", Text: "lista"}}}, URL: "http://127.0.0.1:1"},
		{StandIn: standin.StandIn{Site: lab, Title: "Pracownia", Knobs: panel, Memory: memory}, URL: "http://127.0.0.1:2"},
	}
	secrets := issued.New(10, func() time.Time { return moment })
	secrets.For("lab").Enter("code", "4/0x")
	return fixture{control.New("http://127.0.0.1:9", sites, board, log, secrets).Handler(), board, log, memory}
}

// memory counts what was done to it.
type memory struct{ count int }

func (m *memory) State() any { return map[string]int{"count": m.count} }
func (m *memory) Forget()    { m.count = 0 }
func (m *memory) Actions() []standin.Action {
	return []standin.Action{{Name: "add", Text: "dodaje", Do: func(options io.Reader) (any, error) {
		text, err := io.ReadAll(options)
		if err != nil || string(text) == "wrong" {
			return nil, errors.New("wrong options")
		}
		m.count++
		return m.State(), nil
	}}}
}

func (f fixture) do(method, target, body string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	request.RemoteAddr = "127.0.0.1:4711"
	f.handler.ServeHTTP(recorder, request)
	return recorder
}

const logged = `{"count":1,"requests":[{"seq":1,"site":"shop","method":"GET","path":"/;szukaj-a+b?x=<1>","user_agent":"probe/1.0",` +
	`"arrived_at":"2026-11-21T10:00:00.123456789Z","arrived_unix_nano":1795255200123456789,"status":404,"finished":true}]}`

func TestAnswers(t *testing.T) {
	cases := []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"GET", "/requests", "", 200, logged},
		{"GET", "/requests?site=shop", "", 200, logged},
		{"GET", "/requests?site=lab", "", 200, `{"count":0,"requests":[]}`},
		{"GET", "/requests?site=moon", "", 404, `{"error":"unknown site: \"moon\"","allowed":["shop","lab"]}`},
		{"GET", "/faults", "", 200, `{"faults":[{"site":"shop","fault":null},{"site":"lab","fault":null}]}`},
		{"GET", "/faults/shop", "", 200, `{"site":"shop","fault":null}`},
		{"GET", "/faults/moon", "", 404, `{"error":"unknown site: \"moon\"","allowed":["shop","lab"]}`},
		{"PUT", "/faults/shop", `{"kind":"status","status":503,"retry_after":2,"times":1}`, 200,
			`{"site":"shop","fault":{"kind":"status","status":503,"retry_after":2,"times":1}}`},
		{"PUT", "/faults/moon", `{"kind":"down"}`, 404, `{"error":"unknown site: \"moon\"","allowed":["shop","lab"]}`},
		{"PUT", "/faults/shop", `{"kind":"slow"}`, 400, `{"error":"delay_ms is required for kind slow"}`},
		{"PUT", "/faults/shop", `{"kind":"down","x":1}`, 400, `{"error":"fault is not a valid JSON object: json: unknown field \"x\""}`},
		{"DELETE", "/faults/moon", "", 404, `{"error":"unknown site: \"moon\"","allowed":["shop","lab"]}`},
		{"DELETE", "/faults/shop", "", 204, ""},
		{"DELETE", "/faults", "", 204, ""},
		{"DELETE", "/requests", "", 204, ""},
	}
	for _, c := range cases {
		t.Run(c.method+" "+c.target+" "+c.body, func(t *testing.T) {
			answer := newFixture().do(c.method, c.target, c.body)
			if got := strings.TrimSpace(answer.Body.String()); answer.Code != c.status || got != c.want {
				t.Errorf("got  %d %s\nwant %d %s", answer.Code, got, c.status, c.want)
			}
			if c.want != "" && !json.Valid(answer.Body.Bytes()) {
				t.Error("not JSON")
			}
		})
	}
}

func TestAFaultIsSetShownAndTakenOff(t *testing.T) {
	f := newFixture()
	f.do("PUT", "/faults/lab", `{"kind":"down"}`)
	if got := f.do("GET", "/faults", "").Body.String(); !strings.Contains(got, `{"site":"lab","fault":{"kind":"down"}}`) {
		t.Errorf("after setting: %s", got)
	}
	f.do("DELETE", "/faults/lab", "")
	if fault, _ := f.board.Get("lab"); fault != nil {
		t.Errorf("after taking off: %+v", fault)
	}
}

func TestAllFaultsAreTakenOff(t *testing.T) {
	f := newFixture()
	f.do("PUT", "/faults/lab", `{"kind":"down"}`)
	f.do("PUT", "/faults/shop", `{"kind":"garbage"}`)
	f.do("DELETE", "/faults", "")
	if got := f.do("GET", "/faults", "").Body.String(); strings.Contains(got, "kind") {
		t.Errorf("still on: %s", got)
	}
}

func TestTheLogIsCleared(t *testing.T) {
	f := newFixture()
	f.do("DELETE", "/requests", "")
	if left := f.log.Entries(""); len(left) != 0 {
		t.Errorf("%d entries left", len(left))
	}
}

func TestAnotherOriginCannotChangeAnything(t *testing.T) {
	f := newFixture()
	request := httptest.NewRequest("PUT", "/faults/shop", strings.NewReader(`{"kind":"down"}`))
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	recorder := httptest.NewRecorder()
	f.handler.ServeHTTP(recorder, request)
	if fault, _ := f.board.Get("shop"); recorder.Code != http.StatusForbidden || fault != nil {
		t.Errorf("got %d and %+v, want 403 and no fault", recorder.Code, fault)
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
