package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

func environment(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

// anywhere are flags that let every address listen on a free port.
var anywhere = strings.Fields("-control-addr 127.0.0.1:0 -benchmark-addr 127.0.0.1:0 -aggregator-addr 127.0.0.1:0 " +
	"-search-addr 127.0.0.1:0 -places-addr 127.0.0.1:0 -social-addr 127.0.0.1:0")

type sandbox struct {
	*control
	stop    context.CancelFunc
	stopped chan error
}

func start(t *testing.T) sandbox {
	t.Helper()
	config, err := parseConfig(anywhere, environment(nil), nil)
	if err != nil {
		t.Fatal(err)
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
		toggles = `{"dead_metrics":[],"empty_insights":false,"missing_permissions":[],"omit_expires_in":false,` +
			`"usage_percent":0}`
	)
	times := regexp.MustCompile(`,"(arrived_at|issued_at)":"[^"]+Z"`)
	secret := func(site string) string { return `{"site":"` + site + `","kind":"code","value":"c0de"}` }
	s := start(t)
	aggregator, search, social := s.Sites[1], s.Sites[2], s.Sites[4]
	s.send(t, "GET", search.URL+"/first", "")
	for _, site := range []*site{search, social, search} {
		site.Register("code", "c0de")
	}
	status, body := s.send(t, "GET", aggregator.URL+"/;szukaj-RTX+4070?x=<1>", "")
	if status != 200 || !strings.Contains(body, "cat-prod-row") {
		t.Errorf("the aggregator answers %d %.200s", status, body)
	}
	for _, c := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"GET", "/requests?site=aggregator", "", 200,
			`{"count":1,"requests":[{"site":"aggregator","method":"GET","path":"/;szukaj-RTX+4070?x=<1>",` +
				`"user_agent":"Go-http-client/1.1"}]}`},
		{"GET", "/requests", "", 200,
			`{"count":2,"requests":[{"site":"search","method":"GET","path":"/first",` +
				`"user_agent":"Go-http-client/1.1"},` +
				`{"site":"aggregator","method":"GET","path":"/;szukaj-RTX+4070?x=<1>",` +
				`"user_agent":"Go-http-client/1.1"}]}`},
		{"GET", "/requests?site=moon", "", 404, noSite},
		{"DELETE", "/requests", "", 204, ""},
		{"GET", "/requests", "", 200, `{"count":0,"requests":[]}`},
		{"PUT", "/faults/search", `{"kind":"status","status":503,"retry_after":2,"times":1}`, 200,
			`{"fault":{"kind":"status","times":1,"status":503,"retry_after":2},"site":"search"}`},
		{"PUT", "/faults/search", `{"kind":"slow"}`, 400, `{"error":"delay_ms is required for kind slow"}`},
		{"PUT", "/faults/moon", `{"kind":"down"}`, 404, noSite},
		{"GET", "/faults", "", 200, `{"faults":[{"fault":null,"site":"benchmark"},{"fault":null,"site":"aggregator"},` +
			`{"fault":{"kind":"status","times":1,"status":503,"retry_after":2},"site":"search"},{"fault":null,` +
			`"site":"places"},{"fault":null,"site":"social"}]}`},
		{"DELETE", "/faults/search", "", 204, ""},
		{"GET", "/faults", "", 200, `{"faults":[{"fault":null,"site":"benchmark"},{"fault":null,"site":"aggregator"},` +
			`{"fault":null,"site":"search"},{"fault":null,"site":"places"},{"fault":null,"site":"social"}]}`},
		{"GET", "/toggles/social", "", 200, `{"site":"social","toggles":` + toggles + `}`},
		{"PUT", "/toggles/social", `{"usage_percent":95}`, 200, `{"site":"social","toggles":` +
			strings.Replace(toggles, "0}", "95}", 1) + `}`},
		{"PUT", "/toggles/social", `{"usage_percent":true}`, 400,
			`{"error":"toggle usage_percent takes a value like 95"}`},
		{"GET", "/state/places", "", 200, `{"site":"places","state":{"counts":{}}}`},
		{"POST", "/state/search/revoke-grants", "", 200, `{"ended_tokens":0}`},
		{"POST", "/state/search/revoke-grants", `{"account":"ewa"}`, 400,
			`{"error":"account \"ewa\" is not one of: anna, marek, zofia, piotr, tomasz"}`},
		{"POST", "/state/search/dance", "", 400, `{"error":"action \"dance\" is not one of: expire-access-tokens, ` +
			`revoke-grants"}`},
		{"DELETE", "/state/social", "", 204, ""},
		{"GET", "/nothing", "", 404, "404 page not found"},
		{"GET", "/toggles/social", "", 200, `{"site":"social","toggles":` + toggles + `}`},
		{"GET", "/issued?site=benchmark", "", 200, `{"count":0,"forgotten":0,"secrets":[]}`},
		{"GET", "/issued?site=search", "", 200, `{"count":2,"forgotten":0,"secrets":[` + secret("search") + "," +
			secret("search") + `]}`},
		{"GET", "/issued", "", 200, `{"count":3,"forgotten":0,"secrets":[` + secret("search") + "," + secret("social") +
			"," + secret("search") + `]}`},
		{"GET", "/issued?site=moon", "", 404, noSite},
	} {
		status, body := s.send(t, c.method, s.URL+c.target, c.body)
		if got := times.ReplaceAllString(body, ""); status != c.status || got != c.want {
			t.Errorf("%s %s %s:\ngot  %d %s\nwant %d %s", c.method, c.target, c.body, status, got, c.status, c.want)
		}
	}
	for range 10_001 {
		s.Sites[0].Register("code", "c0de")
	}
	if _, body := s.send(t, "GET", s.URL+"/issued", ""); !strings.HasPrefix(body, `{"count":10003,"forgotten":1,`) {
		t.Errorf("with a full register: %.100s", body)
	}
}

func TestControlAddressRefusesOtherMachinesAndOrigins(t *testing.T) {
	s := start(t)
	handler := s.handler()
	for addr, want := range map[string]int{
		"127.9.9.9:1": 200, "[::1]:1": 200, "[::ffff:127.0.0.1]:1": 200, "192.168.1.5:1": 403, "[2001:db8::1]:1": 403,
		"": 403, "@": 403,
	} {
		request := httptest.NewRequest("GET", "/issued", nil)
		request.RemoteAddr = addr
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != want {
			t.Errorf("secrets for %q: got status %d, want %d", addr, recorder.Code, want)
		}
		const refusal = `{"error":"issued secrets are shown on this machine only"}`
		body := strings.TrimSpace(recorder.Body.String())
		if refused := body == refusal; refused != (want == 403) {
			t.Errorf("secrets for %q: got %s", addr, body)
		}
		if value := recorder.Header().Get("Cache-Control"); value != "no-store" {
			t.Errorf("secrets for %q: Cache-Control is %q, want no-store", addr, value)
		}
	}
	request := httptest.NewRequest("PUT", "/faults/search", strings.NewReader(`{"kind":"down"}`))
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusForbidden {
		t.Errorf("a fault from another origin: got status %d, want 403", recorder.Code)
	}
	if fault := s.Sites[2].Fault(); fault != nil {
		t.Errorf("another origin has set the fault %+v", fault)
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
	const remote = "not a loopback address; set SANDBOX_ALLOW_REMOTE=true to listen on it all the same\n"
	served := strings.Repeat("time=TIME level=INFO msg=listening url=http://127.0.0.1:PORT\n", 6) +
		"time=TIME level=INFO msg=stopping\n"
	variable := regexp.MustCompile(`(127\.0\.0\.1:)\d+|(time=)\S+`)
	for name, c := range map[string]struct {
		args           []string
		env            map[string]string
		code           int
		stdout, stderr string
	}{
		"version":         {[]string{"--version"}, nil, 0, "sandbox version dev (commit unknown, built unknown)\n", ""},
		"unknown flag":    {[]string{"-x"}, nil, 2, "", "sandbox: flag provided but not defined: -x\n"},
		"unknown command": {[]string{"dance"}, nil, 2, "", "sandbox: unknown argument \"dance\"\n"},
		"every interface": {[]string{"serve", "-control-addr", ":0"}, nil, 2, "",
			"sandbox: SANDBOX_CONTROL_ADDR=\":0\": " + remote},
		"many problems": {[]string{"serve"},
			map[string]string{"SANDBOX_SOCIAL_ADDR": "192.168.1.5:80", "SANDBOX_REDIRECT_BASE": "localhost:8080",
				"SANDBOX_CLIENT_ID": " ", "SANDBOX_PLACES_ADDR": "9094"}, 2, "",
			"sandbox: SANDBOX_PLACES_ADDR=\"9094\": address 9094: missing port in " +
				"address\nSANDBOX_SOCIAL_ADDR=\"192.168.1.5:80\": " + remote +
				"SANDBOX_CLIENT_ID=\" \": must not be empty\nSANDBOX_REDIRECT_BASE=\"localhost:8080\": must be an " +
				"http(s) URL without query and fragment\n"},
		"no switch": {nil, map[string]string{"SANDBOX_ALLOW_REMOTE": "perhaps"}, 2, "",
			"sandbox: SANDBOX_ALLOW_REMOTE=\"perhaps\" is not true or false\n"},
		"serve":      {append([]string{"serve"}, anywhere...), nil, 0, "", served},
		"no command": {anywhere, nil, 0, "", served},
		"taken port": {[]string{"-control-addr", addr(s.URL)}, nil, 1, "",
			"sandbox: listen tcp 127.0.0.1:PORT: bind: address already in use\n"},
		"healthy": {[]string{"healthcheck", "-control-addr", addr(s.URL)}, nil, 0, "", ""},
		"any address": {
			[]string{"healthcheck", "-allow-remote", "-control-addr", s.URL[strings.LastIndex(s.URL, ":"):]}, nil, 0,
			"", "",
		},
		"unhealthy": {[]string{"healthcheck", "-control-addr", addr(s.Sites[0].URL)}, nil, 1, "",
			"sandbox: health response: 404 Not Found\n"},
		"not running": {[]string{"healthcheck", "-control-addr", unused.Addr().String()}, nil, 1, "",
			"sandbox: health request: Get \"http://127.0.0.1:PORT/healthz\": dial tcp 127.0.0.1:PORT: connect: " +
				"connection refused\n"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			defer stop()
			var stdout, stderr bytes.Buffer
			if c.stderr == served {
				stop()
			}
			code := run(ctx, c.args, environment(c.env), &stdout, &stderr)
			got := variable.ReplaceAllStringFunc(stderr.String(), func(text string) string {
				if strings.HasPrefix(text, "time=") {
					return "time=TIME"
				}
				return "127.0.0.1:PORT"
			})
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if stdout.String() != c.stdout {
				t.Errorf("stdout is %q, want %q", stdout.String(), c.stdout)
			}
			if got != c.stderr {
				t.Errorf("stderr is\n%swant\n%s", got, c.stderr)
			}
		})
	}
}
