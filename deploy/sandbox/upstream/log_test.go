package upstream_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/upstream"
)

func moment() time.Time {
	return time.Date(2026, 11, 21, 11, 0, 0, 5, time.FixedZone("CET", 3600))
}

func TestARequestIsLogged(t *testing.T) {
	log := upstream.NewLog("shop", moment)
	handler := log.Record(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if r := log.Requests()[0]; r.Finished || r.Status != 0 {
			t.Errorf("during the request: %+v", r)
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	request := httptest.NewRequest(http.MethodPut, "/;szukaj-a+b?x=%20", nil)
	request.Header.Set("User-Agent", strings.Repeat("a", 5000))
	handler.ServeHTTP(httptest.NewRecorder(), request)
	got := log.Requests()[0]
	want := upstream.Request{
		Site: "shop", Method: "PUT", Path: "/;szukaj-a+b?x=%20", UserAgent: strings.Repeat("a", 2048), Status: 404, Finished: true,
		ArrivedAt: moment().UTC(), ArrivedUnixNano: moment().UnixNano(),
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	log.Clear()
	if left := log.Requests(); len(left) != 0 {
		t.Errorf("after clearing: %+v", left)
	}
}

func TestTheStatusOfAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		status int
	}{
		"nothing said": {func(http.ResponseWriter, *http.Request) {}, 200},
		"a body":       {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) }, 200},
		"cut":          {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0},
	} {
		log := upstream.NewLog("shop", moment)
		func() {
			defer func() {
				if cut := recover() != nil; cut != (c.status == 0) {
					t.Errorf("%s: panics %t", name, cut)
				}
			}()
			get(log.Record(c.answer), "/")
		}()
		if r := log.Requests()[0]; r.Status != c.status || !r.Finished {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestSecretsOfTheQueryAreMasked(t *testing.T) {
	log := upstream.NewLog("shop", moment)
	handler := log.Record(http.NotFoundHandler())
	for target, want := range map[string]string{
		"/cb?code=s3cret&state=a%3Ab":                                          "/cb?code=***&state=a%3Ab",
		"/me?fields=id,name&access_token=s3cret&appsecret_proof=s3cret":        "/me?fields=id,name&access_token=***&appsecret_proof=***",
		"/x?key=s3cret&token=s3cret&client_secret=s3cret&refresh_token=s3cret": "/x?key=***&token=***&client_secret=***&refresh_token=***",
		"/t?code_verifier=s3cret&fb_exchange_token=s3cret&input_token=s3cret":  "/t?code_verifier=***&fb_exchange_token=***&input_token=***",
		"/t?access%5Ftoken=s3cret&ACCESS_TOKEN=s3cret":                         "/t?access%5Ftoken=***&ACCESS_TOKEN=***",
		"/t?code=s3cret&code=s3cret=s3cret":                                    "/t?code=***&code=***",
		"/t?code_challenge=abc&keys=1&code=&key":                               "/t?code_challenge=abc&keys=1&code=&key",
		"/;szukaj-key=1":                                                       "/;szukaj-key=1",
		"/?code=" + strings.Repeat("s3cret", 1000) + "&a=1":                    "/?code=***&a=1",
	} {
		log.Clear()
		get(handler, target)
		if got := log.Requests()[0].Path; got != want {
			t.Errorf("%s is logged as %s, want %s", target, got, want)
		}
	}
}

func TestOnlyTheNewestAreKept(t *testing.T) {
	log, secrets := upstream.NewLog("shop", moment), upstream.NewSecrets("shop", moment)
	handler := log.Record(http.NotFoundHandler())
	get(handler, "/first")
	secrets.Enter("code", "first")
	for range 10_000 {
		get(handler, "/later")
		secrets.Enter("code", "later")
	}
	if requests := log.Requests(); len(requests) != 10_000 || requests[0].Path != "/later" {
		t.Errorf("%d requests, the oldest %s", len(requests), requests[0].Path)
	}
	if list, forgotten := secrets.List(); len(list) != 10_000 || list[0].Value != "later" || forgotten != 1 {
		t.Errorf("%d secrets, %d forgotten", len(list), forgotten)
	}
}

func TestIssuedSecretsAreRegistered(t *testing.T) {
	secrets := upstream.NewSecrets("search", moment)
	first, second := secrets.Issue("code", "4/0"), secrets.Issue("code", "4/0")
	if first == second || !strings.HasPrefix(first, "4/0") || len(first) < 3+52 {
		t.Errorf("issued %q and %q, want 256 bits behind the prefix", first, second)
	}
	want := upstream.Secret{Site: "search", Kind: "code", Value: first, IssuedAt: moment().UTC()}
	if list, _ := secrets.List(); len(list) != 2 || list[0] != want {
		t.Errorf("got %+v", list)
	}
}

func TestCounter(t *testing.T) {
	counter := upstream.NewCounter("requests", "refusals")
	counter.Add("requests", "a")
	counter.Add("requests", "a")
	if counts := counter.Counts(); len(counts) != 2 || counts["requests"]["a"] != 2 || len(counts["refusals"]) != 0 {
		t.Errorf("got %v", counts)
	}
	counter.Clear()
	if counts := counter.Counts(); len(counts["requests"]) != 0 {
		t.Errorf("after clearing: %v", counts)
	}
}
