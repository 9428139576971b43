package prove

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"backend.example/deploy/prove/load"
	"backend.example/deploy/stack"
)

// audited is the company whose profile the crowd looks at and audits.
const audited = "piekarnia-kowalski"

// What the limits of an account allow during a run, with what was used before it
// begins taken off.
const (
	loginsOfAMember = 10 - 1
	auditsOfAMember = 20 - 1
)

// members are accounts that log in and audit. When all that their limits allow is
// used up they do as others do: try to log in, and read.
type members struct {
	crowd    *crowd
	emails   []string
	sessions []string // values of the Cookie header
	logins   atomic.Int64
	audits   atomic.Int64
}

func newMembers(t *testing.T, s *stack.Stack, c *crowd) *members {
	t.Helper()
	m := &members{crowd: c}
	for i := range 50 {
		email := fmt.Sprintf("pracownik-%d@demo.example", i)
		s.Directories[0].Run(t, "user", "add", email, "--role", "OFFICE_MANAGER", "--company", audited, "--password", stack.DemoPassword)
		m.emails, m.sessions = append(m.emails, email), append(m.sessions, loggedIn(t, s, email))
	}
	if verdict, err := m.audit(t.Context()); verdict != load.Right {
		t.Fatalf("the first audit: %v", err)
	}
	return m
}

// login logs the next member in.
func (m *members) login(ctx context.Context) (load.Verdict, error) {
	n := int(m.logins.Add(1)) - 1
	if n >= loginsOfAMember*len(m.emails) {
		return m.crowd.stranger(ctx)
	}
	body := map[string]any{"email": m.emails[n%len(m.emails)], "password": stack.DemoPassword}
	return m.crowd.post(ctx, "/api/auth/login", "", body, http.StatusOK, `"success":true`)
}

// audit lets the next member audit the company.
func (m *members) audit(ctx context.Context) (load.Verdict, error) {
	n := int(m.audits.Add(1)) - 1
	if n >= auditsOfAMember*len(m.sessions) {
		return m.crowd.get("/api/bizprofile/audit?slug="+audited, "", `"completeness_score"`)(ctx)
	}
	body := map[string]any{"slug": audited}
	return m.crowd.post(ctx, "/api/bizprofile/audit", m.sessions[n%len(m.sessions)], body, http.StatusOK, `"completeness_score"`)
}
