package site_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

func address(t *testing.T, s *site.Site, name string) string {
	t.Helper()
	url, err := s.AssetURL(name)
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func TestAssets(t *testing.T) {
	s := newSite(t, options())
	const forEver = "public, max-age=31536000, immutable"
	for path, want := range map[string]struct{ contentType, cache string }{
		address(t, s, "site.css"):             {"text/css; charset=utf-8", forEver},
		address(t, s, "icon.svg"):             {"image/svg+xml", forEver},
		address(t, s, "more.js"):              {"text/javascript; charset=utf-8", forEver},
		"/konto/static/more.000000000000.js":  {"text/javascript; charset=utf-8", "no-store"}, // of another version
		"/konto/static/site.000000000000.css": {"text/css; charset=utf-8", "no-store"},
	} {
		answer := httptest.NewRecorder()
		if err := s.ServeAsset(answer, httptest.NewRequest(http.MethodGet, path, nil)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		h := answer.Header()
		if h.Get("Content-Type") != want.contentType || h.Get("Cache-Control") != want.cache || answer.Body.Len() == 0 {
			t.Errorf("%s: %v, %d bytes", path, h, answer.Body.Len())
		}
	}
	head := httptest.NewRecorder()
	if err := s.ServeAsset(head, httptest.NewRequest(http.MethodHead, address(t, s, "site.css"), nil)); err != nil || head.Body.Len() > 0 {
		t.Errorf("HEAD: %v, %d bytes", err, head.Body.Len())
	}
}

func TestUnknownAssets(t *testing.T) {
	s := newSite(t, options())
	for _, path := range []string{"/konto/static/none.0123.css", "/konto/static/", "/konto/static/..", "/konto/static/layout.1.html"} {
		answer := httptest.NewRecorder()
		err := s.ServeAsset(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if !fault.Is(err, "not_found") || answer.Body.Len() > 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := s.AssetURL("none.css"); err == nil {
		t.Error("an address for a file that is not there")
	}
}

func TestAssetAddressFollowsTheContent(t *testing.T) {
	one, two := options(), options()
	two.Static = fstest.MapFS{"more.js": file("alert(2)")}
	if a, b := address(t, newSite(t, one), "more.js"), address(t, newSite(t, two), "more.js"); a == b {
		t.Errorf("both at %s", a)
	}
}
