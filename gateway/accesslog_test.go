package gateway

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// logged returns the lines of the access log.
func (p *gateway) logged(t *testing.T) (lines []map[string]any) {
	t.Helper()
	for text := range strings.Lines(p.log()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			continue // not written completely
		}
		if path := line["RequestPath"]; path != nil && path != "/api/loaded" {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestAccessLogContainsNoSecrets(t *testing.T) {
	p, directory, _ := startWithServices(t)
	directory.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "made-inside")
		w.Header().Set("Set-Cookie", "session=secret-set-cookie")
		w.Header().Set("Location", "/konto/integracje?oauth_error=secret-location")
		w.WriteHeader(http.StatusInternalServerError)
	})
	got := p.get(t, "/api/oauth/status?code=secret-code&state=secret-state", "Cookie", "session=secret-cookie",
		"Authorization", "Bearer secret-token", "Referer", "https://app.example/?secret-referer",
		"X-Request-Id", "secret-from-outside", "User-Agent", "routing-test/1")
	if v := got.header.Get("X-Request-Id"); v != "made-inside" {
		t.Errorf("the client received X-Request-Id: %q", v)
	}
	eventually(t, "the request is logged", func() bool { return len(p.logged(t)) == 1 })
	line := p.logged(t)[0]
	for field, want := range map[string]any{
		"RequestMethod": "GET", "RequestPath": "/api/oauth/status", "DownstreamStatus": float64(500),
		"ClientHost": "127.0.0.1", "ServiceAddr": directory.public.Listener.Addr().String(),
		"downstream_X-Request-Id": "made-inside", "request_User-Agent": "routing-test/1",
	} {
		if line[field] != want {
			t.Errorf("%s: %v, want %v", field, line[field], want)
		}
	}
	const code = "code=secret-code"
	for _, path := range []string{
		"/api/oauth/callback/provider_search%3F" + code, "/api/oauth/callback/provider_search;" + code,
		"/api/oauth/callback/provider_search&" + code, "/api/oauth/callback%3F" + code, "/api/oauth%3f" + code,
		"/api/oauth/callback/provider_search4secret", "/konto/nowe-haslo%23" + code, "/kreator%253F" + code,
		`/konto/\` + code, "/api/prices/x%5C" + code, "/api/prices/%00" + code, "/api/oauth/%0A%3F" + code,
		"http://secret@gateway/api/oauth/status",
	} {
		if got := p.raw(t, path, ""); got.status < 400 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	p.get(t, "/api/oauth/last")
	eventually(t, "the last is logged", func() bool { return strings.Contains(p.log(), "/api/oauth/last") })
	if log := p.log(); strings.Contains(log, "secret") {
		t.Errorf("a secret in the log:\n%s", log)
	}
}

// The services log all other requests. Refusals by a limit are not logged.
func TestAccessLogContainsErrorsAndSlowResponses(t *testing.T) {
	p, _, hardware := startWithServices(t, "GATEWAY_CLIENT_RATE=2")
	hardware.answerWith(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/prices/failed":
			w.WriteHeader(http.StatusNotFound)
		case "/api/prices/slow":
			time.Sleep(time.Second) // shorter responses are not logged
		}
	})
	sendAs(t, p.client, "POST", p.web+"/api/auth/login", strings.Repeat("a", 64<<10+1))
	for range 20 {
		p.get(t, "/api/auth/me")
	}
	for _, path := range []string{"/api/prices/quick", "/api/prices/failed", "/api/prices/slow"} {
		p.get(t, path)
	}
	var paths []any
	eventually(t, "the slow answer is logged", func() bool {
		paths = nil
		for _, line := range p.logged(t) {
			paths = append(paths, line["RequestPath"])
		}
		return slices.Contains(paths, any("/api/prices/slow"))
	})
	if want := []any{"/api/prices/failed", "/api/prices/slow"}; !slices.Equal(paths, want) {
		t.Errorf("logged %q, want %q", paths, want)
	}
}
