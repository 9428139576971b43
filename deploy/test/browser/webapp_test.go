package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

// webApp is the example of the TypeScript client on a static server.
type webApp struct {
	origin  string                 // on the same site as the gateway
	gateway atomic.Pointer[string] // for config.js; nil leaves the file as it is
}

// newWebApp serves the example until the test ends. Paths of the app are its page.
func newWebApp(t *testing.T) *webApp {
	t.Helper()
	a := &webApp{}
	folder := harness.Path(t, "proto-free-contracts", "typescript")
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		gateway := a.gateway.Load()
		switch {
		case r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/konto/"):
			http.ServeFile(w, r, folder+"/example/index.html")
		case r.URL.Path == "/example/config.js" && gateway != nil:
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprintf(w, "export const gateway = %q;", *gateway)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	a.origin = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	return a
}

// TestWebAppOnAnotherOrigin uses the example on an allowed port, and on one that is not.
func TestWebAppOnAnotherOrigin(t *testing.T) {
	t.Parallel()
	c := newChromium(t)
	allowed, other := newWebApp(t), newWebApp(t)
	s := newSite(t, "DIRECTORY_ALLOWED_ORIGINS=https://app.example.pl,"+allowed.origin, "HARDWARE_ALLOWED_ORIGINS="+
		allowed.origin)
	allowed.gateway.Store(&s.url)
	other.gateway.Store(&s.url)

	t.Run("allowed", func(t *testing.T) {
		b := c.newcomer(t, site{url: allowed.origin}, desktop())
		b.visit("/")
		useApp(b, s.url, b.agreeInWindow)
		b.expects("request to " + s.url)
	})
	t.Run("not allowed", func(t *testing.T) {
		b := c.newcomer(t, site{url: other.origin}, desktop())
		b.visit("/")
		b.fillIn("login", "email", "biuro@demo.example")
		b.fillIn("login", "password", harness.DemoPassword)
		b.press("#login button")
		b.seeText("Nie ma połączenia.")
		b.askPrices()
		b.seeText("Nie ma połączenia.")
		for _, path := range []string{"/api/auth/me", "/api/auth/login", "/api/prices/ceneo"} {
			b.expects("Access to fetch at '" + s.url + path) // blocked by CORS policy
			b.expects("net::ERR_FAILED " + s.url + path)
		}
		b.expects("request to " + s.url)
		requireRejected(t, s.url, other.origin)
	})
}

// TestWebAppOnOurOrigin uses the example at the addresses of our pages.
func TestWebAppOnOurOrigin(t *testing.T) {
	t.Parallel()
	c := newChromium(t)
	s := newSite(t, "WEB_APP_URL="+newWebApp(t).origin)
	b := c.newcomer(t, s, desktop())
	b.visit("/")
	useApp(b, s.url, func() {
		b.see("button[value=allow]")
		b.follow("button[value=allow]")
	})
	if path := evaluate[string](b, "location.pathname + location.search"); path != "/konto/integracje?oauth_success="+
		harness.SocialPages {
		t.Errorf("the callback led to %s", path)
	}
	b.expects("request to " + sandboxPages)
}

// useApp goes through the steps of the example; agree does what connecting asks for. Chromium
// reports the refusals as errors.
func useApp(b *tab, gateway string, agree func()) {
	b.t.Helper()
	b.seeText("Zaloguj się.")
	b.expects("(Unauthorized) " + gateway + "/api/auth/me")
	b.fillIn("login", "email", "biuro@demo.example")
	b.fillIn("login", "password", "nie to")
	b.press("#login button")
	b.seeText("Nieprawidłowy")
	b.expects("(Unauthorized) " + gateway + "/api/auth/login")
	b.fillIn("login", "password", harness.DemoPassword)
	b.press("#login button")
	b.seeText("Piekarnia Kowalski")
	b.press("#connect")
	agree()
	b.seeText("Połączono.")
	b.press("#pages")
	b.seeText("Twoje strony:")
	b.seeText(", obserwujący: ")
	b.press("#audit")
	b.seeText("Audyt profilu:")
	b.seeText("Wynik: ")
	b.askPrices()
	b.seeText("Najtańsze oferty:")
	b.seeText(" zł, ")
}

// fillIn sets a field of a form of the example.
func (b *tab) fillIn(form, name, value string) {
	b.t.Helper()
	b.run("fill in "+name, chromedp.SetValue(chromedp.CSS("#"+form+" [name="+name+"]"), value))
}

func (b *tab) press(selector chromedp.CSS) {
	b.t.Helper()
	b.run("press "+string(selector), chromedp.Click(selector))
}

func (b *tab) askPrices() {
	b.t.Helper()
	b.fillIn("prices", "q", "RTX 4070 SUPER")
	b.press("#prices button")
}

// agreeInWindow agrees in the window that the app has opened.
func (b *tab) agreeInWindow() {
	b.t.Helper()
	var window target.ID
	harness.EventuallyWithin(b.t, patience, "a consent page", func() bool {
		targets, err := chromedp.Targets(b.ctx)
		if err != nil {
			b.fail("windows", err)
		}
		for _, open := range targets {
			if strings.HasPrefix(open.URL, sandboxPages) {
				window = open.TargetID
			}
		}
		return window != ""
	})
	ctx, closeWindow := chromedp.NewContext(b.ctx, chromedp.WithTargetID(window))
	defer closeWindow()
	w := &tab{t: b.t, ctx: ctx, screen: b.screen}
	w.follow("button[value=allow]")
	w.see("main [role=status]")
}

// requireRejected sends what a page of another origin would, without a browser that stops it.
func requireRejected(t *testing.T, gateway, origin string) {
	t.Helper()
	for _, request := range []struct {
		method, path, body string
		status             int
	}{
		{"OPTIONS", "/api/auth/login", "", 204},
		{"POST", "/api/auth/login", `{"email":"biuro@demo.example","password":"` + harness.DemoPassword + `"}`, 403},
		{"OPTIONS", "/api/prices/ceneo/quotes", "", 204},
		{"GET", "/api/oauth/status", "", 401},
	} {
		r, err := http.NewRequestWithContext(t.Context(), request.method, gateway+request.path,
			strings.NewReader(request.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close() // only the header matters
		if response.StatusCode != request.status {
			t.Errorf("%s %s: %d, want %d", request.method, request.path, response.StatusCode, request.status)
		}
		for name := range response.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s %s: %s: %s", request.method, request.path, name, response.Header.Get(name))
			}
		}
	}
}

// TestReadmeExampleInBrowser runs the example in the README of the TypeScript client, verbatim.
func TestReadmeExampleInBrowser(t *testing.T) {
	t.Parallel()
	c, s := newChromium(t), newSite(t)
	client := http.FileServer(http.Dir(harness.Path(t, "proto-free-contracts", "typescript")))
	page := `<!DOCTYPE html><link rel="icon" href="data:,"><main></main>
<script type="importmap">{"imports": {"backend-client/hardware": "/hardware/index.js"}}</script>
<script>
console.log = (...shown) => document.querySelector("main").append(...shown.map((x) => JSON.stringify(x)))
</script>
<script type="module">` + harness.ClientExample(t, s.url) + `</script>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = w.Write([]byte(page))
			return
		}
		client.ServeHTTP(w, r)
	}))
	defer server.Close()
	b := c.open(t, server.URL, desktop())
	b.run("visit", chromedp.Navigate(server.URL))
	b.seeText("RTX 4070 SUPER")
	b.seeText(`"storeLabel":`)
	b.expects("request to " + s.url)
}
