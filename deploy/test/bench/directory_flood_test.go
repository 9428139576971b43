package bench

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

const (
	// loginClients is the number of clients that log in without a pause.
	loginClients = 50
	// hashMemory is the service's memory for hashes in MiB: 4 × 19.
	hashMemory = 4 * 19
	// leastDuring is the minimum share of a read's rate, mostDuring the maximum of its 99th
	// percentile in milliseconds.
	leastDuring = 0.25
	mostDuring  = 250
)

// TestFlood reads during logins with right and wrong passwords.
func TestFlood(t *testing.T) {
	table := newTable(t, "flood", "what", "alone", "during the flood", "ratio", "wanted", "")
	server := harness.StartPostgres(t)
	c := newDirectory(t, harness.New(t, harness.Options{Directories: 1}), server, small)
	company := firstCompany + small/2
	c.assignUser(t, company)
	f := &flood{directory: c, answers: map[int]int{}}
	idle := memory(t, c, "VmRSS")
	for _, r := range []read{reads[0], reads[2]} {
		var alone, during []wrkReport
		compare(limits{Least: 3, Most: 3},
			rival{Name: "during", Measure: func() float64 { return c.load(t, r.path(company), &during, f) }},
			rival{Name: "alone", Measure: func() float64 { return c.load(t, r.path(company), &alone, nil) }})
		rate := func(r wrkReport) float64 { return r.PerSecond }
		slowest := func(r wrkReport) float64 { return r.P99.Seconds() * 1000 }
		a, b := middle(alone, rate), middle(during, rate)
		table.row(r.name+", answers/s", fmt.Sprintf("%.0f", a), fmt.Sprintf("%.0f", b), fmt.Sprintf("%.2f", b/a),
			fmt.Sprintf("≥ %.2f", leastDuring), verdict(b >= leastDuring*a))
		a, b = middle(alone, slowest), middle(during, slowest)
		table.row(r.name+", 99th percentile, ms", fmt.Sprintf("%.0f", a), fmt.Sprintf("%.0f", b), fmt.Sprintf("%.1f", b/a),
			fmt.Sprintf("≤ %d ms", mostDuring), verdict(b <= mostDuring))
	}
	f.requireAnswered(t)
	peak := memory(t, c, "VmHWM")
	limit := idle + hashMemory + 40 // uncollected garbage, and the connections
	table.row("memory, MiB", fmt.Sprintf("%.0f", idle), fmt.Sprintf("%.0f", peak), fmt.Sprintf("%.1f", peak/idle),
		fmt.Sprintf("≤ %.0f", limit), verdict(peak <= limit))
	table.row(fmt.Sprintf("logins: %d answered 200, %d 401, %d 429", f.answers[200], f.answers[401], f.answers[429]), "", "", "", "nothing else", "met")
	f.requireRefusal(t)
}

// load reads at a path, during a flood unless it is nil, and adds the report.
func (c *directory) load(t *testing.T, path string, reports *[]wrkReport, f *flood) float64 {
	t.Helper()
	if f != nil {
		ctx, stop := context.WithCancel(t.Context())
		ended := f.begin(ctx, t)
		defer ended()
		defer stop()
	}
	report, err := runWrk(t.Context(), wrkLoad{
		URL: c.service.URL() + path, Header: []string{c.cookie}, Connections: clients, Time: 2 * time.Second, CPU: -1,
	})
	if err != nil || report.Wrong > 0 {
		t.Fatalf("%s: %d wrong answers, %v", path, report.Wrong, err)
	}
	*reports = append(*reports, report)
	return report.PerSecond
}

func middle(reports []wrkReport, of func(wrkReport) float64) float64 {
	values := make([]float64, len(reports))
	for i, r := range reports {
		values[i] = of(r)
	}
	return quantile(values, 0.5)
}

// flood is a series of logins from different addresses for different accounts, so that only
// the processor limits them.
type flood struct {
	*directory
	attempts atomic.Int64
	mu       sync.Mutex
	answers  map[int]int // by status
	failed   error
}

// begin logs in until ctx ends. The returned function waits for the pending logins.
func (f *flood) begin(ctx context.Context, t *testing.T) (ended func()) {
	t.Helper()
	var wg sync.WaitGroup
	for range loginClients {
		wg.Go(func() {
			for ctx.Err() == nil {
				n := f.attempts.Add(1)
				password := harness.DemoPassword
				if n%2 == 0 {
					password = "nie-to-haslo-wcale"
				}
				address := fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)
				f.note(f.login(context.WithoutCancel(ctx), fmt.Sprintf("u%d@demo.example", firstCompany+n%small), password, address))
			}
		})
	}
	return wg.Wait
}

// login sends a login from an address.
func (f *flood) login(ctx context.Context, email, password, address string) (harness.Answer, error) {
	client := &http.Client{Transport: harness.From(address)}
	return harness.Send(ctx, client, http.MethodPost, f.service.URL()+"/api/auth/login", map[string]string{"email": email, "password": password})
}

func (f *flood) note(a harness.Answer, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.failed = err
		return
	}
	f.answers[a.Status]++
}

// requireAnswered requires that every login got a documented response.
func (f *flood) requireAnswered(t *testing.T) {
	t.Helper()
	if f.failed != nil {
		t.Error(f.failed)
	}
	for status, n := range f.answers {
		if status != http.StatusOK && status != http.StatusUnauthorized && status != http.StatusTooManyRequests {
			t.Errorf("%d logins were answered %d", n, status)
		}
	}
	if f.answers[http.StatusOK] == 0 || f.answers[http.StatusUnauthorized] == 0 {
		t.Errorf("logins were answered %v", f.answers)
	}
}

// requireRefusal logs in from one address until the limit refuses it.
func (f *flood) requireRefusal(t *testing.T) {
	t.Helper()
	for n := range 100 {
		a, err := f.login(t.Context(), fmt.Sprintf("u%d@demo.example", firstCompany+n), "nie-to-haslo-wcale", "192.0.2.7")
		if err != nil {
			t.Fatal(err)
		}
		if a.Status == http.StatusTooManyRequests && a.Header.Get("Retry-After") != "" {
			return
		}
	}
	t.Error("100 logins from one address, and none was refused")
}

// memory returns the memory of the service's process in MiB.
func memory(t *testing.T, c *directory, name string) float64 {
	t.Helper()
	return float64(c.service.Memory(t, name)) / (1 << 20)
}
