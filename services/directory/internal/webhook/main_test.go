package webhook

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/trail"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

const (
	hookURL = "https://hook.example/a"
	refused = http.StatusInternalServerError
)

var start = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)

// world is a Service on a database with a company, and every address of a webhook.
type world struct {
	*Service
	t       *testing.T
	db      databasetest.Database
	company int64
	waits   map[int64]time.Time // until when the job of each receiver snoozes
	now     time.Time
	status  int                                // of the receivers
	retry   string                             // their Retry-After
	during  func(r *http.Request) (status int) // instead of status; may be nil

	mu     sync.Mutex
	sent   []*http.Request
	closed int // response bodies
	log    bytes.Buffer
}

func newWorld(t *testing.T, db databasetest.Database) *world {
	t.Helper()
	w := &world{
		t: t, db: db, now: start, status: http.StatusOK, waits: map[int64]time.Time{},
		company: db.AddCompany(t, "piekarnia"),
	}
	d := databasetest.Open(t, db.URL)
	d.Now = w.clock
	w.Service = New(Options{
		DB: d, Limits: limit.New(d), Transport: w, Now: w.clock, UserAgent: "directory/1", Metrics: metrics.New(nil),
		Log: slog.New(slog.NewJSONHandler(&w.log, nil)),
	})
	return w
}

// onSQLite is for rules that are the same on each database.
func onSQLite(t *testing.T) *world {
	t.Helper()
	url := databasetest.NewSQLite(t)
	return newWorld(t, databasetest.Database{Name: "sqlite", URL: url, DB: databasetest.Open(t, url)})
}

func onEachDatabase(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, newWorld(t, db)) })
}

func (w *world) clock() time.Time { return w.now }

// responseBody notes that it is closed.
type responseBody struct {
	io.Reader
	w *world
}

func (b responseBody) Close() error {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	b.w.closed++
	return nil
}

// RoundTrip implements http.RoundTripper.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.sent = append(w.sent, r)
	w.mu.Unlock()
	status := w.status
	if w.during != nil {
		status = w.during(r)
	}
	if status == 0 {
		return nil, errors.New("connection refused")
	}
	header := http.Header{"Retry-After": {w.retry}}
	return &http.Response{StatusCode: status, Header: header, Body: responseBody{strings.NewReader("{}"), w},
		Request: r}, nil
}

// received returns the requests since it was called last.
func (w *world) received() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := w.sent
	w.sent = nil
	return sent
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// add adds an address that is subscribed to the company; nil subscribes to all.
func (w *world) add(companyID *int64, url string) Webhook {
	w.t.Helper()
	added, err := w.Add(w.t.Context(), trail.Entry{UserID: new(int64(7))}, companyID, url)
	w.ok(err)
	return added
}

// publish publishes n events of the company.
func (w *world) publish(n int) {
	w.t.Helper()
	for range n {
		w.ok(w.DB.Transaction(w.t.Context(), func(tx *gorm.DB) error {
			return Publish(w.DB, tx, "audit.completed", w.company, map[string]int{"n": 1})
		}))
	}
}

// deliver gives each receiver a turn whose job does not snooze.
func (w *world) deliver() {
	w.t.Helper()
	hooks, err := w.List(w.t.Context(), nil)
	w.ok(err)
	for _, hook := range hooks {
		if hook.FailingSince != nil && w.now.Before(w.waits[hook.ID]) {
			continue
		}
		wait, err := w.turn(w.t.Context(), hook.ID)
		w.ok(err)
		if delete(w.waits, hook.ID); wait != nil {
			w.waits[hook.ID] = w.now.Add(*wait)
		}
	}
}

// all returns the deliveries of a webhook, newest first.
func (w *world) all(hook Webhook) []Delivery {
	w.t.Helper()
	list, err := w.Deliveries(w.t.Context(), hook.ID, 99)
	w.ok(err)
	return list
}

func (w *world) reload(hook Webhook) Webhook {
	w.t.Helper()
	now, err := w.get(w.t.Context(), hook.ID)
	w.ok(err)
	return now
}

// actions returns those of the audit trail, oldest first.
func (w *world) actions() (actions []string) {
	w.t.Helper()
	lines, err := trail.Find(context.Background(), w.DB, trail.Search{Limit: 99})
	w.ok(err)
	for _, line := range lines {
		actions = append([]string{line.Action}, actions...)
	}
	return actions
}
