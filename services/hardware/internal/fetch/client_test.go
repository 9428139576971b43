package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

const captcha = `<html><body><div class="js_f-container"></div></body></html>`

func TestGetReadsRobotsTxtThenThePage(t *testing.T) {
	s := newStub(t)
	r := &Request{}
	p, err := s.Get(t.Context(), r, s.URL+"/page", nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Status != http.StatusOK {
		t.Errorf("status %d, want 200", p.Status)
	}
	if got := string(p.Body); got != "content" {
		t.Errorf("body %q, want content", got)
	}
	if got := p.URL.Path; got != "/page" {
		t.Errorf("the page is %s, want /page", got)
	}
	if _, err := s.Get(t.Context(), r, s.URL+"/other", nil); err != nil {
		t.Errorf("a second page: %v", err)
	}
	if want := []string{robotsPath, "/page", "/other"}; !slices.Equal(s.paths, want) {
		t.Errorf("requested %q, want %q", s.paths, want)
	}
	want := http.Header{
		"User-Agent": {agent}, "Accept": {"text/html"}, "Accept-Encoding": {"gzip"}, "Accept-Language": {"pl"},
	}
	for i, got := range s.headers {
		testkit.Equal(t, "headers for "+s.paths[i], got, want)
	}
}

func TestGetFollowsRedirectsUntilStop(t *testing.T) {
	s := newStub(t)
	s.on("/start", redirect("/middle"))
	s.on("/middle", redirect("/other"))
	for stop, want := range map[string]string{"": "other", "/other": "", "/elsewhere": "other"} {
		p, err := s.Get(t.Context(), &Request{}, s.URL+"/start", func(u *url.URL) bool { return u.Path == stop })
		if err != nil {
			t.Errorf("stop at %q: %v", stop, err)
			continue
		}
		testkit.Equal(t, "stop at "+stop+": ended at", p.URL.Path, "/other")
		testkit.Equal(t, "stop at "+stop+": body", string(p.Body), want)
	}
	if n := s.count("/other"); n != 2 {
		t.Errorf("/other was requested %d times, want 2: not by the call that stops there", n)
	}
}

func TestEveryRedirectIsFollowed(t *testing.T) {
	s := newStub(t)
	for status, followed := range map[int]bool{300: false, 301: true, 302: true, 303: true, 304: false, 305: false,
		306: false, 307: true, 308: true, 309: false} {
		moved := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		s.on("/page", withHeader("Location", "/other", moved))
		p, err := s.fetch(t.Context(), "/page")
		if err != nil {
			t.Errorf("%d: %v", status, err)
		}
		if got := string(p.Body) == "other"; got != followed {
			t.Errorf("%d: followed %t, want %t", status, got, followed)
		}
		if !followed && p.Status != status {
			t.Errorf("%d: the page has the status %d", status, p.Status)
		}
	}
}

func TestGetClassifiesResponses(t *testing.T) {
	blocked, changed := Blocked.Name, Changed.Name
	tests := map[string]struct {
		respond http.HandlerFunc
		code    string // empty: a page
	}{
		"forbidden":               {text(403, "content"), blocked},
		"too many requests":       {text(429, ""), blocked},
		"unavailable":             {text(503, ""), ""},
		"unavailable for a while": {withHeader("Retry-After", "120", text(503, "")), blocked},
		"challenge with 503":      {text(503, captcha), blocked},
		"redirect to challenge":   {redirect("/page/Captcha?ReturnUrl=x"), blocked},
		"other letter case":       {redirect("/captcha/add"), blocked},
		"redirect loop":           {redirect("/tested"), changed},
		"redirect to click":       {redirect("/Click/Offer/?e=1"), changed},
		"redirect without target": {text(302, ""), ""},
		"not found":               {text(404, ""), ""},
		"server error":            {text(500, ""), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.on("/tested", tt.respond)
			p, err := s.fetch(t.Context(), "/tested")
			switch {
			case tt.code == "" && err != nil:
				t.Errorf("error %v, want a page", err)
			case tt.code == "" && p.Status == 0:
				t.Error("the page has no status")
			case tt.code != "" && !fault.Is(err, tt.code):
				t.Errorf("error %v, want %s", err, tt.code)
			case tt.code != "" && p.Body != nil:
				t.Errorf("body %q with an error", p.Body)
			}
			if IsFailing(err) {
				t.Errorf("error %v counts against the site", err)
			}
			if paths := strings.ToLower(strings.Join(s.paths, " ")); strings.Contains(paths, "/c") {
				t.Errorf("requested %q: a challenge or a click", s.paths)
			}
			if most := maxRedirects + 2; len(s.paths) > most {
				t.Errorf("%d requests, want at most %d", len(s.paths), most)
			}
		})
	}
}

func TestPagesBecomeFaults(t *testing.T) {
	s := newStub(t)
	for status, failing := range map[int]bool{404: false, 410: false, 302: false, 500: true, 503: true} {
		err := Page{Status: status}.UnexpectedStatus("search")
		if !fault.Is(err, Unreachable.Name) {
			t.Errorf("status %d: error %v, want %s", status, err, Unreachable.Name)
		}
		if got := IsFailing(err); got != failing {
			t.Errorf("status %d: counts against the site: %t, want %t", status, got, failing)
		}
	}
	layout := errors.New("no rows")
	for body, code := range map[string]string{"<p>news": Changed.Name, "": Changed.Name, captcha: Blocked.Name} {
		err := s.Unreadable(Page{URL: &url.URL{}, Body: []byte(body)}, layout)
		if !fault.Is(err, code) {
			t.Errorf("%q: error %v, want %s", body, err, code)
		}
		if IsFailing(err) {
			t.Errorf("%q: error %v counts against the site", body, err)
		}
		if !errors.Is(err, layout) {
			t.Errorf("%q: error %v does not wrap its cause %v", body, err, layout)
		}
		if rest := fault.From(err).RetryAfter; rest != 0 {
			t.Errorf("%q: Retry-After %v, want none", body, rest)
		}
	}
}

func TestGetStaysOnItsHost(t *testing.T) {
	strangers := 0
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers++ }))
	defer stranger.Close()
	byName := strings.Replace(stranger.URL, "127.0.0.1", "localhost", 1)
	for _, target := range []string{stranger.URL + "/page", stranger.URL + "/captcha", byName + "/x",
		"http://169.254.169.254/latest", "ftp://127.0.0.1/x"} {
		s := newStub(t)
		s.on("/page", redirect(target))
		s.wantCode(t, "/page", Changed.Name)
		always := func(*url.URL) bool { return true }
		if _, err := s.Get(t.Context(), &Request{}, s.URL+"/page", always); !fault.Is(err, Changed.Name) {
			t.Errorf("stop at %s: error %v, want %s", target, err, Changed.Name)
		}
		s = newStub(t)
		s.on(robotsPath, redirect(target))
		s.wantCode(t, "/page", Changed.Name)
	}
	if strangers != 0 {
		t.Errorf("%d requests left the site", strangers)
	}
}

func clientOf(t *testing.T, base string) *Client {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{BaseURL: u, Now: time.Now, Gate: newGate()})
}

func TestBaseURLContainsItsOwnHostOnly(t *testing.T) {
	for _, tt := range []struct {
		base, address string
		want          bool
	}{
		{"https://www.ceneo.pl", "https://www.ceneo.pl/1", true},
		{"https://www.ceneo.pl", "https://ceneo.pl/1", true},
		{"https://ceneo.pl", "https://WWW.Ceneo.pl:443/1", true},
		{"http://ceneo.pl", "https://ceneo.pl/1", true},
		{"http://ceneo.pl", "http://ceneo.pl:80/1", true},
		{"http://ceneo.pl", "https://ceneo.pl:8443/", false},
		{"http://ceneo.pl:8080", "https://ceneo.pl/", false},
		{"http://ceneo.pl", "ftp://ceneo.pl/", false},
		{"https://ceneo.pl", "http://ceneo.pl/1", false},
		{"https://ceneo.pl", "https://ceneo.pl:8443/", false},
		{"https://ceneo.pl", "https://m.ceneo.pl/", false},
		{"https://ceneo.pl", "https://ceneo.pl.evil.example/", false},
		{"https://ceneo.pl", "https://user@ceneo.pl/", false},
		{"https://ceneo.pl", "ftp://ceneo.pl/", false},
		{"http://127.0.0.1:9000", "http://127.0.0.1:9001/", false},
		{"http://127.0.0.1:9000", "https://127.0.0.1:9000/", false},
	} {
		if got := clientOf(t, tt.base).contains(clientOf(t, tt.address).BaseURL); got != tt.want {
			t.Errorf("%s contains %s: %t, want %t", tt.base, tt.address, got, tt.want)
		}
	}
}

func TestAddressesOfABaseURL(t *testing.T) {
	for base, want := range map[string]struct{ domain, address string }{
		"https://www.ceneo.pl":         {"ceneo.pl", "https://www.ceneo.pl/155"},
		"https://www.ceneo.pl/":        {"ceneo.pl", "https://www.ceneo.pl/155"},
		"http://127.0.0.1:9000/prices": {"127.0.0.1", "http://127.0.0.1:9000/prices/155"},
	} {
		c := clientOf(t, base)
		testkit.Equal(t, base+": domain", c.Domain(), want.domain)
		address := c.Address("155")
		testkit.Equal(t, base+": address", address, want.address)
		if got := c.Path(clientOf(t, address).BaseURL); got != "/155" {
			t.Errorf("%s: path %s of %s, want /155", base, got, address)
		}
	}
}

func TestRefusalHonoursRetryAfter(t *testing.T) {
	c := New(Options{Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }})
	for _, tt := range []struct {
		status int
		header string
		want   time.Duration
	}{
		{403, "", 0},
		{429, "120", 2 * time.Minute},
		{503, "Sat, 21 Nov 2026 12:30:00 GMT", 30 * time.Minute},
		{429, "soon", 0},
		{429, "2147483647", 7 * 24 * time.Hour},
	} {
		header := http.Header{"Retry-After": {tt.header}}
		err := c.refusal(&url.URL{Host: "a.example", Path: "/b"}, tt.status, header, nil)
		if got := fault.From(err).RetryAfter; got != tt.want {
			t.Errorf("status %d, Retry-After %q: pause of %v, want %v", tt.status, tt.header, got, tt.want)
		}
		if want := fmt.Sprintf("source_blocked: a.example/b: status %d", tt.status); err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
	}
}

func TestChallengesAreRecognised(t *testing.T) {
	c := New(Options{Challenges: []string{"js_f-container"}})
	for body, want := range map[string]bool{
		captcha:                      true,
		`<div class="cf-turnstile">`: true,
		"<head><TITLE class=x>Just a Moment...</TITLE>":                              true,
		"<title>Captcha</title>":                                                     true,
		"<title>Human Verification</title>":                                          true,
		"<title>Access denied</title>" + strings.Repeat(" ", longPage):               true,
		"<title>Attention Required! | Cloudflare</title>":                            true,
		captcha + strings.Repeat(" ", longPage-1-len(captcha)):                       true,
		captcha + strings.Repeat(" ", longPage-len(captcha)):                         false,
		"<p>Ta strona jest chroniona przez reCAPTCHA</p>":                            false,
		`<div class="js_f-container">` + strings.Repeat(" ", longPage):               false,
		strings.Repeat(" ", 16<<10-len("<title>Captcha")) + "<title>Captcha</title>": true,
		strings.Repeat(" ", 16<<10-len("<title>Captch")) + "<title>Captcha</title>":  false, // cut
		"<title": false,
		"":       false,
	} {
		if got := c.isChallenge([]byte(body)); got != want {
			t.Errorf("%.60q: challenge %t, want %t", body, got, want)
		}
	}
}

func TestPagesAreReadInTheCharsetThatTheyName(t *testing.T) {
	s := newStub(t)
	for _, tt := range []struct{ contentType, page, want string }{
		{"text/html; charset=iso-8859-2", "P\xb3yta", "Płyta"},
		{"text/html", "<meta charset=iso-8859-2>P\xb3yta", "<meta charset=iso-8859-2>Płyta"},
		{"text/html", `<meta http-equiv=content-type content="text/html; charset=windows-1250">` + "\x8cruba",
			`<meta http-equiv=content-type content="text/html; charset=windows-1250">Śruba`},
		{"text/html", "<meta charset=iso-8859-2>Płyta", "<meta charset=iso-8859-2>Płyta"}, // which is wrong
		{"text/html", "P\xb3yta", "P\xb3yta"},
	} {
		s.on("/page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tt.contentType)
			_, _ = w.Write([]byte(tt.page))
		})
		if p, err := s.fetch(t.Context(), "/page"); err != nil || string(p.Body) != tt.want {
			t.Errorf("%q as %s: read %q, want %q (error %v)", tt.page, tt.contentType, p.Body, tt.want, err)
		}
	}
}

func TestDropInvisibleKeepsWhiteSpace(t *testing.T) {
	const text = "\ufeffRTX\u00ad\u200e 40\u200b70\x00\x1b\t\r\n\u00a0\u2028Ti\u0085\x7f"
	const want = "RTX 4070\t\r\n\u00a0\u2028Ti\u0085"
	if got := strings.Map(DropInvisible, text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGetNeverCutsAPageShort(t *testing.T) {
	zipped := func(page string) http.HandlerFunc {
		return withHeader("Content-Encoding", "gzip", func(w http.ResponseWriter, _ *http.Request) {
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, page)
			_ = z.Close()
		})
	}
	chunked := func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, strings.Repeat("x", maxBody+1))
	}
	page := text(200, "<html>")
	for name, tt := range map[string]struct {
		respond http.HandlerFunc
		code    string
	}{
		"largest": {text(200, strings.Repeat(" ", maxBody)), ""},
		"largest, announced": {
			withHeader("Content-Length", strconv.Itoa(maxBody), text(200, strings.Repeat(" ", maxBody))), "",
		},
		"compressed":         {zipped("<html>"), ""},
		"identity":           {withHeader("Content-Encoding", "identity", page), ""},
		"too large":          {text(200, strings.Repeat(" ", maxBody+1)), Changed.Name},
		"too large, chunked": {chunked, Changed.Name},
		"gzip bomb":          {zipped(strings.Repeat("x", 64<<20)), Changed.Name},
		"gzip by its type": {
			withHeader("Content-Type", "application/gzip", func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "<html>")
			}), "",
		},
		"unknown encoding": {withHeader("Content-Encoding", "br", page), Changed.Name},
		"absurd length":    {withHeader("Content-Length", "9000000000000000", page), Changed.Name},
		"cut off":          {withHeader("Content-Length", "100000", page), Unreachable.Name},
		"broken gzip":      {withHeader("Content-Encoding", "gzip", page), Unreachable.Name},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.on("/page", tt.respond)
			if tt.code == "" {
				s.wantPage(t, "/page")
			} else {
				s.wantCode(t, "/page", tt.code)
			}
		})
	}
}

func TestGetReportsASiteThatIsDown(t *testing.T) {
	s := newStub(t)
	s.Close()
	s.wantCode(t, "/page", Unreachable.Name)
}

func TestGetEndsWithItsContext(t *testing.T) {
	s := newStub(t)
	ctx, cancel := context.WithCancel(t.Context())
	released := make(chan struct{})
	s.on("/page", func(http.ResponseWriter, *http.Request) { cancel(); <-released })
	_, err := s.fetch(ctx, "/page")
	close(released)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestEveryTimeoutIsSlow(t *testing.T) {
	atOnce := func(err error) testkit.RoundTripper {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	closed := errors.New("stream closed")
	for name, tt := range map[string]struct {
		site testkit.RoundTripper
		code string
	}{
		"dialling takes too long": {atOnce(&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}), Slow.Name},
		"stream closed":           {atOnce(closed), Unreachable.Name},
		"stream closed after its time": {func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, closed
		}, Slow.Name},
		"body that does not come": {func(req *http.Request) (*http.Response, error) {
			body, writer := io.Pipe()
			context.AfterFunc(req.Context(), func() { _ = writer.CloseWithError(closed) })
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: req}, nil
		}, Slow.Name},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := clientOf(t, "https://www.ceneo.pl")
			c.Timeout, c.Transport = 10*time.Second, tt.site
			if _, err := c.Get(t.Context(), &Request{}, "https://www.ceneo.pl/1", nil); !fault.Is(err, tt.code) {
				t.Errorf("%s: %v, want %s", name, err, tt.code)
			}
		})
	}
}

// stubSite is a site with a handler per path, and a log.
type stubSite struct {
	*httptest.Server
	*Client

	mu       sync.Mutex
	handlers map[string]http.HandlerFunc
	paths    []string // requested, robots.txt included
	headers  []http.Header
}

const agent = "hardware-test/1.0 (+mailto:ops@backend.example)"

// newGate returns a Gate that pauses only for as long as the site asks.
func newGate() *Gate {
	return &Gate{Store: &MemoryStore{}, Failures: 100, Metrics: metrics.New(prometheus.NewRegistry()),
		Log: slog.New(slog.DiscardHandler)}
}

// newStub has a robots.txt without rules and the pages /page and /other.
func newStub(t *testing.T) *stubSite {
	t.Helper()
	s := &stubSite{handlers: map[string]http.HandlerFunc{
		robotsPath: text(200, ""), "/page": text(200, "content"), "/other": text(200, "other"),
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.paths = append(s.paths, r.URL.EscapedPath())
		s.headers = append(s.headers, r.Header)
		handler := s.handlers[r.URL.EscapedPath()]
		s.mu.Unlock()
		if handler == nil {
			handler = http.NotFound
		}
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	s.Client = New(Options{
		BaseURL: base, UserAgent: agent, Accept: "text/html", Timeout: 10 * time.Second, Transport: transport,
		Now: time.Now, Gate: newGate(),
		Forbidden: "/click/", Challenges: []string{"js_f-container"},
	})
	return s
}

func (s *stubSite) on(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[path] = h
}

func (s *stubSite) count(path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.paths {
		if p == path {
			n++
		}
	}
	return n
}

// fetch requests a path in a look-up of its own.
func (s *stubSite) fetch(ctx context.Context, path string) (Page, error) {
	return s.Get(ctx, &Request{}, s.URL+path, nil)
}

// wantPage fails unless a path can be fetched.
func (s *stubSite) wantPage(t *testing.T, path string) {
	t.Helper()
	if p, err := s.fetch(t.Context(), path); err != nil || p.Status != 200 {
		t.Errorf("%s: status %d, error %v, want a page", path, p.Status, err)
	}
}

// wantCode fails unless a path ends in the fault of that code, which asks for no pause.
func (s *stubSite) wantCode(t *testing.T, path, code string) {
	t.Helper()
	p, err := s.fetch(t.Context(), path)
	if !fault.Is(err, code) {
		t.Errorf("%s: error %v, want %s", path, err, code)
		return
	}
	if p.Body != nil {
		t.Errorf("%s: body %q with the error %v", path, p.Body, err)
	}
	if rest := fault.From(err).RetryAfter; rest != 0 {
		t.Errorf("%s: Retry-After %v, want none", path, rest)
	}
}

// text responds with a status and a body.
func text(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func withHeader(name, value string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		h(w, r)
	}
}
