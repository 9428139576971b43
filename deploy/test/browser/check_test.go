package browser

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

// Without this test, checks that find nothing would go unnoticed.
func TestChecksFindViolations(t *testing.T) {
	const page = `<!DOCTYPE html><html lang="en"><head><title> </title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"></head><body>
<h1>One</h1><h3>Three</h3><p id="a" style="color:#999">Pale</p><p id="a">Same</p>
<input name="nameless"><a href="/"></a><img src="data:,x">
<button aria-label="small">x</button><button aria-label="small too">x</button>
<svg role="img"></svg><nav>x</nav><table><tr><td>x</td></tr></table><p aria-labelledby="nowhere">y</p>
<div class="wide">z</div></body></html>`
	const style = `button{width:10px;height:10px;padding:0} .wide{width:3000px} input{border:1px solid #eee}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/style.css" {
			w.Header().Set("Content-Type", "text/css")
			_, _ = w.Write([]byte(style))
			return
		}
		_, _ = w.Write([]byte(page))
	}))
	defer server.Close()
	b := open(t, server.URL, phone())
	b.run("visit", chromedp.Navigate(server.URL))
	found := b.violations(phone())
	for _, want := range []string{
		"the language is not Polish", "document-title", "0 of <main>", "heading-order", "id a twice", "inline: ",
		"aria-labelledby leads nowhere: nowhere", "label: input", "link-name", "image-alt", "svg-img-alt",
		"region without a name", "table without headings", "px wider than the screen", "target-size", "color-contrast",
		"contrast of the border",
	} {
		if !slices.ContainsFunc(found, func(problem string) bool { return strings.Contains(problem, want) }) {
			t.Errorf("not found: %s, among %q", want, found)
		}
	}
}

// Without this test, a tab that records nothing would go unnoticed.
func TestTabRecordsErrorsAndForeignRequests(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	defer other.Close()
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!DOCTYPE html><link rel="icon" href="data:,"><main>x</main>`))
	}))
	defer home.Close()
	b := open(t, home.URL, desktop())
	b.visit("/")
	for expression, want := range map[string]string{
		`fetch("` + other.URL + `/x"), 0`:                       "request to " + other.URL + "/x",
		`console.error("shown"), 0`:                             "console error: shown",
		`setTimeout(() => { throw new Error("thrown") }, 0), 0`: "thrown",
	} {
		evaluate[int](b, expression)
		b.expects(want)
	}
}

// Scripts that run in the pages.
var (
	//go:embed check.js
	checks string
	//go:embed axe.js
	rules string
	//go:embed stop.js
	stop string
	//go:embed weight.js
	weight string
)

// axe is the source of axe-core, which chromium.sh installs.
var axe = harness.Path("deploy", "test", "browser", "node_modules", "axe-core", "axe.min.js")

// check runs the checks on every screen and takes screenshots. A state that several tests
// reach is checked once.
func (b *tab) check(name string) {
	b.t.Helper()
	if b.screen.noScripts {
		b.checkHere(name, b.screen)
		return
	}
	if _, before := checked.LoadOrStore(name, true); before {
		return
	}
	for _, look := range []screen{desktop(), dark(), phone(), {name: "narrow", width: 320, height: 640}} {
		b.emulateScreen(look)
		b.checkHere(name, look)
	}
	b.emulateScreen(b.screen)
	b.weigh(name)
}

// checkHere checks the page as it is now, and compares it with its picture.
func (b *tab) checkHere(name string, look screen) {
	b.t.Helper()
	for _, problem := range b.violations(look) {
		b.t.Errorf("%s on a %s screen: %s", name, look.name, problem)
	}
	b.picture(name, look)
	b.compare(name, look)
}

// violations returns what check.js and axe-core find on the page, as sentences.
func (b *tab) violations(look screen) []string {
	b.t.Helper()
	found := evaluate[[]string](b, checks)
	if b.screen.noScripts {
		return found // axe-core needs timers, which are disabled
	}
	if !evaluate[bool](b, `typeof axe !== "undefined"`) {
		evaluate[int](b, harness.ReadFile(b.t, axe)+"\n;0")
	}
	call := fmt.Sprintf("(%s)(%t)", rules, look.dark)
	return append(found, evaluate[[]string](b, call, chromedp.EvalAwaitPromise)...)
}

// walk presses Tab several times. Each stop has to show that it has the focus, and to come after
// the previous one in the document.
func (b *tab) walk(path string, stops int) {
	b.t.Helper()
	b.visit(path)
	for range stops {
		b.run("tab", chromedp.KeyEvent("\t"))
		focus := evaluate[struct {
			Name             string
			Visible, InOrder bool
		}](b, stop)
		if !focus.Visible {
			b.t.Errorf("%s: the focus is not visible on %s", path, focus.Name)
		}
		if !focus.InOrder {
			b.t.Errorf("%s: the focus goes back to %s", path, focus.Name)
		}
	}
}

// state is a page that an address alone shows. States after an action are checked by the
// stories.
type state struct {
	name, path string
	email      string       // of a demonstration user; empty for nobody who has logged in
	awaited    chromedp.CSS // an element to wait for; optional
}

func checkStates(t *testing.T, states []state) {
	t.Helper()
	b, email := open(t, backend.URL, desktop()), ""
	for _, shown := range states {
		if shown.email != email {
			b, email = user(t, desktop(), shown.email), shown.email
		}
		b.visit(shown.path)
		if shown.awaited != "" {
			b.see(shown.awaited)
		}
		b.check(shown.name)
	}
}

const (
	maxBytes          = 21_000      // of a page with styles and scripts, as README.md promises
	maxReferenceBytes = 52_000      // of a page with a whole contract and how to begin
	maxHeight         = 2*800 + 100 // px: two screens of 1280 by 800, and the form for the range of days
)

// weigh checks the size of a state in bytes, and its height if it shows figures.
func (b *tab) weigh(name string) {
	b.t.Helper()
	limit := maxBytes
	if strings.HasPrefix(name, "reference") {
		limit = maxReferenceBytes
	}
	page := evaluate[struct {
		Bytes int
		Paint float64
	}](b, weight)
	b.t.Logf("measured %s: %d bytes, first paint after %.0f ms", name, page.Bytes, page.Paint)
	if page.Bytes == 0 || page.Bytes > limit {
		b.t.Errorf("%s weighs %d bytes, want at most %d and not 0", name, page.Bytes, limit)
	}
	section, _, _ := strings.Cut(name, "-")
	if !slices.Contains([]string{"overview", "statistics", "audit"}, section) {
		return
	}
	height := evaluate[int](b, "document.documentElement.scrollHeight")
	b.t.Logf("measured %s: %d px", name, height)
	if b.screen.width == 1280 && height > maxHeight {
		b.t.Errorf("%s is %d px high, want at most %d", name, height, maxHeight)
	}
}
