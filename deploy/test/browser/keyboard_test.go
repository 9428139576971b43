package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// stop is what the focus is on: whether it can be seen there, and whether it comes
// behind the stop before.
const stop = `(() => {
  const e = document.activeElement, before = window.before;
  window.before = e;
  return {
    name: e.outerHTML.slice(0, 100),
    seen: e.matches(":focus-visible") && getComputedStyle(e).outlineStyle !== "none",
    behind: !before || Boolean(before.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING),
  };
})()`

// walk goes through the first stops of a page with the tab key.
func (b *tab) walk(path string, stops int) {
	b.t.Helper()
	b.visit(path)
	for range stops {
		b.run("tab", chromedp.KeyEvent("\t"))
		at := evaluate[struct {
			Name         string
			Seen, Behind bool
		}](b, stop)
		if !at.Seen || !at.Behind {
			b.t.Errorf("%s: focus seen %t, in order %t: %s", path, at.Seen, at.Behind, at.Name)
		}
	}
}

// testReferenceByKeyboard opens an operation and sends its request without a mouse.
func testReferenceByKeyboard(t *testing.T, c chromium, s site) {
	b := c.newcomer(t, s, desktop())
	for _, path := range []string{"/", "/konto/logowanie", "/docs/hardware"} {
		b.walk(path, 8)
	}
	b.visit("/docs/hardware#getBenchmark") // the address opens the operation
	b.see("#getBenchmark table")
	b.run("unfold the form", chromedp.Focus(chromedp.CSS("#getBenchmark .try > summary")), chromedp.KeyEvent("\r"))
	b.see("#getBenchmark-type")
	b.run("send", chromedp.Focus(chromedp.CSS("#getBenchmark-limit")), chromedp.KeyEvent("1\r"))
	b.see("#getBenchmark .answer pre")
	b.seeText(`"family": "gpu"`)
	if answer := b.see("#getBenchmark .answer"); !strings.HasPrefix(answer, "GET /api/benchmark/gpu?limit=1\n200") {
		t.Errorf("answered %q", answer)
	}
	b.checkHere("reference-answer", b.screen)
}
