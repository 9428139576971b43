package browser

import (
	_ "embed" // the checks
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

//go:embed check.js
var checks string

// rules runs axe-core: every rule of WCAG 2.2 A and AA and of good practice, or the
// contrast alone, since a dark screen has other colours and nothing else.
const rules = `async (contrastOnly) => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const runOnly = contrastOnly ? { type: "rule", values: ["color-contrast"] } : { type: "tag", values: tags };
  const shown = { include: [document], exclude: ["details:not([open]) > :not(summary)"] };
  const { violations } = await axe.run(shown, { runOnly, resultTypes: ["violations"] });
  return violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + " " + n.html.slice(0, 120)));
}`

// axe is the source of axe-core, which chromium.sh installs.
func axe(t *testing.T) string {
	t.Helper()
	path := harness.Path(t, "deploy", "test", "browser", "node_modules", "axe-core", "axe.min.js")
	source, err := os.ReadFile(path)
	if err != nil {
		harness.Unavailable(t, "axe-core is not installed; deploy/test/browser/chromium.sh does it")
	}
	return string(source)
}

// looks are the screens on which every page and state is checked.
func looks() []screen {
	return []screen{desktop(), dark(), phone(), {name: "narrow", width: 320, height: 640}}
}

// check holds the page to the checks on every screen, and takes pictures of it.
// A state that several tests come by is checked once.
func (b *tab) check(name string) {
	b.t.Helper()
	if b.screen.noScripts {
		b.checkHere(name, b.screen)
		return
	}
	if _, before := b.checked.LoadOrStore(name, true); before {
		return
	}
	for _, look := range looks() {
		b.look(look)
		b.checkHere(name, look)
	}
	b.look(b.screen)
	b.weigh(name)
}

// checkHere holds the page to the checks as it looks now.
func (b *tab) checkHere(name string, look screen) {
	b.t.Helper()
	for _, problem := range b.wrong(look) {
		b.t.Errorf("%s on a %s screen: %s", name, look.name, problem)
	}
	b.pictureOn(name, look)
}

// wrong is what the checks find.
func (b *tab) wrong(look screen) []string {
	b.t.Helper()
	found := evaluate[[]string](b, checks)
	if b.screen.noScripts {
		return found // axe-core waits for timers, which are off
	}
	if !evaluate[bool](b, `typeof axe !== "undefined"`) {
		evaluate[int](b, axe(b.t)+"\n;0")
	}
	return append(found, evaluate[[]string](b, fmt.Sprintf("(%s)(%t)", rules, look.dark), chromedp.EvalAwaitPromise)...)
}
