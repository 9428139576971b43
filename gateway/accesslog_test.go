package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAccessLogContainsNoSecrets(t *testing.T) {
	t.Parallel()
	p, directory, _ := newGateway(t)
	directory.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "made-inside")
		w.Header().Set("Set-Cookie", "session=secret-set-cookie")
		w.Header().Set("Location", "/konto/integracje?oauth_error=secret-location")
		w.WriteHeader(http.StatusInternalServerError)
	})
	got := p.get(t, "/api/oauth/status?code=secret-code&state=secret-state",
		"Cookie", "session=secret-cookie",
		"Authorization", "Bearer secret-token",
		"Referer", "https://app.example/?secret-referer",
		"X-Request-Id", "secret-from-outside",
		"User-Agent", "routing-test/1")

	if v := got.header.Get("X-Request-Id"); v != "made-inside" {
		t.Errorf("the client received X-Request-Id: %q", v)
	}

	var line map[string]any
	eventually(t, "the request is logged", func() bool {
		line = logged(t, p, "directory-read@file")
		return line != nil
	})
	for field, want := range map[string]any{
		"RequestMethod":           "GET",
		"RequestPath":             "/api/oauth/status",
		"DownstreamStatus":        float64(http.StatusInternalServerError),
		"ClientHost":              "127.0.0.1",
		"ServiceAddr":             directory.addr(),
		"downstream_X-Request-Id": "made-inside",
		"request_User-Agent":      "routing-test/1",
	} {
		if line[field] != want {
			t.Errorf("%s: %v, want %v", field, line[field], want)
		}
	}
	const code = "code=secret-code"
	for _, path := range []string{
		"/api/oauth/callback/provider_search%3F" + code, "/api/oauth/callback/provider_search%3f" + code,
		"/api/oauth/callback/provider_search;" + code,
		"/api/oauth/callback/provider_search&" + code, "/api/oauth/callback%3F" + code, "/api/oauth%3F" + code,
		"/api/oauth/callback/provider_search4secret", "/konto/nowe-haslo%23" + code, "/kreator%253F" + code,
		`/konto/\` + code, "/api/prices/x%5C" + code, "/api/prices/%00" + code, "/api/oauth/%0A%3F" + code,
		"http://secret@gateway/api/oauth/status",
	} {
		if got := p.talk(t, "GET "+path+" HTTP/1.1\r\nHost: gateway\r\n\r\n"); got.status < 400 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	p.get(t, "/api/oauth/last")
	eventually(t, "the last request is logged",
		func() bool { return strings.Contains(p.log.String(), "/api/oauth/last") })
	if log := p.log.String(); strings.Contains(log, "secret") {
		t.Errorf("a secret in the log:\n%s", log)
	}
}

// The services log all other requests. Refusals by a limit are counted instead.
func TestAccessLogContainsErrorsAndSlowResponses(t *testing.T) {
	t.Parallel()
	directory, hardware := newBackend(t, "directory"), newBackend(t, "hardware")
	p := startGateway(
		t, setup{directory: servers(directory), hardware: servers(hardware), env: []string{"GATEWAY_CLIENT_RATE=2"}},
	)
	hardware.answerWith(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/prices/failed":
			w.WriteHeader(http.StatusNotFound)
		case "/api/prices/slow":
			time.Sleep(time.Second)
		}
	})
	p.send(t, "POST", "/api/auth/login", strings.Repeat("a", 64<<10+1))
	refused := 0
	for range 20 {
		if p.get(t, "/api/auth/me").status == http.StatusTooManyRequests {
			refused++
		}
	}
	for _, path := range []string{"/api/prices/quick", "/api/prices/failed", "/api/prices/slow"} {
		p.get(t, path)
	}
	var paths []string
	eventually(t, "the slow answer is logged", func() bool {
		paths = nil
		for text := range strings.Lines(p.log.String()) {
			var line struct{ RequestPath string }
			if err := json.Unmarshal([]byte(text), &line); err == nil && line.RequestPath != "" &&
				line.RequestPath != loadedPath {
				paths = append(paths, line.RequestPath)
			}
		}
		return slices.Contains(paths, "/api/prices/slow")
	})
	if want := []string{"/api/prices/failed", "/api/prices/slow"}; !slices.Equal(paths, want) {
		t.Errorf("logged %q, want %q", paths, want)
	}
	counted := fmt.Sprintf(
		`traefik_entrypoint_requests_total{code="429",entrypoint="web",method="GET",protocol="http"} %d`, refused,
	)
	if refused == 0 || !strings.Contains(p.metrics(), counted+"\n") {
		t.Errorf("no %s", counted)
	}
}

// logged returns the first access log line of a router, or nil. The name of a router is
// preceded by that of its parent.
func logged(t *testing.T, p *process, router string) map[string]any {
	t.Helper()
	for text := range strings.Lines(p.log.String()) {
		var line map[string]any
		if !strings.HasSuffix(text, "\n") {
			return nil
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("not a JSON log line: %v: %s", err, text)
		}
		if name, _ := line["RouterName"].(string); strings.HasSuffix(name, router) {
			return line
		}
	}
	return nil
}
