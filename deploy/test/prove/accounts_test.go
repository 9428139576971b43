package prove

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/prove/load"
)

// What the limits of an account allow during a run, with what was used before it
// begins taken off.
const (
	loginsOfAnAccount = 10 - 1
	auditsOfAnAccount = 20 - 1
)

// accounts log in and audit in turn. When their limits are used up, logins with a wrong
// password and reads take the place of that.
type accounts struct {
	clients  *clients
	emails   []string
	sessions []string // values of the Cookie header
	logins   atomic.Int64
	audits   atomic.Int64
}

func newAccounts(t *testing.T, s *harness.Stack, c *clients) *accounts {
	t.Helper()
	a := &accounts{clients: c}
	for i := range 50 {
		email := fmt.Sprintf("pracownik-%d@demo.example", i)
		addUser(t, s, email, audited)
		a.emails, a.sessions = append(a.emails, email), append(a.sessions, newSession(t, s, email))
	}
	if verdict, err := a.audit(t.Context()); verdict != load.Right {
		t.Fatalf("the first audit: %v", err)
	}
	return a
}

// login logs the next account in.
func (a *accounts) login(ctx context.Context) (load.Verdict, error) {
	n := int(a.logins.Add(1)) - 1
	if n >= loginsOfAnAccount*len(a.emails) {
		return a.clients.wrongLogin(ctx)
	}
	body := map[string]any{"email": a.emails[n%len(a.emails)], "password": harness.DemoPassword}
	return a.clients.send(ctx, http.MethodPost, "/api/auth/login", "", body, http.StatusOK, `"success":true`)
}

// audit lets the next account audit the company.
func (a *accounts) audit(ctx context.Context) (load.Verdict, error) {
	n := int(a.audits.Add(1)) - 1
	if n >= auditsOfAnAccount*len(a.sessions) {
		return a.clients.get("/api/bizprofile/audit?slug="+audited, "", `"completeness_score"`)(ctx)
	}
	body := map[string]any{"slug": audited}
	return a.clients.send(ctx, http.MethodPost, "/api/bizprofile/audit", a.sessions[n%len(a.sessions)], body, http.StatusOK, `"completeness_score"`)
}
