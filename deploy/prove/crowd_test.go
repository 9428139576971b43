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

	"backend.example/deploy/prove/load"
	"backend.example/deploy/stack"
)

// crowd is many clients, each with an address of its own, so that a limit for one
// client is not what is measured.
type crowd struct {
	base     string
	clients  []*http.Client
	sessions []string // values of the Cookie header
	products []string // paths of prices that are in the cache
	members  *members
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
		c.sessions = append(c.sessions, loggedIn(t, s, email+"@demo.example"))
	}
	for i := range 20 {
		path := fmt.Sprintf("/api/prices/ceneo?q=karta+graficzna+%d", i)
		stack.Get(t, s.Gateway, path)
		c.products = append(c.products, path)
	}
	c.members = newMembers(t, s, c)
	return c
}

// loggedIn logs a user in and returns the Cookie header of the session.
func loggedIn(t *testing.T, s *stack.Stack, email string) string {
	t.Helper()
	v := stack.NewVisitor(t, s.Gateway)
	v.HTTP.Transport = anywhere()
	v.Login(t, email)
	request := &http.Request{Header: http.Header{}}
	for _, cookie := range v.HTTP.Jar.Cookies(must(http.NewRequest(http.MethodGet, s.Gateway, nil)).URL) {
		request.AddCookie(cookie)
	}
	return request.Header.Get("Cookie")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// traffic is what the crowd does: mostly rankings and prices that are known, pages,
// accounts and audits, now and then something new, an audit, or somebody who logs in.
func (c *crowd) traffic() []load.Kind {
	kinds := []load.Kind{
		{Name: "ranking", Share: 300, Send: c.get("/api/benchmark/gpu?limit=10", "", `"count":10`)},
		{Name: "ranking", Share: 100, Send: c.get("/api/benchmark/cpu", "", `"count":200`)},
		{Name: "audit", Share: 100, Send: c.get("/api/bizprofile/audit?slug="+audited, "", `"completeness_score"`)},
		{Name: "history", Share: 50, Send: c.get("/api/bizprofile/audit/"+audited+"/history", "", `"completeness_score"`)},
		{Name: "page", Share: 10, Send: c.get("/", "", "</html>")},
		{Name: "page", Share: 10, Send: c.get("/audyt/"+audited, "", "</html>")},
		{Name: "page", Share: 10, Send: c.get("/kreator/ranking/gpu", "", "</html>")},
		{Name: "price miss", Share: 2, Send: c.newProduct},
		{Name: "refused login", Share: 1, Send: c.stranger},
		{Name: "login", Share: 1, Send: c.members.login},
		{Name: "new audit", Share: 1, Send: c.members.audit},
	}
	for _, path := range c.products {
		kinds = append(kinds, load.Kind{Name: "price hit", Share: 15, Send: c.get(path, "", `"offers":[{`)})
	}
	for _, session := range c.sessions {
		kinds = append(kinds,
			load.Kind{Name: "status", Share: 40, Send: c.get("/api/oauth/status", session, `"success":true`)},
			load.Kind{Name: "account", Share: 20, Send: c.get("/api/auth/me", session, `@demo.example"`)},
			load.Kind{Name: "page", Share: 5, Send: c.get("/konto/integracje", session, "</html>")})
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
	body := map[string]any{"email": fmt.Sprintf("nikt-%d@demo.example", c.fresh.Add(1)), "password": "zgaduj-zgadula"}
	return c.post(ctx, "/api/auth/login", "", body, http.StatusUnauthorized, `"success":false`)
}

// post sends body as JSON; want has to stand in the answer.
func (c *crowd) post(ctx context.Context, path, session string, body map[string]any, status int, want string) (load.Verdict, error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return load.Wrong, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(sent))
	if err != nil {
		return load.Wrong, err
	}
	request.Header.Set("Content-Type", "application/json")
	if session != "" {
		request.Header.Set("Cookie", session)
	}
	return c.judge(request, status, want)
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
