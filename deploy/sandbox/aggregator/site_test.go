package aggregator_test

import (
	"net/http"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/aggregator"
	"backend.example/deploy/sandbox/upstream"
)

func TestAnswers(t *testing.T) {
	b := newBrowser(t)
	cases := []struct {
		method, target string
		status         int
		location       string // or a part of the body
	}{
		{"GET", "/;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"HEAD", "/;szukaj-RTX+4070", 200, ""},
		{"GET", "/Karty_graficzne;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"GET", "/Podzespoly_komputerowe;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"GET", "/Komputery;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"GET", "/Komputery;szukaj-lod%C3%B3wka", 200, "cat-prod-row"},
		{"GET", "/Komputery;szukaj-brakwyniku", 302, "/;szukaj-brakwyniku"},
		{"GET", "/Karty_graficzne;szukaj-lod%C3%B3wka", 302, "/;szukaj-lod%C3%B3wka"},
		{"GET", "/Procesory;szukaj-RTX+4070", 302, "/;szukaj-RTX+4070"},
		{"GET", "/Procesory;szukaj-brakwyniku", 302, "/;szukaj-brakwyniku"},
		{"GET", "/;szukaj-brakwyniku", 200, "nie znaleźliśmy produktów dla zapytania „brakwyniku”"},
		{"GET", "/;szukaj-", 301, "/"},
		{"GET", "/;szukaj-++", 301, "/"},
		{"GET", "/Dyski;szukaj-", 301, "/Dyski"},
		{"GET", "/;szukaj-x", 500, "Wystąpił błąd"},
		{"GET", "/Smartfony;szukaj-RTX+4070", 404, "Nie ma takiej kategorii"},
		{"GET", "/Smartfony", 404, "Nie ma takiej strony"},
		{"GET", "/12345678", 404, "Nie ma takiego produktu"},
		{"GET", "/Captcha/Add", 200, "cf-turnstile"},
		{"GET", "/captcha/add?ReturnUrl=x", 200, "cf-turnstile"},
		{"GET", "/Click/Offer/?e=abc&a=2", 200, "Tu otworzyłby się sklep"},
		{"GET", "/robots.txt", 200, "\nDisallow: /;szukaj\n"},
		{"POST", "/Captcha/Add", 405, "Tej strony nie można tak użyć"},
	}
	for _, c := range cases {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			answer := b.do(c.method, c.target)
			got := answer.Header().Get("Location")
			if answer.Code/100 != 3 {
				got = answer.Body.String()
			}
			if answer.Code != c.status || !strings.Contains(got, c.location) {
				t.Errorf("got %d %.200q, want %d %q", answer.Code, got, c.status, c.location)
			}
			if answer.Code/100 == 3 && got != c.location {
				t.Errorf("got location %q, want %q", got, c.location)
			}
		})
	}
}

func TestAnExactMatchRedirectsToTheProduct(t *testing.T) {
	b := newBrowser(t)
	for _, target := range []string{"/;szukaj-AMD+Ryzen+7+7800X3D", "/Procesory;szukaj-amd%20ryzen%207%207800x3d"} {
		product := b.location(target)
		if name := text(b.page(product).Find("h1.product-top__product-info__name")); !strings.HasPrefix(name, "AMD Ryzen 7 7800X3D BOX") {
			t.Errorf("%s leads to %s, %q", target, product, name)
		}
	}
}

func TestNoContentPageLooksBlocked(t *testing.T) {
	b := newBrowser(t)
	for _, target := range []string{"/;szukaj-RTX+4070", "/;szukaj-brakwyniku", b.location("/;szukaj-Samsung+990+PRO+2TB")} {
		body := b.do(http.MethodGet, target).Body.String()
		for _, marker := range []string{"fdetection", "js_f-container", "Just a moment", "cf-turnstile"} {
			if strings.Contains(body, marker) {
				t.Errorf("%s holds %q", target, marker)
			}
		}
		if !strings.Contains(body, "Ta strona jest chroniona przez reCAPTCHA") {
			t.Errorf("%s lacks the branding footer", target)
		}
	}
}

func TestCaptchaFault(t *testing.T) {
	b := newBrowser(t)
	b.SetFault(upstream.Fault{Kind: aggregator.Captcha})
	if got := b.location("/;szukaj-RTX+4070"); got != "/Captcha/Add?returnUrl=%2F%3Bszukaj-RTX%2B4070" {
		t.Errorf("redirects to %q", got)
	}
	if got := b.do(http.MethodGet, "/Captcha/Add").Code; got != http.StatusOK {
		t.Errorf("the captcha page itself: status %d", got)
	}
}
