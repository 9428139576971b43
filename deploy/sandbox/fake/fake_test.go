package fake_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
)

const page = "the true answer of the site"

func moment() time.Time { return time.Date(2026, 11, 21, 11, 0, 0, 5, time.FixedZone("CET", 3600)) }

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
		got := fmt.Sprintln(answer.Code, strings.TrimSpace(headers.String()), answer.Body, f.Fault().Times)
		if want := fmt.Sprintln(c.status, c.headers, c.body, c.left); got != want {
			t.Errorf("%s: got %.300q, want %.300q", name, got, want)
		}
		f.ClearFault()
		if answer := get(f, c.target); answer.Body.String() != page {
			t.Errorf("%s: after clearing the site answers %.300q, want its own page", name, answer.Body)
		}
	}
}

func TestTheLogMasksSecrets(t *testing.T) {
	f := newShop()
	for target, want := range map[string]string{
		"/cb?code=s3cret&state=a%3Ab": "/cb?code=***&state=a%3Ab",
		"/me?fields=id,name&access_token=s3cret&appsecret_proof=s3cret": "/me?fields=id,name&access_token=***&" +
			"appsecret_proof=***",
		"/x?key=s3cret&token=s3cret&client_secret=s3cret&refresh_token=s3cret": "/x?key=***&token=***&" +
			"client_secret=***&refresh_token=***",
		"/t?access%5Ftoken=s3cret&ACCESS_TOKEN=s3cret": "/t?access%5Ftoken=***&ACCESS_TOKEN=***",
		"/t?code=s3cret&code=s3cret=s3cret":            "/t?code=***&code=***",
		"/d?input_token=s3cret&fb_exchange_token=s3cret&id_token=s3cret": "/d?input_token=***&fb_exchange_token=***&" +
			"id_token=***",
		"/;szukaj-key=1": "/;szukaj-key=1",
		"/?code=" + strings.Repeat("s3cret", 1000) + "&a=1": "/?code=***&a=1",
		"/" + strings.Repeat("a", 3000):                     "/" + strings.Repeat("a", 2047),
	} {
		f.ClearRequests()
		get(f, target)
		got := f.Requests()[0]
		if got.Path != want || !got.ArrivedAt.Equal(moment()) {
			t.Errorf("%.80s is logged as %+v, want %s", target, got, want)
		}
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
		if err := f.ReadToggles(strings.NewReader(body)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: got the error %v, want %s", body, err, problem)
		}
		if f.On("closed") {
			t.Errorf("%s: a toggle has changed in spite of the error", body)
		}
	}
	f.SetToggle("closed", true)
	f.SetToggle("dead", []string{"a", "b"})
	f.SetToggle("seconds", 5)
	got := fmt.Sprint(f.On("closed"), f.Lists("dead", "b"), f.Lists("dead", "c"), f.Number("seconds"))
	if got != "true true false 5" {
		t.Errorf("toggles %v, read as %s", f.ToggleValues(), got)
	}
	f.Count("requests", "a")
	counts := f.Counts()
	f.Count("requests", "a")
	if counts["requests"]["a"] != 1 || f.Counts()["requests"]["a"] != 2 {
		t.Errorf("counts %v, later %v", counts, f.Counts())
	}
	f.Reset()
	got = fmt.Sprint(f.On("closed"), f.Lists("dead", "a"), f.Number("seconds"), len(f.Counts()))
	if got != "false false 0 0" {
		t.Errorf("after a reset %v, %v", f.ToggleValues(), f.Counts())
	}
}
