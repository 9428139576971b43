package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
)

const (
	flippers  = 3
	flipPause = 10 * time.Millisecond
)

// flipForever is a program that breaks and repairs connections, and delivers the events.
// Its argument has the settings.
func flipForever(ctx context.Context, _, settings string) error {
	cfg, s, err := openDatabase(ctx, strings.Split(settings, "\n"), cli.Change)
	if err != nil {
		return err
	}
	a, err := newApp(thisBuild(), cfg, s, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	go a.webhooks.Run(ctx)
	failures := make(chan error)
	for company := range int64(flippers) {
		go func() {
			for {
				if err := flip(ctx, directorytest.NewStore(s), company+1); err != nil {
					failures <- err
				}
				<-time.After(flipPause)
			}
		}()
	}
	return <-failures
}

// flip breaks a connection that works, or repairs it, with a line in the trail.
func flip(ctx context.Context, s *directorytest.Store, companyID int64) error {
	_, err := s.Connections.Change(ctx, companyID, provider.PagesPair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
		entry := &trail.Entry{CompanyID: companyID, Action: "flip", Pair: provider.PagesPair}
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
func newInbox(t *testing.T, settings []string, s *directorytest.Store) *inbox {
	t.Helper()
	box := &inbox{times: map[string]time.Duration{}}
	server := httptest.NewServer(box)
	t.Cleanup(server.Close)
	for company := range flippers {
		directorytest.AddConnection(t, s, "firma-"+strconv.Itoa(company), provider.PagesPair)
	}
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
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		settings := settingsOf(t, db.URL, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true")
		box, kills := newInbox(t, settings, directorytest.NewStore(db.DB)), killsFrom(t, 4)
		for range kills {
			flipper := databasetest.Start(t, "flip", db.URL, strings.Join(settings, "\n"))
			flipper.Expect(t, "ready")
			<-time.After(rand.N(300 * time.Millisecond)) // #nosec G404 -- any moment
			flipper.Kill(t)
		}
		hooks := openApp(t, settings).webhooks
		hooks.Now = func() time.Time { return time.Now().Add(time.Hour) } // no claim lasts so long
		drain(t, hooks)
		flips := db.Query(t, "SELECT count(*) FROM audit_trail WHERE action = 'flip'")[0]
		events := db.Query(t, "SELECT count(DISTINCT event_id) FROM webhook_deliveries WHERE state = 'delivered'")[0]
		if flips == "0" || events != flips || strconv.Itoa(box.size()) != flips {
			t.Errorf("%s changes, %s events delivered, %d received", flips, events, box.size())
		}
		t.Logf("%d kills, %s changes, 0 lost, %d deliveries came twice", kills, flips, box.count-box.size())
	})
}

// drain delivers until nothing waits.
func drain(t *testing.T, hooks *webhook.Service) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	ended := make(chan struct{})
	go func() { defer close(ended); hooks.Run(ctx) }()
	defer func() { stop(); <-ended }()
	for {
		backlog, err := hooks.Backlog(ctx, time.Now())
		ok(t, err)
		if backlog.Waiting == 0 {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// TestEventsArriveInTime: from the change to its delivery by a process that serves.
func TestEventsArriveInTime(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string, s *directorytest.Store) {
		settings = append(settings, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true")
		box, changes := newInbox(t, settings, s), 5*killsFrom(t, 6)
		p := start(t, settings)
		for i := range changes {
			ok(t, flip(t.Context(), s, int64(i%flippers)+1))
			<-time.After(flipPause)
		}
		for deadline := time.Now().Add(30 * time.Second); box.size() < changes && time.Now().Before(deadline); {
			<-time.After(flipPause)
		}
		p.end(t)
		delays := slices.Sorted(maps.Values(box.times))
		if len(delays) != changes {
			t.Fatalf("%d of %d events came", len(delays), changes)
		}
		if p99 := delays[len(delays)*99/100]; p99 > 5*time.Second {
			t.Errorf("99 of 100 events took up to %s", p99)
		}
		t.Logf("%d events: half within %s, 99 of 100 within %s", changes, delays[len(delays)/2], delays[len(delays)*99/100])
	})
}
