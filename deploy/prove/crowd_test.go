package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/e2e/stack"
	"backend.example/deploy/prove/load"
)

// crowd is many clients, each with an address of its own, so that a limit for one
// client is not what is measured.
type crowd struct {
	base     string
	clients  []*http.Client
	sessions []string // values of the Cookie header
	products []string // paths of prices that are in the cache
	fresh    atomic.Int64
}

// patience is how long a client waits for an answer.
const patience = 10 * time.Second

func newCrowd(t *testing.T, s *stack.Stack, n int) *crowd {
	t.Helper()
	c := &crowd{base: s.Gateway}
	for i := range n {
		from := &net.TCPAddr{IP: net.IPv4(127, 1, byte(i/250), byte(1+i%250))}
		c.clients = append(c.clients, &http.Client{Timeout: patience, Transport: &http.Transport{
			DialContext: (&net.Dialer{LocalAddr: from}).DialContext, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
		}})
	}
	for _, email := range []string{"biuro", "kierownik", "pracownik", "czlonek"} {
		v := stack.NewVisitor(t, s.Gateway)
		v.Login(t, email+"@demo.example")
		request := &http.Request{Header: http.Header{}}
		for _, cookie := range v.HTTP.Jar.Cookies(must(http.NewRequest(http.MethodGet, s.Gateway, nil)).URL) {
			request.AddCookie(cookie)
		}
		c.sessions = append(c.sessions, request.Header.Get("Cookie"))
	}
	for i := range 20 {
		path := fmt.Sprintf("/api/prices/ceneo?q=karta+graficzna+%d", i)
		stack.Get(t, s.Gateway, path)
		c.products = append(c.products, path)
	}
	admin := stack.NewVisitor(t, s.Gateway)
	admin.Login(t, "admin@demo.example")
	if a := admin.Post(t, "/api/bizprofile/audit", map[string]any{"slug": "piekarnia-kowalski"}); a.Status != http.StatusOK {
		t.Fatalf("audit: %d %s", a.Status, a.Body)
	}
	return c
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// traffic is what the crowd does: mostly rankings and prices that are known, pages
// of accounts and audits, now and then something new or somebody who logs in.
func (c *crowd) traffic() []load.Kind {
	anyone := func(path, want string) load.Request { return c.get(path, "", want) }
	kinds := []load.Kind{
		{Share: 300, Send: anyone("/api/benchmark/gpu?limit=10", `"count":10`)},
		{Share: 100, Send: anyone("/api/benchmark/cpu", `"count":200`)},
		{Share: 100, Send: anyone("/api/bizprofile/audit?slug=piekarnia-kowalski", `"completeness_score"`)},
		{Share: 50, Send: anyone("/api/bizprofile/audit/piekarnia-kowalski/history", `"completeness_score"`)},
		{Share: 2, Send: c.newProduct},
		{Share: 1, Send: c.stranger},
	}
	for _, path := range c.products {
		kinds = append(kinds, load.Kind{Share: 15, Send: anyone(path, `"offers":[{`)})
	}
	for _, session := range c.sessions {
		kinds = append(kinds,
			load.Kind{Share: 40, Send: c.get("/api/oauth/status", session, `"success":true`)},
			load.Kind{Share: 20, Send: c.get("/api/auth/me", session, `@demo.example"`)})
	}
	return kinds
}

// get asks for path; want has to stand in the answer.
func (c *crowd) get(path, session, want string) load.Request {
	return func(ctx context.Context) (load.Verdict, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
		if err != nil {
			return load.Wrong, err
		}
		if session != "" {
			request.Header.Set("Cookie", session)
		}
		return c.judge(request, http.StatusOK, want)
	}
}

// newProduct asks for what nobody has asked for, which costs a look-up.
func (c *crowd) newProduct(ctx context.Context) (load.Verdict, error) {
	return c.get(fmt.Sprintf("/api/prices/ceneo?q=nowy+procesor+%d", c.fresh.Add(1)), "", `"offers":[`)(ctx)
}

// stranger tries to log in, which costs the hash of a password.
func (c *crowd) stranger(ctx context.Context) (load.Verdict, error) {
	body, err := json.Marshal(map[string]string{"email": fmt.Sprintf("nikt-%d@demo.example", c.fresh.Add(1)), "password": "zgaduj-zgadula"})
	if err != nil {
		return load.Wrong, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/auth/login", bytes.NewReader(body))
	if err != nil {
		return load.Wrong, err
	}
	request.Header.Set("Content-Type", "application/json")
	return c.judge(request, http.StatusUnauthorized, `"success":false`)
}

// judge sends the request as one of the crowd. The only answers are the right one
// and "come again in n seconds".
func (c *crowd) judge(request *http.Request, status int, want string) (load.Verdict, error) {
	response, err := c.clients[rand.N(len(c.clients))].Do(request) // #nosec G404 -- any will do
	if err != nil {
		return load.Wrong, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	busy := response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable
	switch {
	case err != nil:
		return load.Wrong, err
	case response.StatusCode == status && bytes.Contains(body, []byte(want)):
		return load.Right, nil
	case busy && response.Header.Get("Retry-After") != "":
		return load.Shed, nil
	}
	return load.Wrong, fmt.Errorf("%s %s: %s, Retry-After %q\n%.200s", request.Method, request.URL.Path,
		response.Status, response.Header.Get("Retry-After"), body)
}
