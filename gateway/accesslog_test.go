package gateway

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestAccessLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	p, directory, _ := newGateway(t)
	directory.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "made-inside")
		w.Header().Set("Set-Cookie", "session=secret-set-cookie")
		w.Header().Set("Location", "/konto/integracje?oauth_error=secret-location")
		w.WriteHeader(http.StatusFound)
	})
	p.get(t, "/api/oauth/callback/provider_search?code=secret-code&state=secret-state",
		"Cookie", "session=secret-cookie",
		"Authorization", "Bearer secret-token",
		"Referer", "https://app.example/?secret-referer",
		"X-Request-Id", "secret-from-outside",
		"User-Agent", "routing-test/1")

	var line map[string]any
	eventually(t, "the request is logged", func() bool {
		line = logged(t, p, "directory-callback@file")
		return line != nil
	})
	for field, want := range map[string]any{
		"RequestMethod":           "GET",
		"RequestPath":             "/api/oauth/callback/provider_search",
		"DownstreamStatus":        float64(http.StatusFound),
		"ClientHost":              "127.0.0.1",
		"ServiceAddr":             directory.addr(),
		"downstream_X-Request-Id": "made-inside",
		"request_User-Agent":      "routing-test/1",
	} {
		if line[field] != want {
			t.Errorf("%s: %v, want %v", field, line[field], want)
		}
	}
	if log := p.log.String(); strings.Contains(log, "secret") {
		t.Errorf("a secret in the log:\n%s", log)
	}
}

// logged returns the first access log line of a router, or nil. The name of a
// router follows that of its parent.
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
