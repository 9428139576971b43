package fetch

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/testkit"
)

func TestGetObeysRobotsTxt(t *testing.T) {
	for name, tt := range map[string]struct {
		robots http.HandlerFunc
		code   string // empty: allowed
	}{
		"allowed":    {text(200, "User-agent: *\nDisallow: /admin\n"), ""},
		"everything": {text(200, "User-agent: *\nDisallow: /\n"), Disallowed.Name},
		"the page":   {text(200, "User-agent: *\nDisallow: /*age\n"), Disallowed.Name},
		"us by name": {text(200, "User-agent: hardware-test\nDisallow: /\n\nUser-agent: *\nAllow: /\n"),
			Disallowed.Name},
		"another by name":   {text(200, "User-agent: otherbot\nDisallow: /\n"), ""},
		"none":              {text(404, "not found"), ""},
		"refused":           {text(403, ""), Blocked.Name},
		"too often":         {text(429, ""), Blocked.Name},
		"unavailable":       {text(503, ""), Unreachable.Name},
		"failed":            {text(500, ""), Unreachable.Name},
		"a page":            {text(200, "  <html><title>Just a moment...</title>"), Blocked.Name},
		"moved":             {redirect("/moved.txt"), Disallowed.Name},
		"moved, no address": {text(302, ""), Unreachable.Name},
		"moved to nowhere":  {redirect("/gone.txt"), ""},
		"unknown encoding":  {withHeader("Content-Encoding", "br", text(200, "")), Changed.Name},
		"moved in a loop":   {redirect("/loop.txt"), Changed.Name},
		"moved to captcha":  {redirect("/Captcha/Add"), Blocked.Name},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.on(robotsPath, tt.robots)
			s.on("/moved.txt", text(200, "User-agent: *\nDisallow: /\n"))
			s.on("/loop.txt", redirect("/loop.txt"))
			if tt.code == "" {
				s.wantPage(t, "/page")
				return
			}
			s.wantCode(t, "/page", tt.code)
			if s.count("/page") != 0 {
				t.Error("the page was requested")
			}
			if most := maxRedirects + 1; len(s.paths) > most {
				t.Errorf("%d requests for robots.txt, want at most %d", len(s.paths), most)
			}
		})
	}
}

func TestRedirectsObeyRobotsTxt(t *testing.T) {
	s := newStub(t)
	s.on(robotsPath, text(200, "User-agent: *\nDisallow: /other\n"))
	s.on("/page", redirect("/other"))
	s.wantCode(t, "/page", Disallowed.Name)
	if s.count("/other") != 0 {
		t.Error("a redirect led past robots.txt")
	}
	s = newStub(t) // that the address is closed must not hide the refusal
	s.on(robotsPath, text(200, "User-agent: *\nDisallow: /captcha\n"))
	s.on("/page", redirect("/captcha/add"))
	s.wantCode(t, "/page", Blocked.Name)
}

func TestTheEnvironmentOfCollyIsIgnored(t *testing.T) {
	t.Setenv("COLLY_IGNORE_ROBOTSTXT", "yes")
	t.Setenv("COLLY_DISALLOWED_DOMAINS", "127.0.0.1")
	s := newStub(t)
	s.on(robotsPath, text(200, "User-agent: *\nDisallow: /other\n"))
	s.wantPage(t, "/page")
	s.wantCode(t, "/other", Disallowed.Name)
}

func TestRobotsTxtIsKeptForADay(t *testing.T) {
	s := newStub(t)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s.Now = func() time.Time { return now }
	for _, step := range []struct {
		passes time.Duration
		want   int // requests for robots.txt until then
	}{{0, 1}, {time.Minute, 1}, {23*time.Hour + 58*time.Minute, 1}, {time.Minute, 2}, {time.Hour, 2}} {
		now = now.Add(step.passes)
		s.wantPage(t, "/page")
		if got := s.count(robotsPath); got != step.want {
			t.Errorf("at %v: robots.txt requested %d times, want %d", now, got, step.want)
		}
	}
}

func TestLookupsShareOneRobotsTxt(t *testing.T) {
	s := newStub(t)
	release := make(chan struct{})
	s.on(robotsPath, func(http.ResponseWriter, *http.Request) { <-release })
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { s.wantPage(t, "/page") })
	}
	close(release)
	group.Wait()
	if got := s.count(robotsPath); got != 1 {
		t.Errorf("robots.txt requested %d times, want once", got)
	}
}

func TestAWaitingLookupOutlivesTheOneThatRequestsRobotsTxt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, "https://www.ceneo.pl")
		c.Timeout = time.Minute
		c.Transport = testkit.RoundTripper(func(req *http.Request) (*http.Response, error) {
			select {
			case <-time.After(10 * time.Second):
				return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody, Request: req}, nil
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		})
		var group sync.WaitGroup
		get := func(patience time.Duration, gaveUp bool) {
			group.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				started := time.Now()
				_, err := c.Get(ctx, &Request{}, "https://www.ceneo.pl/1", nil)
				switch {
				case gaveUp && !errors.Is(err, context.DeadlineExceeded):
					t.Errorf("patience of %v: error %v, want %v", patience, err, context.DeadlineExceeded)
				case !gaveUp && err != nil:
					t.Errorf("patience of %v: error %v, want a page", patience, err)
				}
				if took, most := time.Since(started), min(patience, time.Minute); took > most {
					t.Errorf("patience of %v: ended after %v, want at most %v", patience, took, most)
				}
			})
			synctest.Wait()
		}
		get(5*time.Second, true)
		get(3*time.Second, true)
		get(time.Hour, false)
		group.Wait()
	})
}

func TestOneOddLineDoesNotMakeARobotsTxtUnreadable(t *testing.T) {
	for name, file := range map[string]string{
		"delay in words":       "User-agent: *\nCrawl-delay: soon\nDisallow: /page\n",
		"another word for it":  "User-agent: *\nCrawldelay: soon\nDisallow: /page\n",
		"delay below zero":     "User-agent: *\nCrawl-delay: -1\nDisallow: /page\n",
		"rule before a name":   "Allow: /\nUser-agent: *\nDisallow: /page\n",
		"carriage returns":     "User-agent: *\r\nDisallow: /page\r\n",
		"byte order mark":      "\ufeffUser-agent: *\nDisallow: /page\n",
		"unknown lines":        "hello\nUser-agent: *\nHost:\nNoindex: /\nSitemap: x\n\nDisallow: /page # cards\n",
		"no end of line":       "User-agent: *\nDisallow: /page",
		"another letter case":  "USER-AGENT : *\ndisallow : /page\n",
		"a delay without end":  "User-agent: *\nCrawl-delay: 1e300\nDisallow: /page\n",
		"two names, one group": "User-agent: otherbot\nUser-agent: *\nDisallow: /page\n",
		"an escaped letter":    "User-agent: *\nDisallow: /p%61g%65\n",
		"an exception":         "User-agent: *\nDisallow: /\nAllow: /other\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.on(robotsPath, text(200, file))
			s.wantCode(t, "/page", Disallowed.Name)
			s.wantPage(t, "/other")
		})
	}
}

func TestRobotsTxtIsReadUpTo500KiB(t *testing.T) {
	const size = 500 << 10
	filled := func(bytes int) string {
		const start, line = "User-agent: *\n", "Disallow: /nothing\n"
		return start + strings.Repeat(line, (bytes-len(start))/len(line)) +
			strings.Repeat("\n", (bytes-len(start))%len(line))
	}
	for name, tt := range map[string]struct {
		file string
		code string // of /page; empty: allowed
	}{
		"a rule at the end of it": {filled(size-len("Disallow: /page\n")) + "Disallow: /page\n" + filled(9<<20),
			Disallowed.Name},
		"a rule behind it":          {filled(size) + "Disallow: /page\n", ""},
		"a rule that is cut short":  {filled(size-len("Disallow: /pa")) + "Disallow: /page/of/nothing\n", ""},
		"one line without an end":   {strings.Repeat("x", 9<<20), ""},
		"a page that never ends":    {"<html>" + strings.Repeat("x", 9<<20), Blocked.Name},
		"exactly as long, one rule": {filled(size-len("Disallow: /page\n")) + "Disallow: /page\n", Disallowed.Name},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.on(robotsPath, text(200, tt.file))
			if tt.code == "" {
				s.wantPage(t, "/page")
			} else {
				s.wantCode(t, "/page", tt.code)
			}
		})
	}
}

// Parsing the file for every page took 900 KB of memory each.
func TestRobotsTxtIsParsedOnce(t *testing.T) {
	s := newStub(t)
	s.on(robotsPath, text(200, "User-agent: *\n"+strings.Repeat("Disallow: /nothing\n", 20_000)))
	s.wantPage(t, "/page")
	pages := testing.AllocsPerRun(3, func() { s.wantPage(t, "/page") })
	if pages > 1000 {
		t.Errorf("%.0f allocations for a page, want at most 1000", pages)
	}
}
