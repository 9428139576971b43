package browser

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// wrongPage breaks every rule of the checks, each once.
const wrongPage = `<!DOCTYPE html><html lang="en"><head><title> </title></head><body>
<h1>One</h1><h3>Three</h3><p id="a" style="color:#999">Pale</p><p id="a">Same</p>
<input name="nameless"><a href="/"></a><img src="data:,x"><button aria-label="small">x</button><button aria-label="small too">x</button>
<svg role="img"></svg><nav>x</nav><table><tr><td>x</td></tr></table><p aria-labelledby="nowhere">y</p>
<div class="wide">z</div></body></html>`

const wrongStyle = `button{width:10px;height:10px;padding:0} .wide{width:3000px} input{border:1px solid #eee}`

func TestChecksFindWhatIsWrong(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/style.css" {
			w.Header().Set("Content-Type", "text/css")
			_, _ = w.Write([]byte(wrongStyle))
			return
		}
		_, _ = w.Write([]byte(strings.Replace(wrongPage, "</head>", `<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"></head>`, 1)))
	}))
	defer server.Close()
	b := newChromium(t).open(t, server.URL, phone())
	b.run("visit", chromedp.Navigate(server.URL))
	found := b.wrong(phone())
	for _, want := range []string{
		"the language is not Polish", "document-title", "0 of <main>", "heading-order", "id a twice", "inline: ",
		"aria-labelledby leads nowhere: nowhere", "label: input", "link-name", "image-alt", "svg-img-alt",
		"region without a name", "table without headings", "px wider than the screen", "target-size", "color-contrast", "contrast of the border",
	} {
		if !slices.ContainsFunc(found, func(problem string) bool { return strings.Contains(problem, want) }) {
			t.Errorf("not found: %s, among %q", want, found)
		}
	}
}

func TestTabNotesErrorsAndOthers(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	defer other.Close()
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!DOCTYPE html><link rel="icon" href="data:,"><main>x</main>`))
	}))
	defer home.Close()
	b := newChromium(t).open(t, home.URL, desktop())
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
