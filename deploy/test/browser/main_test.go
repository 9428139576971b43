// Package browser tests the pages in a real Chromium, with everything started by `make run`.
// Each page is checked for errors in the console, requests to other sites, weight and
// accessibility, on wide, dark and narrow screens. Screenshots are in var/screenshots.
//
// Without Chromium or axe-core nothing is tested, which is a failure if REQUIRE_SERVICES=1.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

// What all tests share. If a test depends on what a company has connected, no other test uses that company.
var (
	chromium context.Context      // a running browser
	backend  *harness.MakeRun     // used by all tests but two, which need other settings and start their own
	allowed  = harness.FreeAddr() // address of a web app that may call the API from its own origin
	checked  sync.Map             // names of the states that were checked
)

func TestMain(m *testing.M) {
	status, err := run(m)
	isMissing := errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound)
	if err != nil {
		fmt.Println(err, "(make build and deploy/test/browser/chromium.sh install what is missing)")
	}
	if err != nil && (!isMissing || os.Getenv("REQUIRE_SERVICES") == "1") {
		status = 1
	}
	os.Exit(status)
}

func run(m *testing.M) (status int, err error) {
	for _, file := range []string{"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", axe, pixelmatch} {
		if _, err := os.Stat(file); err != nil {
			return 0, err
		}
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp("", "browser")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	env := settings(
		"DIRECTORY_NOTICE="+notice, "DIRECTORY_ALLOWED_ORIGINS=https://app.example.pl,"+origin(allowed),
		"HARDWARE_NOTICE="+notice, "HARDWARE_ALLOWED_ORIGINS="+origin(allowed),
		"HARDWARE_LIST_PAGES=0", "HARDWARE_PRICE_MAX_WAIT=12s", "HARDWARE_SOURCE_TIMEOUT=2s",
	)
	backend, err = harness.RunAll(folder, env...)
	if err != nil {
		return 0, err
	}
	defer func() { _ = backend.Stop(syscall.SIGINT) }()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Env("FONTCONFIG_FILE="+harness.Path("deploy", "test", "browser", "fonts.conf")),
		chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("disable-lcd-text", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(folder+"/chromium"),
	)
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	ctx, closeBrowser := chromedp.NewContext(allocator)
	defer closeBrowser()
	if err := chromedp.Do(ctx); err != nil {
		return 0, fmt.Errorf("chromium does not start: %w", err)
	}
	chromium = ctx
	return m.Run(), nil
}

const notice = "Wersja demonstracyjna: źródła i ceny są przykładowe."

func settings(more ...string) []string {
	all := append(more, "DIRECTORY_SCAN_INTERVAL=0") // a scan would read figures at any time
	for _, service := range []string{"DIRECTORY", "HARDWARE"} {
		// The footers of the pages link to the operator.
		all = append(all, service+"_PRIVACY_URL=https://firma.example/prywatnosc",
			service+"_TERMS_URL=https://firma.example/regulamin", service+"_CONTACT=kontakt@firma.example")
	}
	return all
}

const patience = 2 * time.Minute

type screen struct {
	name          string // in the names of pictures
	width, height int64
	dark          bool
	noScripts     bool
}

func desktop() screen { return screen{name: "desktop", width: 1280, height: 900} }
func dark() screen    { return screen{name: "dark", width: 1280, height: 900, dark: true} }
func phone() screen   { return screen{name: "phone", width: 360, height: 740} }

// tab is a tab of the browser. It collects problems, which are errors in the console and requests
// to other sites. They fail the test at its end unless it expected them.
type tab struct {
	t      *testing.T
	ctx    context.Context
	home   string // base URL of the site, to which requests are allowed
	screen screen

	clicks int // made by follow and click

	listening sync.WaitGroup
	mu        sync.Mutex
	problems  []string
}

// open opens an empty tab, without cookies of others, until the test ends.
func open(t *testing.T, home string, s screen) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	b := &tab{t: t, ctx: ctx, home: home, screen: s}
	b.emulateScreen(s)
	send(b, network.Enable, network.EnableParams{})
	send(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: s.noScripts})
	b.listen()
	t.Cleanup(func() {
		closeTab()
		b.listening.Wait()
		for _, problem := range b.problems {
			t.Error(problem)
		}
	})
	return b
}

// emulateScreen changes the size and the colour scheme of the tab.
func (b *tab) emulateScreen(s screen) {
	b.t.Helper()
	scheme := "light"
	if s.dark {
		scheme = "dark"
	}
	b.run("emulate a "+s.name+" screen", chromedp.EmulateViewport(s.width, s.height))
	b.emulate("screen", scheme)
}

func (b *tab) emulate(media, scheme string) {
	b.t.Helper()
	send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

func send[P any](b *tab, command cdp.Command[P, cdp.Empty], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) listen() {
	messages, requests := chromedp.Console(b.ctx), chromedp.Events(b.ctx, network.RequestWillBeSent)
	b.listening.Go(func() {
		for message, err := range messages {
			isProblem := message.Type == chromedp.ConsoleError || message.Type == chromedp.ConsoleWarning
			if err == nil && (message.IsException() || isProblem) {
				b.note("console " + message.String() + " " + message.URL)
			}
		}
	})
	b.listening.Go(func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			u, err := url.Parse(e.Request.URL)
			if err == nil && (u.Scheme == "data" || u.Scheme+"://"+u.Host == b.home) {
				continue
			}
			b.note("request to " + e.Request.URL)
		}
	})
}

func (b *tab) note(problem string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, problem)
}

// expects waits for a problem that contains text and removes it from the list.
func (b *tab) expects(text string) {
	b.t.Helper()
	harness.EventuallyWithin(b.t, patience, fmt.Sprintf("a problem %q", text), func() bool { return b.forget(text) })
}

// forget removes problems that contain text and reports whether there was one.
func (b *tab) forget(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := len(b.problems)
	b.problems = slices.DeleteFunc(b.problems, func(problem string) bool { return strings.Contains(problem, text) })
	return len(b.problems) < before
}

func (b *tab) fail(what string, err error) {
	b.t.Helper()
	b.picture("failed", b.screen)
	b.t.Fatalf("%s: %v", what, err)
}

// run performs actions. what describes them if they fail.
func (b *tab) run(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, step := range steps {
		get(b, what, step)
	}
}

// get returns the result of an action.
func get[T any](b *tab, what string, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := b.patient()
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		b.fail(what, err)
	}
	return v
}

// patient returns a context with a time-out. The first action of a tab must not have one,
// because the tab would be closed with it.
func (b *tab) patient() (context.Context, context.CancelFunc) {
	if chromedp.FromContext(b.ctx).Target == nil {
		return b.ctx, func() {}
	}
	return context.WithTimeout(b.ctx, patience)
}

func evaluate[T any](b *tab, expression string, options ...chromedp.EvaluateOption) T {
	b.t.Helper()
	return get(b, expression[:min(len(expression), 200)], chromedp.Evaluate[T](expression, options...))
}

// visit opens a path of the site, and waits for its content.
func (b *tab) visit(path string) {
	b.t.Helper()
	b.run("visit "+path, chromedp.Navigate(b.home+path), chromedp.WaitVisible(chromedp.CSS("main")))
}

func (b *tab) click(selector chromedp.CSS) {
	b.t.Helper()
	b.clicks++
	b.run("click "+string(selector), chromedp.Click(selector, chromedp.NodeVisible))
}

// follow clicks an element that leads to another page.
func (b *tab) follow(selector chromedp.CSS) {
	b.t.Helper()
	b.clicks++
	ctx, cancel := b.patient()
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(selector, chromedp.NodeVisible)); err != nil {
		b.fail("follow "+string(selector), err)
	}
}

// see waits until an element is visible, and returns its text.
func (b *tab) see(selector chromedp.CSS) string {
	b.t.Helper()
	return strings.TrimSpace(get(b, "see "+string(selector), chromedp.Text(selector, chromedp.NodeVisible)))
}

func (b *tab) seeText(text string) {
	b.t.Helper()
	const shown = `text => document.querySelector("main").innerText.replaceAll("\u00a0", " ").includes(text)`
	get(b, "see "+text, chromedp.PollFunction[bool](shown, chromedp.WithPollingArgs(text),
		chromedp.WithPollingTimeout(0)))
}

// fill sets the value of a field.
func (b *tab) fill(selector chromedp.CSS, value string) {
	b.t.Helper()
	b.run("fill in "+string(selector), chromedp.SetValue(selector, value))
}

func (b *tab) count(selector string) int {
	b.t.Helper()
	return evaluate[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// picture writes a screenshot to var/screenshots, for people.
func (b *tab) picture(name string, look screen) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Logf("no picture of %s: %v", name, err)
		return
	}
	harness.WriteFile(b.t, harness.Path("var", "screenshots", name+"-"+look.name+".png"), string(png))
}

// lookUp requests the offers of a product as the client with an address. Any response will do.
func lookUp(t *testing.T, query, from string) {
	t.Helper()
	client := &http.Client{Transport: harness.From(from)}
	url := backend.Hardware + "/api/prices/ceneo?q=" + query
	if _, err := harness.Send(t.Context(), client, http.MethodGet, url, nil); err != nil {
		t.Error(err)
	}
}
