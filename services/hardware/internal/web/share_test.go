package web

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
)

const gaming = "/kreator/zestaw?case=Endorfy+Signum+300+ARGB&cooling=Endorfy+Fera+5&cpu=AMD+Ryzen+7+7800X3D" +
	"&gpu=Nvidia+RTX+4070+SUPER&motherboard=MSI+MAG+B650+Tomahawk+WIFI&psu=be+quiet%21+Pure+Power+12+M+750W" +
	"&ram=Kingston+Fury+Beast+DDR5+6000+C30+2x16GB&storage=Samsung+990+PRO+NVMe+PCIe+4.0+M.2+2TB&tytul=Do+gier"

func TestShortAddressLeadsToItsBuild(t *testing.T) {
	w := newWorld(t)
	short := w.get(t, gaming).attribute("a[href^='/kreator/z/']", "href")
	if len(short) > 125 { // the long one has 298
		t.Errorf("%d characters: %s", len(short), short)
	}
	if p := w.get(t, short); p.status != http.StatusFound || p.header.Get("Location") != gaming {
		t.Errorf("%d to %s", p.status, p.header.Get("Location"))
	}
}

// Another dictionary is another version: with it, the addresses that people have would lead
// to other builds.
func TestDictionaryBelongsToItsVersion(t *testing.T) {
	sum := sha256.Sum256([]byte(shareWords))
	if got := shareVersion + " " + hex.EncodeToString(sum[:4]); got != "1 9d1d42b3" {
		t.Errorf("version and digest are %s", got)
	}
}

// Addresses that people keep must lead to their builds for as long as their version is read.
func TestShortAddressesStay(t *testing.T) {
	for code, want := range map[string]string{
		"1Orr78OajTeVgn0KlAAEAAP__": "/x?cpu=Ryzen+7&tytul=%C5%BB%C3%B3%C5%82w",
	} {
		b, ok := parseShared(code)
		if got := address("/x", b); !ok || got != want {
			t.Errorf("%s: %s, %v", code, got, ok)
		}
	}
}

func TestShortAddressesKeepEveryBuild(t *testing.T) {
	for _, query := range []string{
		"usb=abc", "ram=Kit+A&ram=Kit+B&storage=Dysk+%2B%25+%22%F0%9F%98%80&tytul=%3Cscript%3E",
		"cpu=" + strings.Repeat("%C5%BC", 200),
	} {
		b := parse(t, query)
		again, ok := parseShared(strings.TrimPrefix(sharedAddress(b), sharedPath))
		if want, got := address("/x", b), address("/x", again); !ok || got != want {
			t.Errorf("%s became %s, %v", want, got, ok)
		}
	}
}

// packed is a code as a stranger may make one.
func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return shareVersion + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// TestUnpackingIsBounded: 10 MB fit into an address of 13 kB.
func TestUnpackingIsBounded(t *testing.T) {
	code := packed(t, "\ncpu Ryzen 7"+strings.Repeat("\n", 10<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, ok := parseShared(code); ok {
		t.Error("the build was accepted")
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 2<<20 {
		t.Errorf("unpacking took %d bytes", used)
	}
}

func TestWrongShortAddresses(t *testing.T) {
	w := newWorld(t)
	whole := packed(t, "\ncpu Ryzen 7 7800X3D\ngpu Nvidia RTX 5090\npsu Corsair RM850x")
	for name, code := range map[string]string{
		"without its last parts": whole[:len(whole)-8], "nothing": "1", "version": "2" + packed(t, "\ncpu Ryzen 7")[1:],
		"no version": packed(t, "\ncpu Ryzen 7")[1:], "no base64": "1ż*", "no deflate": "1AAAA",
		"cut": packed(t, "\ncpu Ryzen 7 7800X3D")[:9], "no part": packed(t, "title\nczekaj 1\ncpu ab\ntoaster abc"),
	} {
		p := w.get(t, sharedPath+code)
		p.shows("Ten adres zestawu jest niepełny albo błędny, albo wygasł.")
		if p.status != http.StatusNotFound {
			t.Errorf("%s: %d", name, p.status)
		}
	}
	if p := w.get(t, sharedPath+packed(t, "\u202ea\nrodzina gpu\ncpu Ryzen\x00\ngpu RTX 5090")); p.header.Get(
		"Location",
	) != "/kreator/zestaw?gpu=RTX+5090&tytul=a" {
		t.Errorf("leads to %s", p.header.Get("Location"))
	}
}

// shorten stores the build of a page's address as its form does.
func (w world) shorten(t *testing.T, address string) page {
	t.Helper()
	_, form, _ := strings.Cut(address, "?")
	r := httptest.NewRequest(http.MethodPost, "/kreator/z", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.answer(t, r)
}

func TestStoredAddressOfEightParts(t *testing.T) {
	w := newWorld(t)
	w.get(t, gaming).counts("form[action='/kreator/z'] input", 9)
	stored := w.shorten(t, gaming)
	if stored.status != http.StatusSeeOther {
		t.Fatalf("%d", stored.status)
	}
	p := w.get(t, stored.header.Get("Location"))
	p.counts("form[action='/kreator/z']", 0)
	short := p.attribute("a[href^='/kreator/z/']", "href")
	if len(short) > 60 {
		t.Errorf("%d characters: %s", len(short), short)
	}
	if p := w.get(t, short); p.status != http.StatusFound || p.header.Get("Location") != gaming {
		t.Errorf("%d to %s", p.status, p.header.Get("Location"))
	}
	if got := p.attribute("[data-copy]", "data-copy"); got != short {
		t.Errorf("copied is %s", got)
	}
	for _, other := range []string{"/kreator/zestaw?cpu=Ryzen+7&krotki=" + short[len(sharedPath):],
		gaming + "&krotki=../x"} {
		w.get(t, other).counts("form[action='/kreator/z']", 1)
	}
}

func TestStoredAddressesWithoutTheirStore(t *testing.T) {
	w := newWorld(t)
	location := w.shorten(t, gaming).header.Get("Location")
	short := w.get(t, location).attribute("a[href^='/kreator/z/']", "href")
	w.builds.err = errors.New("down")
	for message, p := range map[string]page{
		"Nie udało się odczytać zestawu. Spróbuj ponownie później.":       w.get(t, short),
		"Nie udało się skrócić adresu. Długi adres zestawu działa nadal.": w.shorten(t, gaming),
	} {
		p.shows(message)
		if p.status != http.StatusServiceUnavailable || strings.Contains(p.Text(), "down") {
			t.Errorf("%s: %d %s", message, p.status, p.Text())
		}
	}
	if got := strings.Count(w.log.String(), `"code":"builds_unavailable","status":503,`); got != 2 {
		t.Errorf("logged %s", w.log)
	}
	long := w.get(t, location).attribute("a[href^='/kreator/z/']", "href")
	if p := w.get(t, long); long == short || p.header.Get("Location") != gaming {
		t.Errorf("the long form %s leads to %s", long, p.header.Get("Location"))
	}
}

func TestHostileStoredAddresses(t *testing.T) {
	w := newWorld(t)
	for _, code := range []string{"2aaaaaaaaaaaaaaaa", "2", "2AAAAAAAAAAAAAAAA", "2aaaaaaaaaaaaaaaaa",
		"2%2e%2e%2faaaaaaaaaaaaa"} {
		p := w.get(t, sharedPath+code)
		if p.status != http.StatusNotFound {
			t.Errorf("%s: %d", code, p.status)
		}
	}
	for _, form := range []string{"?", "?toaster=abc", "?cpu=ab"} {
		if p := w.shorten(t, form); p.status != http.StatusBadRequest {
			t.Errorf("%s: %d", form, p.status)
		}
	}
	w.shorten(t, "?"+noise(maxItems)).shows("Adresu tego zestawu nie można skrócić.")
	id := storedID(strings.TrimPrefix(sharedAddress(parseBasket(url.Values{"cpu": {"Ryzen 7"}})), sharedPath))
	if err := w.builds.Put(t.Context(), id, "another build"); err != nil {
		t.Fatal(err)
	}
	// it leads elsewhere
	w.get(t, "/kreator/zestaw?cpu=Ryzen+7&krotki="+id).counts("[data-copy='"+sharedPath+id+"']", 0)
	r := httptest.NewRequest(http.MethodPost, "/kreator/z", strings.NewReader("cpu=Ryzen+7"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	p := w.answer(t, r)
	p.shows("Żądanie pochodzi z innej strony.")
	if p.status != http.StatusForbidden {
		t.Errorf("from another site: %d", p.status)
	}
	p = w.shorten(t, "?cpu=%zz")
	p.shows("Nie udało się odczytać formularza.")
	if p.status != http.StatusBadRequest {
		t.Errorf("a form that cannot be read: %d", p.status)
	}
}
