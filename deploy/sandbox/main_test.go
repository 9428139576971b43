package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

func environment(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

// sandbox is a running one on ports of the system's choice.
type sandbox struct {
	*control
	stop    context.CancelFunc
	stopped chan error
}

func start(t *testing.T) sandbox {
	t.Helper()
	config, err := parseConfig(nil, environment(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []*string{
		&config.ControlAddr, &config.BenchmarkAddr, &config.AggregatorAddr, &config.SearchAddr, &config.PlacesAddr, &config.SocialAddr,
	} {
		*addr = "127.0.0.1:0"
	}
	c, err := open(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := sandbox{c, stop, make(chan error, 1)}
	go func() { s.stopped <- c.serve(ctx, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(stop)
	return s
}

// send makes a request and returns the status and the body.
func (s sandbox) send(t *testing.T, method, address, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(text))
}

func TestControlAddress(t *testing.T) {
	const (
		noSite  = `{"allowed":["benchmark","aggregator","search","places","social"],"error":"unknown site: moon"}`
		toggles = `{"dead_metrics":[],"empty_insights":false,"missing_permissions":[],"omit_expires_in":false,"usage_percent":0}`
	)
	times := regexp.MustCompile(`,"arrived_at":"[^"]+","arrived_unix_nano":\d+`)
	s := start(t)
	s.send(t, "GET", s.Sites[2].URL+"/first", "")
	if status, body := s.send(t, "GET", s.Sites[1].URL+"/;szukaj-RTX+4070?x=<1>", ""); status != 200 || !strings.Contains(body, "cat-prod-row") {
		t.Errorf("the aggregator: %d %.200s", status, body)
	}
	for _, c := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"GET", "/requests?site=aggregator", "", 200, `{"count":1,"requests":[{"site":"aggregator","method":"GET","path":"/;szukaj-RTX+4070?x=<1>","user_agent":"Go-http-client/1.1"}]}`},
		{"GET", "/requests", "", 200, `{"count":2,"requests":[{"site":"search","method":"GET","path":"/first","user_agent":"Go-http-client/1.1"},` +
			`{"site":"aggregator","method":"GET","path":"/;szukaj-RTX+4070?x=<1>","user_agent":"Go-http-client/1.1"}]}`},
		{"GET", "/requests?site=moon", "", 404, noSite},
		{"DELETE", "/requests", "", 204, ""},
		{"GET", "/requests", "", 200, `{"count":0,"requests":[]}`},
		{"PUT", "/faults/search", `{"kind":"status","status":503,"retry_after":2,"times":1}`, 200,
			`{"fault":{"kind":"status","times":1,"status":503,"retry_after":2},"site":"search"}`},
		{"PUT", "/faults/search", `{"kind":"slow"}`, 400, `{"error":"delay_ms is required for kind slow"}`},
		{"PUT", "/faults/moon", `{"kind":"down"}`, 404, noSite},
		{"GET", "/faults", "", 200, `{"faults":[{"fault":null,"site":"benchmark"},{"fault":null,"site":"aggregator"},` +
			`{"fault":{"kind":"status","times":1,"status":503,"retry_after":2},"site":"search"},{"fault":null,"site":"places"},{"fault":null,"site":"social"}]}`},
		{"DELETE", "/faults/search", "", 204, ""},
		{"GET", "/toggles/social", "", 200, `{"site":"social","toggles":` + toggles + `}`},
		{"PUT", "/toggles/social", `{"usage_percent":95}`, 200, `{"site":"social","toggles":` + strings.Replace(toggles, "0}", "95}", 1) + `}`},
		{"PUT", "/toggles/social", `{"usage_percent":true}`, 400, `{"error":"toggle usage_percent takes a value like 95"}`},
		{"GET", "/state/places", "", 200, `{"site":"places","state":{"counts":{}}}`},
		{"POST", "/state/search/revoke-grants", "", 200, `{"ended_tokens":0}`},
		{"POST", "/state/search/revoke-grants", `{"account":"ewa"}`, 400, `{"error":"account \"ewa\" is not one of: anna, marek, zofia, piotr, tomasz"}`},
		{"POST", "/state/search/dance", "", 400, `{"error":"action \"dance\" is not one of: expire-access-tokens, revoke-grants"}`},
		{"DELETE", "/state/social", "", 204, ""},
		{"GET", "/toggles/social", "", 200, `{"site":"social","toggles":` + toggles + `}`},
		{"GET", "/issued?site=search", "", 200, `{"count":0,"forgotten":0,"secrets":[]}`},
		{"GET", "/issued?site=moon", "", 404, noSite},
	} {
		status, body := s.send(t, c.method, s.URL+c.target, c.body)
		if got := times.ReplaceAllString(body, ""); status != c.status || got != c.want {
			t.Errorf("%s %s %s:\ngot  %d %s\nwant %d %s", c.method, c.target, c.body, status, got, c.status, c.want)
		}
	}
}

func TestControlAddressRefusesOthers(t *testing.T) {
	s := start(t)
	handler := s.handler()
	for addr, want := range map[string]int{
		"127.9.9.9:1": 200, "[::1]:1": 200, "[::ffff:127.0.0.1]:1": 200, "192.168.1.5:1": 403, "[2001:db8::1]:1": 403, "": 403, "@": 403,
	} {
		request := httptest.NewRequest("GET", "/issued", nil)
		request.RemoteAddr = addr
		recorder := httptest.NewRecorder()
		if handler.ServeHTTP(recorder, request); recorder.Code != want {
			t.Errorf("secrets for %q: got %d, want %d", addr, recorder.Code, want)
		}
	}
	request := httptest.NewRequest("PUT", "/faults/search", strings.NewReader(`{"kind":"down"}`))
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	recorder := httptest.NewRecorder()
	if handler.ServeHTTP(recorder, request); recorder.Code != http.StatusForbidden || s.Sites[2].Fault() != nil {
		t.Errorf("from another origin: %d, fault %+v", recorder.Code, s.Sites[2].Fault())
	}
}

// The README and the admin page name every site, fault, toggle and action.
func TestEverythingIsDocumented(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t)
	_, page := s.send(t, "GET", s.URL+"/", "")
	var names []string
	for _, site := range s.Sites {
		names = append(names, site.Name)
		for _, kind := range site.Faults {
			names = append(names, kind.Kind)
		}
		for _, toggle := range site.Toggles {
			names = append(names, toggle.Name)
		}
		names = append(names, site.Actions()...)
		if !strings.Contains(page, site.Title) || len(site.Links) > 0 && !strings.Contains(page, site.Links[0].Text) {
			t.Errorf("the page lacks the site %s", site.Name)
		}
	}
	for _, name := range names {
		if !strings.Contains(string(readme), "`"+name+"`") || !strings.Contains(page, name) {
			t.Errorf("the README or the page does not name %s", name)
		}
	}
	for _, setting := range new(Config).settings() {
		for _, name := range []string{setting.variable, "-" + setting.flag, setting.fallback} {
			if !strings.Contains(string(readme), "`"+name+"`") {
				t.Errorf("the README does not name %s", name)
			}
		}
	}
}

func TestStoppingEndsADelayAtOnce(t *testing.T) {
	s := start(t)
	s.send(t, "PUT", s.URL+"/faults/benchmark", `{"kind":"slow","delay_ms":600000}`)
	left := make(chan error, 1)
	go func() {
		_, err := http.Get(s.Sites[0].URL)
		left <- err
	}()
	for len(s.Sites[0].Requests()) == 0 {
		time.Sleep(time.Millisecond)
	}
	asked := time.Now()
	s.stop()
	if err := <-s.stopped; err != nil || time.Since(asked) >= drainTimeout {
		t.Errorf("stopped with %v after %s", err, time.Since(asked))
	}
	if err := <-left; err == nil {
		t.Error("the slow request was answered")
	}
}

func TestOneFailingServerStopsThemAll(t *testing.T) {
	s := start(t)
	s.send(t, "GET", s.URL+"/healthz", "")
	s.Sites[0].listener.Close()
	if err := <-s.stopped; err == nil || !strings.Contains(err.Error(), "serving "+s.Sites[0].URL) {
		t.Errorf("stopped with %v", err)
	}
}

func TestCommandLine(t *testing.T) {
	s := start(t)
	unused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	unused.Close()
	addr := func(url string) string { return strings.TrimPrefix(url, "http://") }
	for name, c := range map[string]struct {
		args           []string
		env            map[string]string
		code           int
		stdout, stderr string
	}{
		"help":            {[]string{"--help"}, nil, 0, "usage: sandbox", ""},
		"settings":        {[]string{"-h"}, map[string]string{"SANDBOX_SEARCH_ADDR": "[::1]:2"}, 0, `(default "[::1]:2")`, ""},
		"version":         {[]string{"--version"}, nil, 0, "sandbox version dev (commit unknown, built unknown)\n", ""},
		"unknown flag":    {[]string{"-x"}, nil, 2, "", "not defined: -x"},
		"unknown command": {[]string{"dance"}, nil, 2, "", `unknown argument "dance"`},
		"every interface": {[]string{"serve", "-control-addr", ":0"}, nil, 2, "", "not a loopback address"},
		"a network": {nil, map[string]string{"SANDBOX_SOCIAL_ADDR": "192.168.1.5:80", "SANDBOX_REDIRECT_BASE": "localhost:8080"}, 2, "",
			"SANDBOX_REDIRECT_BASE=\"localhost:8080\": must be an http(s) URL"},
		"no switch":   {nil, map[string]string{"SANDBOX_ALLOW_REMOTE": "perhaps"}, 2, "", `SANDBOX_ALLOW_REMOTE="perhaps" is not true or false`},
		"taken port":  {[]string{"-control-addr", addr(s.URL)}, nil, 1, "", "in use"},
		"healthy":     {[]string{"healthcheck", "-control-addr", addr(s.URL)}, nil, 0, "", ""},
		"unhealthy":   {[]string{"healthcheck", "-control-addr", addr(s.Sites[0].URL)}, nil, 1, "", "health response: 404"},
		"not running": {[]string{"healthcheck", "-control-addr", unused.Addr().String()}, nil, 1, "", "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			defer stop()
			var stdout, stderr bytes.Buffer
			code := run(ctx, c.args, environment(c.env), &stdout, &stderr)
			if code != c.code || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
				t.Errorf("exit %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
			}
		})
	}
}

// TestPeopleAreSentBackToTheApp checks that the redirect address has one slash.
func TestPeopleAreSentBackToTheApp(t *testing.T) {
	for _, base := range []string{"http://app.example", "http://app.example/"} {
		for i, provider := range map[int]string{2: "provider_search", 4: "provider_social"} {
			want := url.QueryEscape("http://app.example/api/oauth/callback/" + provider)
			if path := sites(Config{RedirectBase: base})[i].Links[0].Path; !strings.Contains(path, "redirect_uri="+want+"&") {
				t.Errorf("base %s: %s", base, path)
			}
		}
	}
}
