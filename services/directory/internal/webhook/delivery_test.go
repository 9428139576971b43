package webhook

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
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
	status  int                                // of the receivers; 0: they cannot be reached
	retry   string                             // their Retry-After
	during  func(r *http.Request) (status int) // instead of status; may be nil

	mu   sync.Mutex
	sent []*http.Request
}

func newWorld(t *testing.T, db databasetest.Database) *world {
	t.Helper()
	w := &world{
		t: t, db: db, now: start, status: http.StatusOK, waits: map[int64]time.Time{},
		company: db.AddCompany(t, "piekarnia"),
	}
	d := databasetest.Open(t, db.URL)
	d.Now = func() time.Time { return w.now }
	w.Service = New(Options{DB: d, Transport: w, UserAgent: "directory/1", Metrics: metrics.New(nil)})
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
	return &http.Response{StatusCode: status, Header: header, Body: http.NoBody, Request: r}, nil
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
	now, err := w.take(w.DB.Read(w.t.Context()), hook.ID)
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

func TestDeliver(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.publish(3)
	w.during = func(*http.Request) int {
		w.now = w.now.Add(250 * time.Millisecond)
		return http.StatusOK
	}
	w.deliver()
	sent := w.received()
	if len(sent) != 3 {
		t.Fatalf("%d requests, want one for each of three events", len(sent))
	}
	if address := sent[0].URL.String(); address != hook.URL {
		t.Errorf("sent to %s, want %s", address, hook.URL)
	}
	if took := w.all(hook)[0].DurationMs; took != 250 {
		t.Errorf("the stored duration is %d ms, want 250", took)
	}
	w.now = w.now.Add(48 * time.Hour)
	if w.deliver(); len(w.received()) != 0 {
		t.Error("accepted deliveries were sent again")
	}
}

func TestTurnEnds(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.now = start.Add(time.Hour)
	w.publish(9)
	w.now = start
	w.publish(1)
	w.now = start.Add(2 * time.Hour)
	w.during = func(*http.Request) int {
		w.now = w.now.Add(time.Second)
		return http.StatusOK
	}
	w.deliver()
	sent := w.received()
	if len(sent) != 5 {
		t.Fatalf("%d deliveries in a turn, want five", len(sent))
	}
	newest := w.all(hook)[0].EventID // the one that was due first
	if first := sent[0].Header.Get("webhook-id"); first != newest {
		t.Errorf("the turn begins with the event %s, want %s", first, newest)
	}
}

func TestWaitAfterAFailure(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.publish(1)
	w.now, w.status = start.Add(24*time.Hour), refused
	for _, test := range []struct{ failing, wait time.Duration }{
		{0, 5 * time.Second}, {4 * time.Second, 5 * time.Second}, {6 * time.Second, 6 * time.Second},
		{59 * time.Minute, 59 * time.Minute},
		{61 * time.Minute, time.Hour}, {20 * time.Hour, time.Hour},
	} {
		since := w.now.Add(-test.failing)
		hook.FailingSince = &since
		_, wait, err := w.attempt(t.Context(), hook, w.all(hook)[0])
		w.ok(err)
		if *wait != test.wait {
			t.Errorf("failing for %s: a wait of %s, want %s", test.failing, wait, test.wait)
		}
		if stored := w.reload(hook).FailingSince; !stored.Equal(since) {
			t.Errorf("failing for %s: failing since %s, want still %s", test.failing, stored, since)
		}
	}
	w.status = http.StatusOK
	_, wait, err := w.attempt(t.Context(), hook, w.all(hook)[0])
	w.ok(err)
	if wait != nil {
		t.Errorf("accepted: a wait of %s, want none", wait)
	}
	if since := w.reload(hook).FailingSince; since != nil {
		t.Errorf("accepted: failing since %s, want that it works", since)
	}
}

func TestReceiverAsksToWait(t *testing.T) {
	for _, test := range []struct {
		status int
		retry  string
		want   time.Duration
	}{
		{http.StatusTooManyRequests, "", time.Minute},
		{http.StatusTooManyRequests, "600", 10 * time.Minute},
		{http.StatusServiceUnavailable, "600", 10 * time.Minute},
		{http.StatusServiceUnavailable, start.Add(time.Hour).Format(http.TimeFormat), time.Hour},
		{http.StatusServiceUnavailable, start.Add(-time.Hour).Format(http.TimeFormat), shortestWait},
		{http.StatusServiceUnavailable, "99999999999999", 24 * time.Hour},
		{http.StatusServiceUnavailable, "-1", shortestWait},
	} {
		w := onSQLite(t)
		w.add(&w.company, hookURL)
		w.publish(2)
		w.status, w.retry = test.status, test.retry
		w.deliver()
		w.publish(1)
		w.now, w.status = start.Add(test.want-time.Second), http.StatusOK
		w.deliver()
		early := len(w.received()) - 1
		w.now = start.Add(test.want)
		w.deliver()
		if early != 0 {
			t.Errorf("%d, Retry-After %q: %d sent before %s", test.status, test.retry, early, test.want)
		}
		if sent := len(w.received()); sent < 2 {
			t.Errorf("%d, Retry-After %q: %d sent after %s, want two", test.status, test.retry, sent, test.want)
		}
	}
}

// TestRetries follows one delivery that is never accepted: the waits grow to a day, the
// event stays the same, and in the end it is parked and its webhook disabled. Once the webhook
// is enabled again, the attempts of the delivery begin at one.
func TestRetries(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.publish(1)
	w.status = refused
	id := w.all(hook)[0].EventID
	for i, wait := range []time.Duration{
		5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour,
		24 * time.Hour,
	} {
		w.deliver()
		sent, d := w.received(), w.all(hook)[0]
		if len(sent) != 1 {
			t.Fatalf("attempt %d: %d requests, want one", i+1, len(sent))
		}
		if got := sent[0].Header.Get("webhook-id"); got != id {
			t.Fatalf("attempt %d: the event is %s, want still %s", i+1, got, id)
		}
		if d.State != Pending || d.Attempts != i+1 {
			t.Fatalf("attempt %d: stored as %s after %d attempts, want %s", i+1, d.State, d.Attempts, Pending)
		}
		if until := d.NextRetry().Sub(w.now); until < wait || until > wait*6/5 {
			t.Errorf("attempt %d: the next one in %s, want about %s", i+1, until, wait)
		}
		w.now = d.NextRetry().Add(-time.Millisecond)
		if w.deliver(); len(w.received()) != 0 {
			t.Errorf("attempt %d came early", i+2)
		}
		w.now = w.now.Add(time.Millisecond)
	}
	w.deliver()
	if state := w.all(hook)[0].State; state != Parked {
		t.Errorf("in the end, the delivery is %s, want %s", state, Parked)
	}
	if reason := w.reload(hook).Disabled; reason != Failing {
		t.Errorf("in the end, the webhook is disabled as %q, want %q", reason, Failing)
	}
	w.status = http.StatusOK
	_, err := w.Test(t.Context(), trail.Entry{}, hook.ID)
	w.ok(err)
	w.status = refused
	w.deliver()
	if d := w.all(hook)[1]; d.State != Pending || d.Attempts != 1 {
		t.Errorf("enabled again: stored as %s after %d attempts, want %s after 1", d.State, d.Attempts, Pending)
	}
}

func TestFinish(t *testing.T) {
	for name, test := range map[string]struct {
		state    State
		disable  DisabledReason
		accepted time.Duration // when another delivery was accepted, after this one was created; 0: never
		disabled DisabledReason
		others   State // of deliveries that wait
	}{
		"delivered":                  {state: Delivered, others: Pending},
		"to be retried":              {state: Pending, others: Pending},
		"given up":                   {state: Parked, disable: Failing, disabled: Failing, others: Parked},
		"given up, another accepted": {state: Parked, disable: Failing, accepted: time.Minute, others: Pending},
		"given up, accepted long ago": {state: Parked, disable: Failing, accepted: -time.Minute, disabled: Failing,
			others: Parked},
		"gone":                   {state: Parked, disable: Gone, disabled: Gone, others: Parked},
		"gone, another accepted": {state: Parked, disable: Gone, accepted: time.Minute, disabled: Gone, others: Parked},
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, w *world) {
				hook := w.add(nil, hookURL)
				w.publish(3)
				sent := w.all(hook)
				if test.accepted != 0 {
					w.now = start.Add(test.accepted)
					sent[0].State = Delivered
					w.ok(w.finish(t.Context(), sent[0], nil, ""))
				}
				w.now = start.Add(time.Hour)
				d := sent[2]
				d.State = test.state
				d.Result = Refused
				d.Status = refused
				w.ok(w.finish(t.Context(), d, nil, test.disable))
				stored := w.all(hook)
				finished, waiting := stored[2], stored[1]
				if finished.State != test.state || finished.Status != refused {
					t.Errorf("finished: state = %s, status = %d, want %s, %d", finished.State, finished.Status,
						test.state, refused)
				}
				if waiting.State != test.others {
					t.Errorf("a delivery that waited is %s, want %s", waiting.State, test.others)
				}
				if reason := w.reload(hook).Disabled; reason != test.disabled {
					t.Errorf("the webhook is disabled as %q, want %q", reason, test.disabled)
				}
				next, err := first(w.DB.Read(t.Context()), hook.ID)
				w.ok(err)
				if isNext, want := next != nil, test.others == Pending; isNext != want {
					t.Errorf("there is a next delivery = %t, want %t", isNext, want)
				}
			})
		})
	}
}

func TestLateFailureDoesNotReplaceAnAcceptedDelivery(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		hook := w.add(nil, hookURL)
		w.publish(1)
		late := w.all(hook)[0]
		w.deliver()
		late.Result = Unreachable
		late.Status = 0
		w.ok(w.finish(t.Context(), late, nil, ""))
		if d := w.all(hook)[0]; d.State != Delivered || d.Result != Accepted || d.Status != http.StatusOK {
			t.Errorf("stored: %s, %s (%d), want still %s, %s (200)", d.State, d.Result, d.Status, Delivered, Accepted)
		}
	})
}

func TestPublish(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		stranger := w.db.AddCompany(t, "inna")
		own := w.add(&w.company, hookURL)
		all := w.add(nil, hookURL)
		other := w.add(&stranger, hookURL)
		w.publish(1)
		broken := errors.New("the change fails")
		err := w.DB.Transaction(t.Context(), func(tx *gorm.DB) error {
			return errors.Join(Publish(w.DB, tx, "audit.completed", w.company, nil), broken)
		})
		if !errors.Is(err, broken) {
			t.Fatal(err)
		}
		counts := []int{len(w.all(own)), len(w.all(all)), len(w.all(other))}
		if diff := cmp.Diff([]int{1, 1, 0}, counts); diff != "" {
			t.Fatalf("deliveries of the company, of all companies and of another company (-want +got):\n%s", diff)
		}
		got := w.all(own)[0]
		want := Delivery{ID: got.ID, WebhookID: own.ID, CompanyID: &w.company, EventID: w.all(all)[0].EventID,
			Type: "audit.completed", At: start, Data: `{"n":1}`, State: Pending, CreatedAt: start}
		got.At, got.CreatedAt = got.At.UTC(), got.CreatedAt.UTC()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("delivery (-want +got):\n%s", diff)
		}
		if len(got.EventID) < 20 {
			t.Errorf("the event's id %q has fewer than 20 characters", got.EventID)
		}
		w.now = start.Add(time.Hour)
		w.publish(1)
		if n, err := w.DeleteBefore(t.Context(), start.Add(time.Second)); n != 2 || err != nil {
			t.Errorf("%d deleted, %v, want the old event of two webhooks", n, err)
		}
	})
}

func TestFailingReceiverIsDisabled(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.publish(200)
	w.status = refused
	attempts := 0
	for w.reload(hook).Disabled == "" && attempts < 200 {
		w.deliver()
		attempts += len(w.received())
		w.now = w.waits[hook.ID]
	}
	if after := w.now.Sub(start); after < failingMax || after > failingMax+2*longestWait {
		t.Errorf("disabled after %s, want soon after %s", after, failingMax)
	}
	if attempts > 70 {
		t.Errorf("%d attempts before it was disabled, want at most 70", attempts)
	}
	if n, err := w.Waiting(t.Context()); err != nil || n != 0 {
		t.Errorf("%d deliveries of the disabled webhook wait, err = %v, want none", n, err)
	}
}

func TestReplay(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		hook := w.add(&w.company, hookURL)
		w.publish(1)
		first := w.all(hook)[0].EventID
		w.now = start.Add(time.Hour)
		w.publish(2)
		w.deliver()
		_, err := w.Test(t.Context(), trail.Entry{}, hook.ID)
		w.ok(err)
		w.received()
		for name, test := range map[string]struct {
			events Selection
			want   int64
		}{
			"an event":         {Selection{EventID: first}, 1},
			"an unknown event": {Selection{EventID: "msg_x"}, 0},
			"from a time":      {Selection{From: start.Add(time.Minute)}, 2},
			"from the first":   {Selection{From: start}, 3},
			"from later":       {Selection{From: start.Add(2 * time.Hour)}, 0},
		} {
			n, err := w.Replay(t.Context(), trail.Entry{}, hook.ID, test.events)
			w.deliver()
			w.ok(err)
			if sent := int64(len(w.received())); n != test.want || sent != test.want {
				t.Errorf("%s: %d replayed and %d sent, want %d", name, n, sent, test.want)
			}
		}
		want := []string{"webhook add", "webhook replay", "webhook replay", "webhook replay"}
		if diff := cmp.Diff(want, w.actions()); diff != "" {
			t.Errorf("trail, of one line for each replay of something (-want +got):\n%s", diff)
		}
		w.db.Exec(t, "UPDATE webhooks SET disabled = 'failing'")
		_, err = w.Replay(t.Context(), trail.Entry{}, hook.ID, Selection{From: start})
		if !fault.Is(err, CodeWebhookDisabled) || fault.From(err).Kind != fault.Invalid {
			t.Errorf("disabled webhook: err = %v, want the invalid %s", err, CodeWebhookDisabled)
		}
		_, err = w.Replay(t.Context(), trail.Entry{}, 99, Selection{From: start})
		if !fault.Is(err, CodeNoWebhook) {
			t.Errorf("unknown webhook: err = %v, want %s", err, CodeNoWebhook)
		}
	})
}
