package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/prove/load"
)

// audited is the company whose profile is looked at and audited.
const audited = "piekarnia-kowalski"

// clients send from an address each, so that the rate limit for one client is not what
// is measured.
type clients struct {
	base     string
	clients  []*http.Client
	sessions []string // values of the Cookie header
	products []string // paths of prices that are in the cache
	accounts *accounts
	unique   atomic.Int64 // makes a request differ from all others
}

func newClients(t *testing.T, s *harness.Stack, n int) *clients {
	t.Helper()
	c := &clients{base: s.Gateway}
	for i := range n {
		from := &net.TCPAddr{IP: net.IPv4(127, 1, byte(i/250), byte(1+i%250))}
		c.clients = append(c.clients, &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
			DialContext: (&net.Dialer{LocalAddr: from}).DialContext, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
		}})
	}
	for _, name := range []string{"biuro", "kierownik", "pracownik", "czlonek"} {
		c.sessions = append(c.sessions, newSession(t, s, name+"@demo.example"))
	}
	for i := range 20 {
		path := fmt.Sprintf("/api/prices/ceneo?q=karta+graficzna+%d", i)
		harness.Get(t, s.Gateway, path)
		c.products = append(c.products, path)
	}
	c.accounts = newAccounts(t, s, c)
	return c
}

// newSession logs a user in and returns the Cookie header of the session.
func newSession(t *testing.T, s *harness.Stack, email string) string {
	t.Helper()
	v := harness.NewVisitor(t, s.Gateway)
	v.HTTP.Transport = harness.ChangingAddresses()
	v.Login(t, email)
	return v.CookieHeader(t)
}

// traffic is what the clients send: mostly rankings and prices that are known, pages,
// accounts and audits, now and then something new, an audit, or a login.
func (c *clients) traffic() []load.Kind {
	kinds := []load.Kind{
		{Name: "ranking", Share: 300, Send: c.get("/api/benchmark/gpu?limit=10", "", `"count":10`)},
		{Name: "ranking", Share: 100, Send: c.get("/api/benchmark/cpu", "", `"count":200`)},
		{Name: "audit", Share: 100, Send: c.get("/api/bizprofile/audit?slug="+audited, "", `"completeness_score"`)},
		{Name: "history", Share: 50, Send: c.get("/api/bizprofile/audit/"+audited+"/history", "", `"completeness_score"`)},
		{Name: "page", Share: 10, Send: c.get("/", "", "</html>")},
		{Name: "page", Share: 10, Send: c.get("/audyt/"+audited, "", "</html>")},
		{Name: "page", Share: 10, Send: c.get("/kreator/ranking/gpu", "", "</html>")},
		{Name: "price miss", Share: 2, Send: c.newProduct},
		{Name: "refused login", Share: 1, Send: c.wrongLogin},
		{Name: "login", Share: 1, Send: c.accounts.login},
		{Name: "new audit", Share: 1, Send: c.accounts.audit},
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

// get asks for path; the answer has to contain want.
func (c *clients) get(path, session, want string) load.Request {
	return func(ctx context.Context) (load.Verdict, error) {
		return c.send(ctx, http.MethodGet, path, session, nil, http.StatusOK, want)
	}
}

// newProduct asks for a price that is in no cache, which costs a look-up.
func (c *clients) newProduct(ctx context.Context) (load.Verdict, error) {
	return c.get(fmt.Sprintf("/api/prices/ceneo?q=nowy+procesor+%d", c.unique.Add(1)), "", `"offers":[`)(ctx)
}

// wrongLogin is refused, and costs the hash of a password.
func (c *clients) wrongLogin(ctx context.Context) (load.Verdict, error) {
	body := map[string]any{"email": fmt.Sprintf("nikt-%d@demo.example", c.unique.Add(1)), "password": "zgaduj-zgadula"}
	return c.send(ctx, http.MethodPost, "/api/auth/login", "", body, http.StatusUnauthorized, `"success":false`)
}

// send sends body, unless it is nil, as JSON from one of the clients. The answer has to
// have the status and contain want, or to be a refusal with Retry-After.
func (c *clients) send(ctx context.Context, method, path, session string, body map[string]any, status int, want string) (load.Verdict, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return load.Wrong, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(content))
	if err != nil {
		return load.Wrong, err
	}
	request.Header.Set("Content-Type", "application/json")
	if session != "" {
		request.Header.Set("Cookie", session)
	}
	a, err := harness.Do(c.clients[rand.N(len(c.clients))], request) // #nosec G404 -- any will do
	retryAfter := a.Header.Get("Retry-After")
	switch {
	case err != nil:
		return load.Wrong, err
	case a.Status == status && bytes.Contains(a.Body, []byte(want)):
		return load.Right, nil
	case (a.Status == http.StatusTooManyRequests || a.Status == http.StatusServiceUnavailable) && retryAfter != "":
		return load.Refused, nil
	}
	return load.Wrong, fmt.Errorf("%s %s: %d, Retry-After %q\n%.200s", method, path, a.Status, retryAfter, a.Body)
}
