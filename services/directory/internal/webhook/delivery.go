package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"backend.example/services/directory/internal/database"
)

// Delivery is an event for one webhook.
type Delivery struct {
	ID        int64
	WebhookID int64
	CompanyID *int64
	EventID   string // the same in every attempt, so that a receiver can detect repetitions
	Type      string
	At        time.Time
	Data      string // JSON
	State     State
	Attempts  int // including the one in progress
	Result    Result
	Status    int       // of HTTP; 0 without a response
	NextAt    time.Time // when it is due
	DoneAt    *time.Time
	CreatedAt time.Time
}

// State is the state of a delivery.
type State string

// The states of a delivery.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	Parked    State = "parked" // retried for as long as allowed, or its webhook is disabled
)

// Result is how an attempt ended.
type Result string

// The results of an attempt.
const (
	Accepted     Result = "delivered"
	Refused      Result = "refused"     // the status was not 2xx
	ReceiverGone Result = "gone"        // the status was 410
	Unreachable  Result = "unreachable" // or too slow
	Forbidden    Result = "forbidden"   // a private address, which is not called
	NoSecret     Result = "no_secret"   // the secret cannot be decrypted, so nothing is sent
)

// Backlog is the size of the outbox.
type Backlog struct {
	Waiting int64
	Overdue time.Duration // of the oldest due delivery; 0 if none is due
}

const (
	deliverInterval = time.Second // between queries of the outbox
	observeInterval = 15 * time.Second
	receiversAtOnce = 16
	sendTimeout     = 10 * time.Second
	// claimTime is how long a delivery is reserved for one process. It outlives an
	// attempt, so that only a process that died loses its claim.
	claimTime = 30 * time.Second
)

// retryAfter are the waits after the attempts, as Standard Webhooks recommends; after
// the last one a delivery is parked.
var retryAfter = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// newDelivery returns a pending delivery of an event with a new id.
func newDelivery(webhookID int64, eventType string, companyID *int64, data any, now time.Time) (Delivery, error) {
	encoded, err := json.Marshal(data)
	now = database.Instant(now)
	return Delivery{
		WebhookID: webhookID, CompanyID: companyID, EventID: "msg_" + rand.Text(), Type: eventType, At: now, Data: string(encoded),
		State: Pending, NextAt: now,
	}, err
}

// Run delivers events until ctx ends, and waits for attempts in progress. Any number of
// replicas may run it. A receiver gets one delivery at a time from each of them, so that
// a slow one delays only itself.
func (s *Service) Run(ctx context.Context) {
	deliver, observe := time.NewTicker(deliverInterval), time.NewTicker(observeInterval)
	defer deliver.Stop()
	defer observe.Stop()
	s.run(ctx, deliver.C, observe.C)
}

func (s *Service) run(ctx context.Context, deliver, observe <-chan time.Time) {
	d := s.newDispatcher()
	defer d.turns.Wait()
	d.deliverDue(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-deliver:
			d.deliverDue(ctx)
		case <-observe:
			s.observe(ctx)
		}
	}
}

func (s *Service) observe(ctx context.Context) {
	backlog, err := s.Backlog(ctx, s.Now())
	switch {
	case err != nil && ctx.Err() == nil:
		s.Log.WarnContext(ctx, "outbox not read", "error", err)
	case err == nil && s.OnBacklog != nil:
		s.OnBacklog(backlog)
	}
}

// dispatcher runs a goroutine for each webhook that has a due delivery.
type dispatcher struct {
	*Service
	turns sync.WaitGroup
	mu    sync.Mutex
	busy  map[int64]bool
}

func (s *Service) newDispatcher() *dispatcher { return &dispatcher{Service: s, busy: map[int64]bool{}} }

// deliverDue starts goroutines, up to receiversAtOnce in all.
func (d *dispatcher) deliverDue(ctx context.Context) {
	busy := d.busyIDs()
	if len(busy) >= receiversAtOnce {
		return
	}
	due, err := d.due(ctx, d.Now(), busy, receiversAtOnce-len(busy))
	if err != nil && ctx.Err() == nil {
		d.Log.WarnContext(ctx, "outbox not read", "error", err)
	}
	for _, id := range due {
		d.setBusy(id, true)
		d.turns.Go(func() {
			defer d.setBusy(id, false)
			d.deliverTo(ctx, id)
		})
	}
}

func (d *dispatcher) busyIDs() []int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := []int64{}
	for id := range d.busy {
		ids = append(ids, id)
	}
	return ids
}

func (d *dispatcher) setBusy(id int64, busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if busy {
		d.busy[id] = true
		return
	}
	delete(d.busy, id)
}

// deliverTo delivers what is due for one webhook, up to the first failure.
func (d *dispatcher) deliverTo(ctx context.Context, id int64) {
	for ctx.Err() == nil {
		now := d.Now()
		hook, delivery, ok, err := d.claim(ctx, id, now, now.Add(claimTime))
		if err == nil && ok {
			delivery, err = d.attempt(context.WithoutCancel(ctx), hook, delivery)
		}
		if err != nil && ctx.Err() == nil {
			d.Log.WarnContext(ctx, "webhook not delivered", "webhook", id, "error", err)
		}
		if err != nil || !ok || delivery.State != Delivered {
			return
		}
	}
}

// attempt sends a claimed delivery and records the result. A test is not retried.
func (s *Service) attempt(ctx context.Context, hook Webhook, d Delivery) (Delivery, error) {
	d.Result, d.Status = s.send(ctx, hook, d)
	if s.OnAttempt != nil {
		s.OnAttempt(d.Result)
	}
	disable := DisabledReason("")
	switch {
	case d.Result == Accepted:
		d.State = Delivered
	case d.Result == ReceiverGone:
		d.State, disable = Parked, Gone
	case d.Type == EventTest:
		d.State = Parked
	case d.Attempts > len(retryAfter):
		d.State, disable = Parked, Failing
	default:
		wait := retryAfter[d.Attempts-1]
		d.NextAt = s.Now().Add(wait + mathrand.N(wait/5)) // #nosec G404 -- spreads the attempts, protects no secret
	}
	return d, s.finish(ctx, d, disable)
}
