package browser

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

func origin(addr string) string { return "http://localhost:" + harness.Port(addr) }

// serve serves a handler at an address until the test ends.
func serve(t *testing.T, addr string, handler http.HandlerFunc) {
	t.Helper()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
}

// serveWebApp serves the example app of the TypeScript client: the same page for every path of the app. The app calls
// the API at the base URL gateway, or at its own origin if that is empty.
func serveWebApp(t *testing.T, addr, gateway string) {
	t.Helper()
	folder := harness.Path("proto-free-contracts", "typescript")
	files := http.FileServer(http.Dir(folder))
	serve(t, addr, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/konto/"):
			http.ServeFile(w, r, folder+"/example/index.html")
		case r.URL.Path == "/example/config.js" && gateway != "":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprintf(w, "export const gateway = %q;", gateway)
		default:
			files.ServeHTTP(w, r)
		}
	})
}

func TestWebAppOnAllowedOrigin(t *testing.T) {
	serveWebApp(t, allowed, backend.URL)
	b := open(t, origin(allowed), desktop())
	b.visit("/")
	useApp(b, backend.URL, func() {
		var window target.ID
		harness.EventuallyWithin(t, patience, "a consent page", func() bool {
			targets, err := chromedp.Targets(b.ctx)
			if err != nil {
				b.fail("windows", err)
			}
			for _, one := range targets {
				if strings.HasPrefix(one.URL, sandboxPages) {
					window = one.TargetID
				}
			}
			return window != ""
		})
		ctx, closeWindow := chromedp.NewContext(b.ctx, chromedp.WithTargetID(window))
		defer closeWindow()
		w := &tab{t: t, ctx: ctx, screen: b.screen}
		w.follow("button[value=allow]")
		w.see("main [role=status]")
	})
	b.expects("request to " + backend.URL)
}

func TestWebAppOnAnotherOriginIsRejected(t *testing.T) {
	other := harness.FreeAddr()
	serveWebApp(t, other, backend.URL)
	b := open(t, origin(other), desktop())
	b.visit("/")
	b.fill("#login [name=email]", "biuro@demo.example")
	b.fill("#login [name=password]", harness.DemoPassword)
	b.click("#login button")
	b.seeText("Nie ma połączenia.")
	b.fill("#prices [name=q]", "RTX 4070 SUPER")
	b.click("#prices button")
	b.seeText("Nie ma połączenia.")
	for _, path := range []string{"/api/auth/me", "/api/auth/login", "/api/prices/ceneo"} {
		b.expects("Access to fetch at '" + backend.URL + path) // blocked by CORS policy
		b.expects("net::ERR_FAILED " + backend.URL + path)
	}
	b.expects("request to " + backend.URL)

	// What a page of another origin would send, without a browser that stops it.
	for _, request := range []struct {
		method, path, body string
		status             int
	}{
		{"OPTIONS", "/api/auth/login", "", 204},
		{"POST", "/api/auth/login", `{"email":"biuro@demo.example","password":"` + harness.DemoPassword + `"}`, 403},
		{"OPTIONS", "/api/prices/ceneo/quotes", "", 204},
		{"GET", "/api/oauth/status", "", 401},
	} {
		r, err := http.NewRequestWithContext(t.Context(), request.method, backend.URL+request.path,
			strings.NewReader(request.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin(other))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close() // only the header matters
		if response.StatusCode != request.status {
			t.Errorf("%s %s: got status %d, want %d", request.method, request.path, response.StatusCode, request.status)
		}
		for name := range response.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s %s allows the other origin: %s: %s", request.method, request.path, name,
					response.Header.Get(name))
			}
		}
	}
}

func TestWebAppOnOurOrigin(t *testing.T) {
	t.Parallel()
	addr := harness.FreeAddr()
	serveWebApp(t, addr, "")
	s := harness.StartMakeRun(t, settings("WEB_APP_URL="+origin(addr))...)
	b := open(t, s.URL, desktop())
	b.visit("/")
	useApp(b, s.URL, func() {
		b.see("button[value=allow]")
		b.follow("button[value=allow]")
	})
	const want = "/konto/integracje?oauth_success=" + harness.SocialPages
	if got := evaluate[string](b, "location.pathname + location.search"); got != want {
		t.Errorf("the callback led to %s, want %s", got, want)
	}
	b.expects("request to " + sandboxPages)
}

// useApp goes through the steps of the example app. agree gives the consent after the button that
// connects. Chromium reports refused logins as errors in the console.
func useApp(b *tab, gateway string, agree func()) {
	b.t.Helper()
	b.seeText("Zaloguj się.")
	b.expects("(Unauthorized) " + gateway + "/api/auth/me")
	b.fill("#login [name=email]", "biuro@demo.example")
	b.fill("#login [name=password]", "nie to")
	b.click("#login button")
	b.seeText("Nieprawidłowy")
	b.expects("(Unauthorized) " + gateway + "/api/auth/login")
	b.fill("#login [name=password]", harness.DemoPassword)
	b.click("#login button")
	b.seeText("Piekarnia Kowalski")
	b.click("#connect")
	agree()
	b.seeText("Połączono.")
	b.click("#pages")
	b.seeText("Twoje strony:")
	b.seeText(", obserwujący: ")
	b.click("#audit")
	b.seeText("Audyt profilu:")
	b.seeText("Wynik: ")
	b.fill("#prices [name=q]", "RTX 4070 SUPER")
	b.click("#prices button")
	b.seeText("Najtańsze oferty:")
	b.seeText(" zł, ")
}

func TestReadmeExampleInBrowser(t *testing.T) {
	client := http.FileServer(http.Dir(harness.Path("proto-free-contracts", "typescript")))
	example := harness.Example(t, harness.Path("proto-free-contracts", "README.md"), "ts", "import")
	page := `<!DOCTYPE html><link rel="icon" href="data:,"><main></main>
<script type="importmap">{"imports": {"backend-client/hardware": "/hardware/index.js"}}</script>
<script>
console.log = (...shown) => document.querySelector("main").append(...shown.map((x) => JSON.stringify(x)))
</script>
<script type="module">` + strings.Replace(example, "http://localhost:8080", backend.URL, 1) + `</script>`
	serve(t, allowed, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = w.Write([]byte(page))
			return
		}
		client.ServeHTTP(w, r)
	})
	b := open(t, origin(allowed), desktop())
	b.visit("/")
	b.seeText("RTX 4070 SUPER")
	b.seeText(`"storeLabel":`)
	b.expects("request to " + backend.URL)
}
