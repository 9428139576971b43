package fake_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/deploy/sandbox/fake"
)

const page = "the true answer of the site"

func moment() time.Time { return time.Date(2026, 11, 21, 11, 0, 0, 5, time.FixedZone("CET", 3600)) }

// newShop returns a site with one toggle of each type and a kind of fault of its own.
func newShop() *fake.Fake {
	f := fake.New([]byte(`{"name": "shop", "spared": ["/robots.txt"], "toggles": [
		{"name": "closed", "off": false}, {"name": "dead", "off": []}, {"name": "seconds", "off": 0}]}`), moment,
		fake.FaultKind{Kind: "coded", Coded: true,
			Act: func(w http.ResponseWriter, r *http.Request, fault fake.Fault) bool {
				w.Header().Set("X-Code", string(rune('0'+fault.Code)))
				return r.URL.Path == "/api"
			}})
	f.Handle(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) }))
	return f
}

func get(f *fake.Fake, target string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, target, nil))
	return recorder
}

func TestWrongFaultsAreRefused(t *testing.T) {
	for body, problems := range map[string][]string{
		`{"kind":"down"}`:                   nil,
		`{"kind":"slow","delay_ms":20}`:     nil,
		`{"kind":"slow","delay_ms":600000}`: nil,
		`{"kind":"slow","delay_ms":600001}`: {"delay_ms must be"},
		`{"kind":"status","status":429,"retry_after":30,"headers":{"X-A":"b"},"body":"{}","times":2,"match":"/x"}`: nil,
		`{"kind":"coded","code":4,"subcode":1}`:            nil,
		`{"kind":"slow"}`:                                  {"delay_ms is required"},
		`{"kind":"down","delay_ms":-1}`:                    {"delay_ms must be"},
		`{"kind":"status"}`:                                {"status must be between"},
		`{"kind":"status","status":600}`:                   {"status must be between"},
		`{"kind":"status","status":599}`:                   nil,
		`{"kind":"status","status":200}`:                   nil,
		`{"kind":"status","status":199}`:                   {"status must be between"},
		`{"kind":"status","status":500,"retry_after":-1}`:  {"retry_after must not"},
		`{"kind":"down","status":500}`:                     {"only for kind status"},
		`{"kind":"down","body":"x"}`:                       {"only for kind status"},
		`{"kind":"slow","times":-1,"match":"x"}`:           {"delay_ms is", "times must not", "match must begin"},
		`{"kind":"coded"}`:                                 {"code must be positive"},
		`{"kind":"down","code":4}`:                         {"code and subcode are not for kind down"},
		`{}`:                                               {"is not one of: down, slow, status, garbage, coded"},
		``:                                                 {"the fault is not a valid JSON object: EOF"},
		`{"kind":"down","tmes":1}`:                         {`unknown field "tmes"`},
		`{"kind":"down"}{"kind":"slow"}`:                   {"followed by more text"},
		`{"match":"/` + strings.Repeat("a", 65_524) + `"}`: {"not a valid JSON object"}, // one byte more than 64 KiB
	} {
		f := newShop()
		_, err := f.ReadFault(strings.NewReader(body))
		for _, problem := range problems {
			if err == nil || !strings.Contains(err.Error(), problem) {
				t.Errorf("%.80s: got %v, want %q in it", body, err, problem)
			}
		}
		if set := f.Fault() != nil; set != (problems == nil) || set != (err == nil) {
			t.Errorf("%.80s: set %t, %v", body, set, err)
		}
	}
}

func TestFaultsAct(t *testing.T) {
	const (
		plain  = "Content-Type: text/plain; charset=utf-8"
		html   = "Content-Type: text/html; charset=utf-8"
		refuse = "<!DOCTYPE html>\n<html lang=\"pl\"><head><title>503</title></head><body><h1>Błąd " +
			"503</h1><p>Odpowiedź ustawiona w makiecie.</p></body></html>\n"
	)
	refusal := func(status string) string { return strings.ReplaceAll(refuse, "503", status) }
	for name, c := range map[string]struct {
		fault   fake.Fault
		target  string
		status  int
		headers string
		body    string
		left    int // times left of 5; 5 if the fault does not affect the request
	}{
		"slow": {fake.Fault{Kind: "slow", DelayMS: 1}, "/", 200, plain, page, 4},
		"status": {fake.Fault{Kind: "status", Status: 503, RetryAfter: 1}, "/", 503,
			html + "\r\nRetry-After: 1", refusal("503"), 4},
		"status with body": {
			fake.Fault{Kind: "status", Status: 429, Headers: map[string]string{"X-A": "b", "X-C": "d"},
				Body: `{"error":1}`}, "/", 429, html + "\r\nX-A: b\r\nX-C: d", `{"error":1}`, 4,
		},
		"status with type": {
			fake.Fault{Kind: "status", Status: 200, Headers: map[string]string{"Content-Type": "text/csv"},
				Body: "a,b"}, "/", 200, "Content-Type: text/csv", "a,b", 4,
		},
		"garbage":             {fake.Fault{Kind: "garbage"}, "/", 200, html, strings.Repeat("\x00\xff<\x8a", 2048), 4},
		"the site's own":      {fake.Fault{Kind: "coded", Code: 4}, "/api", 200, "X-Code: 4", "", 4},
		"its own, but passed": {fake.Fault{Kind: "coded", Code: 4}, "/page", 200, plain + "\r\nX-Code: 4", page, 4},
		"spared":              {fake.Fault{Kind: "status", Status: 500}, "/robots.txt", 200, plain, page, 5},
		"spared, but matched": {fake.Fault{Kind: "status", Status: 500, Match: "/"}, "/robots.txt", 500, html,
			refusal("500"), 4},
		"encoded path": {fake.Fault{Kind: "status", Status: 500, Match: "/;szukaj-s%C5%82"}, "/;szukaj-s%C5%82owo", 500,
			html, refusal("500"), 4},
		"another path": {fake.Fault{Kind: "status", Status: 500, Match: "/;szukaj-"}, "/123456", 200, plain, page, 5},
	} {
		f := newShop()
		c.fault.Times = 5
		f.SetFault(c.fault)
		answer := get(f, c.target)
		var headers strings.Builder
		_ = answer.Header().Write(&headers)
		if answer.Code != c.status || answer.Body.String() != c.body ||
			strings.TrimSpace(headers.String()) != c.headers || f.Fault().Times != c.left {
			t.Errorf("%s: got %d %v %.100q, %d left", name, answer.Code, answer.Header(), answer.Body, f.Fault().Times)
		}
		f.ClearFault()
		if answer := get(f, c.target); answer.Body.String() != page {
			t.Errorf("%s: after clearing %q", name, answer.Body)
		}
	}
}

func TestDownAndGarbage(t *testing.T) {
	f := newShop()
	f.SetFault(fake.Fault{Kind: "garbage", Times: 2})
	for range 2 {
		if answer := get(f, "/"); answer.Code != 200 || answer.Body.Len() != 8<<10 || json.Valid(answer.Body.Bytes()) {
			t.Errorf("garbage: %d, %d bytes", answer.Code, answer.Body.Len())
		}
	}
	if answer := get(f, "/"); answer.Body.String() != page {
		t.Errorf("after its two times: %q", answer.Body)
	}
	f.SetFault(fake.Fault{Kind: "down"})
	server := httptest.NewServer(f)
	defer server.Close()
	if response, err := http.Get(server.URL); err == nil {
		t.Errorf("got status %d, want no answer", response.StatusCode)
	}
	if requests := f.Requests(); len(requests) != 4 {
		t.Errorf("logged %+v", requests)
	}
}

func TestSlowWaitsUntilTheDelayPassesOrTheClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, begin := newShop(), time.Now()
		f.SetFault(fake.Fault{Kind: "slow", DelayMS: 1500})
		if answer := get(f, "/"); answer.Body.String() != page || time.Since(begin) != 1500*time.Millisecond {
			t.Errorf("got %q after %s", answer.Body, time.Since(begin))
		}
		ctx, leave := context.WithCancel(t.Context())
		leave()
		defer func() {
			if got, ok := recover().(error); !ok || !errors.Is(got, http.ErrAbortHandler) {
				t.Errorf("recovered %v, want http.ErrAbortHandler", got)
			}
		}()
		f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
	})
}

func TestTheLogMasksSecrets(t *testing.T) {
	f := newShop()
	for target, want := range map[string]string{
		"/cb?code=s3cret&state=a%3Ab":                                          "/cb?code=***&state=a%3Ab",
		"/me?fields=id,name&access_token=s3cret&appsecret_proof=s3cret":        "/me?fields=id,name&access_token=***&appsecret_proof=***",
		"/x?key=s3cret&token=s3cret&client_secret=s3cret&refresh_token=s3cret": "/x?key=***&token=***&client_secret=***&refresh_token=***",
		"/t?access%5Ftoken=s3cret&ACCESS_TOKEN=s3cret":                         "/t?access%5Ftoken=***&ACCESS_TOKEN=***",
		"/t?code=s3cret&code=s3cret=s3cret":                                    "/t?code=***&code=***",
		"/d?input_token=s3cret&fb_exchange_token=s3cret&id_token=s3cret":       "/d?input_token=***&fb_exchange_token=***&id_token=***",
		"/;szukaj-key=1": "/;szukaj-key=1",
		"/?code=" + strings.Repeat("s3cret", 1000) + "&a=1": "/?code=***&a=1",
		"/" + strings.Repeat("a", 3000):                     "/" + strings.Repeat("a", 2047),
	} {
		f.ClearRequests()
		get(f, target)
		got := f.Requests()[0]
		if got.Path != want || got.Site != "shop" || got.Method != "GET" || !got.ArrivedAt.Equal(moment()) ||
			got.ArrivedUnixNano != moment().UnixNano() {
			t.Errorf("%.80s is logged as %+v, want %s", target, got, want)
		}
	}
}

func TestTheNewestRequestsAndSecretsAreKept(t *testing.T) {
	f := newShop()
	get(f, "/first")
	first := f.Secret("code", "4/0")
	if list, _ := f.Secrets(); len(first) < 3+52 ||
		list[0] != (fake.Secret{Site: "shop", Kind: "code", Value: first, IssuedAt: moment().UTC()}) {
		t.Errorf("issued %q, registered %+v; want 256 bits after the prefix", first, list)
	}
	for range 10_000 {
		get(f, "/later")
		f.Register("code", "later")
	}
	if requests := f.Requests(); len(requests) != 10_000 || requests[0].Path != "/later" {
		t.Errorf("%d requests, the oldest %s", len(requests), requests[0].Path)
	}
	if list, forgotten := f.Secrets(); len(list) != 10_000 || list[0].Value != "later" || forgotten != 1 {
		t.Errorf("%d secrets, %d forgotten", len(list), forgotten)
	}
}

func TestTogglesKeepTheirTypes(t *testing.T) {
	f := newShop()
	for body, problem := range map[string]string{
		`{"closed":true,"open":1}`:      `toggle "open" is not one of: closed, dead, seconds`,
		`{"closed":1}`:                  "toggle closed takes a value like false",
		`{"dead":"a"}`:                  "toggle dead takes a value like []",
		`{"seconds":"1","closed":true}`: "toggle seconds takes a value like 0",
		`{}{}`:                          "the toggles are followed by more text: send one JSON object",
		`[]`:                            "the toggles are not a valid JSON object: ",
	} {
		if err := f.ReadToggles(strings.NewReader(body)); err == nil || !strings.Contains(err.Error(), problem) ||
			f.On("closed") {
			t.Errorf("%s: %v, toggles %v", body, err, f.ToggleValues())
		}
	}
	f.SetToggle("closed", true)
	f.SetToggle("dead", []string{"a", "b"})
	f.SetToggle("seconds", 5)
	if !f.On("closed") || !f.Lists("dead", "b") || f.Lists("dead", "c") || f.Number("seconds") != 5 {
		t.Errorf("toggles %v", f.ToggleValues())
	}
	f.Count("requests", "a")
	counts := f.Counts()
	f.Count("requests", "a")
	if counts["requests"]["a"] != 1 || f.Counts()["requests"]["a"] != 2 {
		t.Errorf("counts %v, later %v", counts, f.Counts())
	}
	f.Reset()
	if f.On("closed") || f.Lists("dead", "a") || f.Number("seconds") != 0 || len(f.Counts()) != 0 {
		t.Errorf("after a reset %v, %v", f.ToggleValues(), f.Counts())
	}
}

func TestFixturesAreRepeatable(t *testing.T) {
	items := fake.ReadFixtures[struct{ Name string }]([]byte(`[{"name": "a"}, {"repeat": 2, "name": "b-{n}"}]`))
	if len(items) != 3 || items[0].Name != "a" || items[2].Name != "b-002" {
		t.Errorf("items %v", items)
	}
	// The number is written out: a change would alter every page of the sandbox.
	if got := fake.Rand("price", "RTX 4070").IntN(1_000_000); got != 243473 {
		t.Errorf("got %d", got)
	}
	if got := fake.Words("Zażółć GĘŚLĄ-jaźń 40"); !slices.Equal(got, []string{"zazolc", "gesla", "jazn", "40"}) {
		t.Errorf("words %q", got)
	}
}
