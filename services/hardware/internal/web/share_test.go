package web_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/apptest"
)

const gaming = "case=Endorfy+Signum+300+ARGB&cooling=Endorfy+Fera+5&cpu=AMD+Ryzen+7+7800X3D" +
	"&gpu=Nvidia+RTX+4070+SUPER&motherboard=MSI+MAG+B650+Tomahawk+WIFI&psu=be+quiet%21+Pure+Power+12+M+750W" +
	"&ram=Kingston+Fury+Beast+DDR5+6000+C30+2x16GB&storage=Samsung+990+PRO+2TB"

// cookie is the header with a remembered build.
func cookie(build string) string { return "kreator_zestaw=" + build }

func TestBuildIsRemembered(t *testing.T) {
	a := newApp(t)
	for _, path := range []string{"/kreator", "/kreator/zestaw", "/kreator/ranking/gpu"} {
		want := []*http.Cookie{{
			Name: "kreator_zestaw", Value: gaming, Path: "/kreator", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		}}
		set := a.Get(path + "?" + gaming).Want(http.StatusOK).Result().Cookies()
		if diff := cmp.Diff(want, set, cmp.FilterPath(isRaw, cmp.Ignore())); diff != "" {
			t.Errorf("%s (-want +set):\n%s", path, diff)
		}
	}
	back := a.Get("/kreator", "Cookie", cookie(gaming)).Want(http.StatusFound).Header()
	want := http.Header{"Location": {"/kreator?" + gaming}, "Cache-Control": {"no-store"}}
	got := http.Header{"Location": back["Location"], "Cache-Control": back["Cache-Control"]}
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(strings.Join(back["Vary"], ","), "Cookie") {
		t.Errorf("Vary %q (-want +got):\n%s", back["Vary"], diff)
	}
	a.Get("/kreator?cpu=Ryzen+5", "Cookie", cookie(gaming)).Want(http.StatusOK) // the address has another build
	emptied := a.Get("/kreator/zestaw", "Cookie", cookie(gaming)).Result().Cookies()
	if len(emptied) != 1 || emptied[0].MaxAge >= 0 {
		t.Errorf("after the last part is removed the cookies are %v", emptied)
	}
}

func isRaw(path cmp.Path) bool { return path.Last().String() == ".Raw" }

// What is no build, or is too long for a cookie, is neither remembered nor read.
func TestNoBuildIsRemembered(t *testing.T) {
	a := newApp(t)
	for _, path := range []string{"/kreator", "/kreator/zestaw", "/kreator/zestaw?" + noise()} {
		if set := a.Get(path).Want(http.StatusOK).Header()["Set-Cookie"]; set != nil {
			t.Errorf("%.40s: cookies %q", path, set)
		}
	}
	for _, build := range []string{"%zz", "cpu=ab", "cpu=" + strings.Repeat("A", 3500)} {
		a.Get("/kreator", "Cookie", cookie(build)).Want(http.StatusOK)
	}
}

// noise is a build of 20 parts with the longest names.
func noise() string {
	var parts []string
	for n := range 20 {
		parts = append(parts, "ram="+strings.Repeat("%C5%BC", 190)+strconv.Itoa(n))
	}
	return strings.Join(parts, "&")
}

// post sends the form that shares a build.
func post(a *apptest.App, form string, headers ...string) *apptest.Response {
	r := httptest.NewRequest(http.MethodPost, "/kreator/z", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return a.Do(r, headers...)
}

// share returns the short address of a build.
func share(t *testing.T, a *apptest.App, build string) string {
	t.Helper()
	page := open(t, a, post(a, build).Want(http.StatusSeeOther).Header().Get("Location"))
	return page.Find("details a").AttrOr("href", "")
}

func TestSharedBuildIsSomebodyElses(t *testing.T) {
	a := newApp(t)
	short := share(t, a, gaming)
	if again := share(t, a, gaming); len(short) != 28 || again != short {
		t.Errorf("the short address is %s, and then %s", short, again)
	}
	response := a.Get(short, "Cookie", cookie("cpu=Ryzen+5")).Want(http.StatusOK)
	if set := response.Header()["Set-Cookie"]; set != nil {
		t.Errorf("the visitor's build is replaced by %q", set)
	}
	require(t, short, parse(t, response), facts{
		"h1": {"Udostępniony zestaw"},
		".alert.screen p": {
			"Ktoś udostępnił ten zestaw. Twój własny zestaw się nie zmienił: zobacz go.",
			"Skopiuj do mojego Zastąpi Twój obecny zestaw.",
		},
		".alert.screen a@href":  {"/kreator/zestaw?cpu=Ryzen+5", "/kreator/zestaw?" + gaming},
		".printed-address":      {"http://example.com" + short},
		"tr:nth-child(3) th a":  {"MSI MAG B650 Tomahawk WIFI"},
		"a.danger, #brakuje":    nil,
		"noscript meta@content": {"0; url=" + short + "?czekaj=1"},
	})
}

// The new builds of a client are limited; a build that is stored already costs nothing.
func TestOneClientStoresFewBuilds(t *testing.T) {
	a := newApp(t)
	for n := range 20 {
		share(t, a, "cpu=Ryzen+"+strings.Repeat("7", n+1))
	}
	if got := post(a, gaming).Want(http.StatusTooManyRequests).Header().Get("Retry-After"); got != "180" {
		t.Errorf("Retry-After %q", got)
	}
	share(t, a, "cpu=Ryzen+7")
}

func TestWhatCannotBeShared(t *testing.T) {
	a := newApp(t)
	for _, form := range []string{"", "toaster=abc", "cpu=ab", "cpu=%zz", noise()} {
		post(a, form).Want(http.StatusBadRequest)
	}
	post(a, gaming, "Sec-Fetch-Site", "cross-site").Want(http.StatusForbidden)
}

func TestSharingWithoutItsStore(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "builds"), nil, 0o600); err != nil { // where a folder should be
		t.Fatal(err)
	}
	a := newApp(t, "HARDWARE_STATE_DIR="+dir)
	read := parse(t, a.Get("/kreator/z/aaaaaaaaaaaaaaaaa").Want(http.StatusServiceUnavailable))
	require(t, "reading", read, facts{"h1": {"Nie udało się odczytać zestawu. Spróbuj ponownie później."}})
	stored := parse(t, post(a, gaming).Want(http.StatusServiceUnavailable))
	require(t, "storing", stored, facts{
		"h1": {"Nie udało się utworzyć krótkiego adresu. Adres tej strony też prowadzi do zestawu."},
	})
}
