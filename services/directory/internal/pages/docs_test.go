package pages_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	contracts "backend.example/proto-free-contracts"
)

var address = regexp.MustCompile(`(?:src|href)="([^"#]+)"`)

// TestReference follows every link of both pages to files of ours.
func TestReference(t *testing.T) {
	w := newWorld(t)
	for path, document := range map[string]string{"/docs": "directory", "/docs/hardware": "hardware"} {
		body := w.get(path).shows(200, "API:").Body.String()
		if !strings.Contains(body, `data-document="/openapi/`+document+`.yaml"`) {
			t.Errorf("%s shows another document", path)
		}
		library := false
		for _, match := range address.FindAllStringSubmatch(body, -1) {
			target := match[1]
			if !strings.HasPrefix(target, "/konto/static/") && !strings.HasPrefix(target, "/openapi/") {
				continue
			}
			library = library || strings.Contains(target, "swagger-ui-bundle")
			if response, content := w.content(target); response.StatusCode != 200 || len(content) == 0 {
				t.Errorf("%s: %d", target, response.StatusCode)
			} else if strings.HasPrefix(target, "/konto/") && !strings.Contains(response.Header.Get("Cache-Control"), "immutable") {
				t.Errorf("%s is not kept", target)
			}
		}
		if !library {
			t.Errorf("%s does not load the library", path)
		}
	}
}

func TestDocuments(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string][]byte{"/openapi/directory.yaml": contracts.Directory(), "/openapi/hardware.yaml": contracts.Hardware()} {
		response, content := w.content(path)
		if content != string(want) || response.Header.Get("Content-Type") != "application/yaml" {
			t.Errorf("%s: %d bytes of %s", path, len(content), response.Header.Get("Content-Type"))
		}
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("If-None-Match", response.Header.Get("ETag"))
		again := httptest.NewRecorder()
		w.echo.ServeHTTP(again, r)
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s again: %d", path, again.Code)
		}
	}
}
