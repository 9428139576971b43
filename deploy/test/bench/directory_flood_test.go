package bench

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"backend.example/deploy/test/harness"
)

const (
	// loginClients is the number of clients that log in without a pause.
	loginClients = 50
	// leastDuring is the minimum share of a read's rate.
	leastDuring = 0.25
)

// TestFlood reads during logins with right and wrong passwords.
func TestFlood(t *testing.T) {
	table := newTable(t, "flood", "what", "alone", "during the flood", "ratio", "wanted", "")
	c := newDirectory(t, harness.New(t, harness.Options{Directories: 1}), harness.StartPostgres(t), small)
	company := firstCompany + small/2
	c.assignUser(t, company)
	for _, r := range []read{reads[0], reads[2]} {
		alone := c.rate(t, r.path(company))
		during := rival{Name: "during", Measure: func() float64 {
			defer c.flood(t)()
			return alone.Measure()
		}}
		result := compare(limits{Least: 3, Most: 3}, during, alone)
		ratio := result.Ratios[0]
		table.row(r.name+", answers/s", fmt.Sprintf("%.0f", ratio.Other), fmt.Sprintf("%.0f", result.First), fmt.Sprintf("%.2f", ratio.Median),
			fmt.Sprintf("≥ %.2f", leastDuring), verdict(ratio.Median >= leastDuring))
	}
}

// flood logs in from different addresses to different accounts, so that only the processor
// limits the logins. The returned function ends it and waits for the pending logins.
func (c *directory) flood(t *testing.T) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var attempts atomic.Int64
	var wg sync.WaitGroup
	for range loginClients {
		wg.Go(func() {
			for ctx.Err() == nil {
				c.login(t, attempts.Add(1))
			}
		})
	}
	return func() {
		cancel()
		wg.Wait()
	}
}

// login sends the nth login. Every second one has a wrong password.
func (c *directory) login(t *testing.T, n int64) {
	t.Helper()
	body := map[string]string{"email": fmt.Sprintf("u%d@demo.example", firstCompany+n%small), "password": harness.DemoPassword}
	if n%2 == 0 {
		body["password"] = "nie-to-haslo-wcale"
	}
	client := &http.Client{Transport: harness.From(fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))}
	a, err := harness.Send(t.Context(), client, http.MethodPost, c.service.URL()+"/api/auth/login", body)
	if err != nil || a.Status != http.StatusOK && a.Status != http.StatusUnauthorized && a.Status != http.StatusTooManyRequests {
		t.Errorf("login %d: %d, %v", n, a.Status, err)
	}
}
