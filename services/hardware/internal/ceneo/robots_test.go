package ceneo

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

func TestFindObeysRobotsTxt(t *testing.T) {
	tests := map[string]struct {
		robots http.HandlerFunc
		code   string // empty: allowed
	}{
		"allowed":          {text(200, "User-agent: *\nDisallow: /admin\n"), ""},
		"everything":       {text(200, "User-agent: *\nDisallow: /\n"), lookup.CodeDisallowed},
		"searches":         {text(200, "User-agent: *\nDisallow: /*;szukaj-\n"), lookup.CodeDisallowed},
		"us by name":       {text(200, "User-agent: hardware-test\nDisallow: /\n\nUser-agent: *\nAllow: /\n"), lookup.CodeDisallowed},
		"another by name":  {text(200, "User-agent: otherbot\nDisallow: /\n"), ""},
		"none":             {text(404, "not found"), ""},
		"refused":          {text(403, ""), lookup.CodeBlocked},
		"too often":        {text(429, ""), lookup.CodeBlocked},
		"unavailable":      {text(503, ""), lookup.CodeUnavailable},
		"failed":           {text(500, ""), lookup.CodeUnavailable},
		"a page":           {text(200, "  <html><title>Just a moment...</title>"), lookup.CodeBlocked},
		"moved":            {redirect("/moved.txt"), lookup.CodeDisallowed},
		"moved to nowhere": {redirect("/gone.txt"), ""},
		"moved in a loop":  {redirect(robotsPath + "?again"), lookup.CodeChanged},
		"moved to captcha": {redirect("/Captcha/Add"), lookup.CodeBlocked},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, a, _ := openStub(t)
			s.on(robotsPath, tt.robots)
			s.on("/moved.txt", text(200, "User-agent: *\nDisallow: /\n"))
			_, err := find(t.Context(), a, query("RTX 4070"))
			if tt.code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantCode(t, err, tt.code)
			if s.count(searchPath) != 0 {
				t.Error("searched all the same")
			}
		})
	}
}

func TestFindHoldsRedirectsAgainstRobotsTxt(t *testing.T) {
	s, a, _ := openStub(t)
	s.on(robotsPath, text(200, "User-agent: *\nDisallow: /wewnetrzne\n"))
	s.on(searchPath, redirect("/wewnetrzne;szukaj-1"))
	_, err := find(t.Context(), a, query("RTX 4070"))
	wantCode(t, err, lookup.CodeDisallowed)
	if s.count("/wewnetrzne;szukaj-1") != 0 {
		t.Error("a redirect led past robots.txt")
	}
}

// The environment of the process must neither switch robots.txt off nor stop us.
func TestFindIgnoresTheEnvironmentOfColly(t *testing.T) {
	t.Setenv("COLLY_IGNORE_ROBOTSTXT", "yes")
	t.Setenv("COLLY_DISALLOWED_DOMAINS", "127.0.0.1")
	s, a, _ := openStub(t)
	mustFind(t, a, query("RTX 4070"))
	s.on(robotsPath, text(200, "User-agent: *\nDisallow: /\n"))
	o, _ := options(t, s.URL)
	_, err := find(t.Context(), NewAggregator(o), query("RTX 4070"))
	wantCode(t, err, lookup.CodeDisallowed)
}

func TestRobotsTxtIsKeptForADay(t *testing.T) {
	s, _, _ := openStub(t)
	o, pacer := options(t, s.URL)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { return now }
	a := NewAggregator(o)
	for i, step := range []struct {
		passes time.Duration
		asked  int
	}{{0, 1}, {time.Minute, 1}, {23*time.Hour + 58*time.Minute, 1}, {time.Minute, 2}, {time.Hour, 2}} {
		now = now.Add(step.passes)
		mustFind(t, a, query("RTX 4070"))
		if got := s.count(robotsPath); got != step.asked {
			t.Errorf("look-up %d: robots.txt asked for %d times, want %d", i, got, step.asked)
		}
	}
	begun, sent := pacer.turns()
	if len(begun) != 12 || sent != 12 || begun[3] || begun[7] || !begun[8] {
		t.Errorf("turns %v, %d sent: a kept robots.txt takes none", begun, sent)
	}
}

func TestAFailedRobotsTxtIsAskedForAgain(t *testing.T) {
	s, a, _ := openStub(t)
	s.on(robotsPath, text(500, ""))
	_, err := find(t.Context(), a, query("RTX 4070"))
	wantCode(t, err, lookup.CodeUnavailable)
	s.on(robotsPath, text(404, ""))
	mustFind(t, a, query("RTX 4070"))
}

func TestLookupsShareOneRobotsTxt(t *testing.T) {
	s, a, _ := openStub(t)
	release := make(chan struct{})
	s.on(robotsPath, func(http.ResponseWriter, *http.Request) { <-release })
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := find(context.Background(), a, query("RTX 4070")); err != nil {
				t.Error(err)
			}
		})
	}
	close(release)
	group.Wait()
	if got := s.count(robotsPath); got != 1 {
		t.Errorf("robots.txt asked for %d times", got)
	}
}

// A look-up that is given up while it asks for robots.txt must not take along
// the one that waits for the same file.
func TestAWaitingLookupOutlivesTheOneThatAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newRobotsCache(knownMarkup().challenge, time.Now, func(string) {})
		req := httptest.NewRequest(http.MethodGet, "https://www.ceneo.pl/robots.txt", nil)
		giveUp := make(chan struct{})
		var group sync.WaitGroup
		group.Go(func() {
			_, err := c.get(t.Context(), req, func(*http.Request) (*http.Response, error) {
				<-giveUp
				return nil, context.Canceled
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("first: %v", err)
			}
		})
		synctest.Wait()
		group.Go(func() {
			resp, err := c.get(t.Context(), req, func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody}, nil
			})
			if err != nil || resp.StatusCode != http.StatusNotFound {
				t.Errorf("second: %v", err)
			}
		})
		synctest.Wait()
		close(giveUp)
		group.Wait()
	})
}

func TestAWaitingLookupCanBeGivenUp(t *testing.T) {
	c := newRobotsCache(knownMarkup().challenge, time.Now, func(string) {})
	req := httptest.NewRequest(http.MethodGet, "https://www.ceneo.pl/robots.txt", nil)
	if _, first := c.entry(req.URL.Host); !first {
		t.Fatal("an entry for a new host is not the first")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.get(ctx, req, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
