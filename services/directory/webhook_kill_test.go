package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
)

// asFlipper makes the test binary break and mend connections, and deliver the events,
// until it is killed.
const asFlipper = "flipper"

const (
	flippers  = 3
	flipPause = 10 * time.Millisecond
)

var flipped = provider.Pair{Provider: provider.Social, Service: provider.SocialPages}

func flipUntilKilled() {
	fmt.Fprintln(os.Stderr, flipForever(context.Background()))
	os.Exit(1)
}

func flipForever(ctx context.Context) error {
	cfg, s, err := openDatabase(ctx, os.Environ(), cli.Change)
	if err != nil {
		return err
	}
	a, err := newApp(cfg, s, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	go a.webhooks.Run(ctx)
	failures := make(chan error)
	for company := range int64(flippers) {
		go func() { failures <- flipCompany(ctx, storetest.New(s), company+1) }()
	}
	return <-failures
}

func flipCompany(ctx context.Context, s *storetest.Store, companyID int64) error {
	for {
		if err := flip(ctx, s, companyID); err != nil {
			return err
		}
		<-time.After(flipPause)
	}
}

// flip breaks a connection that works, or mends it, with a line in the trail.
func flip(ctx context.Context, s *storetest.Store, companyID int64) error {
	_, err := s.Change(ctx, companyID, flipped, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
		entry := &trail.Entry{CompanyID: companyID, Action: "flip", Pair: flipped}
		if c.ReconnectReason == "" {
			c.ReconnectReason = "Cofnięto dostęp."
		} else {
			c.ReconnectReason = ""
		}
		return entry, nil
	})
	return err
}

// inbox notes the events that arrive, and how long each was on its way when it came for
// the first time.
type inbox struct {
	mu    sync.Mutex
	times map[string]time.Duration
	count int
}

func (i *inbox) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var event struct{ Timestamp time.Time }
	content, _ := io.ReadAll(r.Body)
	if json.Unmarshal(content, &event) != nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.count++
	if _, known := i.times[r.Header.Get("Webhook-Id")]; !known {
		i.times[r.Header.Get("Webhook-Id")] = time.Since(event.Timestamp)
	}
}

func (i *inbox) size() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.times)
}

// newInbox adds one that is subscribed to every company, and connections to flip.
func newInbox(t *testing.T, settings []string) *inbox {
	t.Helper()
	box := &inbox{times: map[string]time.Duration{}}
	server := httptest.NewServer(box)
	t.Cleanup(server.Close)
	require(t, settings, "migrate", "up")
	inStore(t, settings, func(_ context.Context, s *storetest.Store) error {
		for company := range flippers {
			storetest.AddConnection(t, s, "firma-"+strconv.Itoa(company), flipped)
		}
		return nil
	})
	require(t, settings, "webhook", "add", server.URL, "--all")
	return box
}

// killsFrom is how many processes are killed: a few, or what PROVE_KILLS says.
func killsFrom(t *testing.T, few int) int {
	t.Helper()
	if kills, err := strconv.Atoi(os.Getenv("PROVE_KILLS")); err == nil {
		return kills / 2 // on each of two databases
	}
	return few
}

// TestKilledBetweenEventAndDelivery kills processes at any moment of writing events and
// of delivering them. Every change that was kept has its event, and each arrives.
func TestKilledBetweenEventAndDelivery(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		settings = append(settings, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true")
		box, kills := newInbox(t, settings), killsFrom(t, 4)
		for range kills {
			killFlipper(t, settings)
		}
		inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
			later := func() time.Time { return time.Now().Add(time.Hour) } // no claim lasts so long
			cfg, err := loadConfig(settings)
			if err != nil {
				return err
			}
			hooks := newWebhooks(cfg, s.DB, limit.New(s.DB), metrics.New(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
			hooks.Now = later
			drain(t, ctx, hooks)
			return nil
		})
		database := databasetest.Database{URL: setting(settings, "DIRECTORY_DATABASE_URL")}.Raw(t)
		flips := countRows(t, database, "SELECT count(*) FROM audit_trail WHERE action = 'flip'")
		events := countRows(t, database, "SELECT count(DISTINCT event_id) FROM webhook_deliveries WHERE state = 'delivered'")
		if flips == 0 || events != flips || box.size() != flips {
			t.Errorf("%d changes, %d events delivered, %d received", flips, events, box.size())
		}
		t.Logf("%d kills, %d changes, 0 lost, %d deliveries came twice", kills, flips, box.count-box.size())
	})
}

// killFlipper starts a flipper and kills it at a moment that chance picks.
func killFlipper(t *testing.T, settings []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(slices.Clone(settings), asProgram+"="+asFlipper, "GOCOVERDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if ready := bufio.NewScanner(out); !ready.Scan() || ready.Text() != "ready" {
		t.Fatalf("the flipper says %q", ready.Text())
	}
	<-time.After(rand.N(300 * time.Millisecond)) // #nosec G404 -- any moment
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
}

// drain delivers until nothing waits.
func drain(t *testing.T, ctx context.Context, hooks *webhook.Service) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ended := make(chan struct{})
	run, stop := context.WithCancel(ctx)
	go func() { defer close(ended); hooks.Run(run) }()
	defer func() { stop(); <-ended }()
	for {
		backlog, err := hooks.Backlog(ctx, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if backlog.Waiting == 0 {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// TestEventsArriveInTime: from the change to its delivery by a process that serves.
func TestEventsArriveInTime(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		settings = append(settings, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true")
		box, changes := newInbox(t, settings), 5*killsFrom(t, 6)
		p := start(t, settings)
		inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
			for i := range changes {
				if err := flip(ctx, s, int64(i%flippers)+1); err != nil {
					return err
				}
				<-time.After(flipPause)
			}
			return nil
		})
		for deadline := time.Now().Add(30 * time.Second); box.size() < changes && time.Now().Before(deadline); {
			<-time.After(flipPause)
		}
		p.end(t)
		box.mu.Lock()
		defer box.mu.Unlock()
		var delays []time.Duration
		for _, delay := range box.times {
			delays = append(delays, delay)
		}
		slices.Sort(delays)
		if len(delays) != changes {
			t.Fatalf("%d of %d events came", len(delays), changes)
		}
		if p99 := delays[len(delays)*99/100]; p99 > 5*time.Second {
			t.Errorf("99 of 100 events took up to %s", p99)
		}
		t.Logf("%d events: half within %s, 99 of 100 within %s", changes, delays[len(delays)/2], delays[len(delays)*99/100])
	})
}

func setting(settings []string, name string) (value string) {
	for _, s := range settings { // the last one counts
		if v, ok := strings.CutPrefix(s, name+"="); ok {
			value = v
		}
	}
	return value
}

func countRows(t *testing.T, database *sql.DB, query string) (n int) {
	t.Helper()
	if err := database.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
