package web

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// getWith requests a page with the cookie, unless that is empty.
func (w world) getWith(t *testing.T, target, code string) page {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	if code != "" {
		r.AddCookie(&http.Cookie{Name: buildCookie, Value: code})
	}
	return w.answer(t, r)
}

// cookie returns the build's cookie that a page sets, nil if it sets none.
func (p page) cookie() *http.Cookie {
	for _, c := range (&http.Response{Header: p.header}).Cookies() {
		if c.Name == buildCookie {
			return c
		}
	}
	return nil
}

func TestBuildIsThereAfterTheHomePage(t *testing.T) {
	w := newWorld(t)
	for _, seen := range []string{gaming, strings.Replace(gaming, "zestaw", "ranking/gpu", 1),
		strings.Replace(gaming, "/zestaw", "", 1)} {
		set := w.get(t, seen).cookie()
		if set == nil || !set.HttpOnly {
			t.Fatalf("%s: cookie %v", seen, set)
		}
		if set.Path != "/kreator" || set.SameSite != http.SameSiteLaxMode {
			t.Fatalf("%s: cookie %v", seen, set)
		}
		if set.MaxAge != 0 {
			t.Fatalf("%s: cookie %v", seen, set)
		}
		back := w.getWith(t, "/kreator", set.Value)
		if want := strings.Replace(gaming, "/zestaw", "", 1); back.status != http.StatusFound ||
			back.header.Get("Location") != want {
			t.Errorf("%d to %s, want %s", back.status, back.header.Get("Location"), want)
		}
		if back.header.Get("Cache-Control") != "no-store" ||
			!strings.Contains(strings.Join(back.header.Values("Vary"), ","), "Cookie") {
			t.Errorf("caches may keep the redirect: %v", back.header)
		}
		if p := w.getWith(t, "/kreator?cpu=Ryzen+5", set.Value); p.status != http.StatusOK {
			t.Errorf("another build in the address: %d", p.status)
		}
	}
}

func TestEmptiedBuildIsForgotten(t *testing.T) {
	w := newWorld(t)
	code := w.get(t, gaming).cookie().Value
	if set := w.getWith(t, "/kreator/zestaw", code).cookie(); set == nil || set.MaxAge >= 0 {
		t.Errorf("cookie %v", set)
	}
	for _, page := range []string{"/kreator", "/kreator/zestaw", "/kreator/ranking/gpu"} {
		if set := w.get(t, page).cookie(); set != nil {
			t.Errorf("%s sets %v for nobody's build", page, set)
		}
	}
}

func TestHostileBuildCookieIsIgnored(t *testing.T) {
	w := newWorld(t)
	for name, code := range map[string]string{
		"no parameters": "%zz", "no part": "cpu=ab", "long": "cpu=" + strings.Repeat("A", maxBuildCookie),
	} {
		if p := w.getWith(t, "/kreator", code); p.status != http.StatusOK {
			t.Errorf("%s: %d", name, p.status)
		}
	}
}

// noise returns the parameters of a build of n parts with long names.
func noise(n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, "ram="+strings.Repeat("%C5%BC", 190)+strconv.Itoa(i))
	}
	return strings.Join(parts, "&")
}

func TestLongBuildHasNoCookie(t *testing.T) {
	w := newWorld(t)
	if set := w.get(t, "/kreator/zestaw?"+noise(maxItems)).cookie(); set != nil {
		t.Errorf("%d bytes", len(set.Value))
	}
}
