package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	contracts "backend.example/proto-free-contracts"
)

var address = regexp.MustCompile(`(?:src|href)="([^"#]*)(#[^"]+)?"`)

// TestReference follows every link of both pages, within the page and to files of
// ours.
func TestReference(t *testing.T) {
	w := newWorld(t)
	for path, wants := range map[string][]string{
		"/docs":          {`href="/openapi/directory.yaml"`, `id="connect"`, `id="schema-Audit"`, "invalid_state_format", "Wymaga zalogowania"},
		"/docs/hardware": {`href="/openapi/hardware.yaml"`, `id="getPrices"`, `id="schema-Offer"`, "query_too_short", `data-path="/api/benchmark/{type}"`},
	} {
		body := w.get(path).shows(200, "API:").Body.String()
		for _, want := range append(wants, "<strong>Access.</strong>", `href="#header-NoStore"`) {
			if !strings.Contains(body, want) {
				t.Errorf("no %s at %s", want, path)
			}
		}
		for _, match := range address.FindAllStringSubmatch(body, -1) {
			target, fragment := match[1], match[2]
			if fragment != "" && !strings.Contains(body, ` id="`+fragment[1:]+`"`) {
				t.Errorf("%s leads nowhere at %s", fragment, path)
			}
			if !strings.HasPrefix(target, "/konto/static/") && !strings.HasPrefix(target, "/openapi/") {
				continue
			}
			if a := w.get(target); a.Code != 200 || a.Body.Len() == 0 {
				t.Errorf("%s: %d", target, a.Code)
			}
		}
		if n := strings.Count(body, "<details class=\"card operation\">"); n != strings.Count(body, `data-method="`) || n == 0 {
			t.Errorf("%d operations at %s", n, path)
		}
	}
}

func TestDocuments(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string][]byte{"/openapi/directory.yaml": contracts.Directory(), "/openapi/hardware.yaml": contracts.Hardware()} {
		first := w.get(path)
		if first.Body.String() != string(want) || first.Header().Get("Content-Type") != "application/yaml" {
			t.Errorf("%s: %d bytes of %s", path, first.Body.Len(), first.Header().Get("Content-Type"))
		}
		again := w.do(http.MethodGet, path, "", "If-None-Match", first.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s again: %d", path, again.Code)
		}
	}
}
