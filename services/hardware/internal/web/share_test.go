package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const gaming = "/kreator/zestaw?case=Endorfy+Signum+300+ARGB&cooling=Endorfy+Fera+5&cpu=AMD+Ryzen+7+7800X3D" +
	"&gpu=Nvidia+RTX+4070+SUPER&motherboard=MSI+MAG+B650+Tomahawk+WIFI&psu=be+quiet%21+Pure+Power+12+M+750W" +
	"&ram=Kingston+Fury+Beast+DDR5+6000+C30+2x16GB&storage=Samsung+990+PRO+2TB"

// share stores the build of a page's address as its form does.
func (w world) share(t *testing.T, address string) page {
	t.Helper()
	_, form, _ := strings.Cut(address, "?")
	r := httptest.NewRequest(http.MethodPost, "/kreator/z", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.answer(t, r)
}

// shortOf shares a build and returns its short address.
func (w world) shortOf(t *testing.T, address string) string {
	t.Helper()
	stored := w.share(t, address)
	if stored.status != http.StatusSeeOther {
		t.Fatalf("%d", stored.status)
	}
	return w.get(t, stored.header.Get("Location")).attribute("a[href^='/kreator/z/']", "href")
}

func TestSharedBuildIsSomebodyElses(t *testing.T) {
	w := newWorld(t)
	short := w.shortOf(t, gaming)
	if len(short) != 28 {
		t.Errorf("%d characters: %s", len(short), short)
	}
	const own = "cpu=Ryzen+5"
	p := w.getWith(t, short, own)
	p.shows("Ktoś udostępnił ten zestaw.", "Skopiuj do mojego", "MSI MAG B650 Tomahawk WIFI")
	if set := p.cookie(); set != nil {
		t.Errorf("the visitor's build was replaced by %s", set.Value)
	}
	if got := p.attribute(".alert a", "href"); got != "/kreator/zestaw?"+own {
		t.Errorf("the visitor's build is at %s", got)
	}
	if got := p.attribute("a.button[href^='/kreator/zestaw?case']", "href"); got != gaming {
		t.Errorf("it is copied by %s", got)
	}
	p.counts("a.danger", 0)
}

func TestSharedTwiceIsOneAddress(t *testing.T) {
	w := newWorld(t)
	if first, second := w.shortOf(t, gaming), w.shortOf(t, gaming); first != second {
		t.Errorf("%s, then %s", first, second)
	}
}

// TestOneClientStoresFewBuilds: the same build costs nothing.
func TestOneClientStoresFewBuilds(t *testing.T) {
	w := newWorld(t)
	for n := range 20 {
		w.shortOf(t, "?cpu=Ryzen+"+strings.Repeat("7", n+1))
	}
	p := w.share(t, gaming)
	if p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") != "180" {
		t.Errorf("%d, Retry-After %q", p.status, p.header.Get("Retry-After"))
	}
	w.shortOf(t, "?cpu=Ryzen+7")
}

func TestUnknownShortAddresses(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"aaaaaaaaaaaaaaaaa", "2", "AAAAAAAAAAAAAAAAA"} {
		if p := w.get(t, sharedPath+id); p.status != http.StatusNotFound {
			t.Errorf("%s: %d", id, p.status)
		}
	}
	w.get(t, gaming+"&krotki=aaaaaaaaaaaaaaaaa").counts("form[action='/kreator/z']", 1)
}

func TestWhatCannotBeShared(t *testing.T) {
	w := newWorld(t)
	for form, want := range map[string]int{
		"?": 400, "?toaster=abc": 400, "?cpu=ab": 400, "?cpu=%zz": 400, "?" + noise(maxItems): 400,
	} {
		if p := w.share(t, form); p.status != want {
			t.Errorf("%.40s: %d, want %d", form, p.status, want)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/kreator/z", strings.NewReader("cpu=Ryzen+7"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if p := w.answer(t, r); p.status != http.StatusForbidden {
		t.Errorf("from another site: %d", p.status)
	}
}

func TestSharingWithoutItsStore(t *testing.T) {
	w := newWorld(t)
	short := w.shortOf(t, gaming)
	w.builds.err = errors.New("down")
	for message, p := range map[string]page{
		"Nie udało się odczytać zestawu. Spróbuj ponownie później.": w.get(t, short),
		"Nie udało się utworzyć krótkiego adresu.":                  w.share(t, gaming),
	} {
		p.shows(message)
		if p.status != http.StatusServiceUnavailable || strings.Contains(p.Text(), "down") {
			t.Errorf("%s: %d %s", message, p.status, p.Text())
		}
	}
}
