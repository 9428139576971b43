package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"

	"backend.example/services/directory/internal/database"
)

// Delivery is an event for one webhook.
type Delivery struct {
	ID         int64
	WebhookID  int64
	CompanyID  *int64
	EventID    string // the same in every attempt, so that a receiver can detect repetitions
	Type       string
	At         time.Time
	Data       string // JSON
	State      State
	Attempts   int // including the one in progress
	Result     Result
	Status     int       // of HTTP; 0 without a response
	DurationMs int       // of the last attempt, up to the response or the failure, in milliseconds
	NextAt     time.Time // when it is due
	DoneAt     *time.Time
	CreatedAt  time.Time
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
	Refused      Result = "refused"       // the status was not 2xx
	ReceiverGone Result = "gone"          // the status was 410
	Unresolved   Result = "unresolved"    // the name of the host has no address
	NoConnection Result = "no_connection" // the host refuses connections
	TimedOut     Result = "timeout"
	TLSFailed    Result = "tls"         // the certificate or the handshake is invalid
	Unreachable  Result = "unreachable" // for another reason
	Forbidden    Result = "forbidden"   // a private address, which is not called
	NoSecret     Result = "no_secret"   // the secret cannot be decrypted, so nothing is sent
)

// Backlog is the size of the outbox, and for how long the receiver that has waited
// longest has been due; 0 if none is. A wait after a failure does not count.
type Backlog struct {
	Waiting        int64
	Overdue        time.Duration // of receivers that accepted their last delivery
	OverdueFailing time.Duration // of those that did not
}

const (
	deliverInterval = time.Second // between queries of the outbox
	observeInterval = 15 * time.Second
	receiversAtOnce = 20
	companyAtOnce   = receiversAtOnce / 5
	sendTimeout     = 10 * time.Second
	// turnTime is how long a receiver gets one delivery after another before those that
	// wait have their turns.
	turnTime = 5 * time.Second
	// claimTime is how long a delivery is reserved for one process. It outlives an
	// attempt, so that only a process that died loses its claim.
	claimTime = 30 * time.Second
)

// retryAfter are the waits after the attempts, as Standard Webhooks recommends; after
// the last one a delivery is parked.
var retryAfter = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// The waits of a receiver after a failure, whichever of its deliveries it was. Between
// them it waits for as long as it has been failing.
const (
	shortestWait = 5 * time.Second
	longestWait  = time.Hour
	// longestAskedWait limits what a receiver asks for with Retry-After.
	longestAskedWait = 24 * time.Hour
	// waitAfter429 is the least wait after a 429 without Retry-After.
	waitAfter429 = time.Minute
	// failingMax disables a webhook. It is slightly less than a delivery is retried for.
	failingMax = 41 * time.Hour
)

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
// replicas may run it. A receiver gets one delivery at a time from each of them. Turns go
// to the receiver that has waited longest, and a company has at most a fifth of them at
// once, so that receivers that are slow or refuse everything delay only themselves.
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

// dispatcher runs a goroutine for each webhook that has a turn.
type dispatcher struct {
	*Service
	turns sync.WaitGroup
	mu    sync.Mutex
	busy  map[int64]int64 // the company of each webhook that has a turn; 0 is every company
}

func (s *Service) newDispatcher() *dispatcher {
	return &dispatcher{Service: s, busy: map[int64]int64{}}
}

// deliverDue starts turns, up to receiversAtOnce in all.
func (d *dispatcher) deliverDue(ctx context.Context) {
	busy := d.busyIDs()
	if len(busy) >= receiversAtOnce {
		return
	}
	// Those that begin cannot lift the limit of a company: it skips at most its share.
	due, err := d.due(ctx, d.Now(), busy, receiversAtOnce*(1+companyAtOnce), companyAtOnce)
	if err != nil && ctx.Err() == nil {
		d.Log.WarnContext(ctx, "outbox not read", "error", err)
	}
	for _, r := range due {
		if d.begin(r) {
			d.turns.Go(func() {
				defer d.end(r)
				d.deliverTo(ctx, r.ID)
			})
		}
	}
}

func (d *dispatcher) busyIDs() []int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Keys(d.busy))
}

// begin reserves a turn, and reports whether r and its company may have one.
func (d *dispatcher) begin(r receiver) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	var companyID int64
	if r.CompanyID != nil {
		companyID = *r.CompanyID
	}
	ofCompany := 0
	for _, other := range d.busy {
		if other == companyID {
			ofCompany++
		}
	}
	if len(d.busy) >= receiversAtOnce || ofCompany >= companyAtOnce {
		return false
	}
	d.busy[r.ID] = companyID
	return true
}

func (d *dispatcher) end(r receiver) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.busy, r.ID)
}

// deliverTo delivers what is due for one webhook, up to the first failure and for the
// time of a turn.
func (d *dispatcher) deliverTo(ctx context.Context, id int64) {
	for begin := d.Now(); ctx.Err() == nil && d.Now().Sub(begin) < turnTime; {
		more, err := d.deliverNext(ctx, id)
		if err != nil && ctx.Err() == nil {
			d.Log.WarnContext(ctx, "webhook not delivered", "webhook", id, "error", err)
		}
		if err != nil || !more {
			return
		}
	}
}

// deliverNext delivers what has been due for longest, and reports whether to continue.
func (d *dispatcher) deliverNext(ctx context.Context, id int64) (more bool, err error) {
	now := d.Now()
	hook, delivery, ok, err := d.claim(ctx, id, now, now.Add(claimTime))
	if err != nil || !ok {
		return false, err
	}
	ctx = context.WithoutCancel(ctx)
	delivery, asked, err := d.attempt(ctx, hook, delivery)
	if err != nil {
		return false, err
	}
	if delivery.State == Delivered {
		return true, d.endTurn(ctx, hook, nil, 0)
	}
	return false, d.endTurn(ctx, hook, cmp.Or(hook.FailingSince, new(d.Now())), asked)
}

// attempt sends a claimed delivery and records the result. A test is not retried. asked is for
// how long the receiver asks to be sent nothing.
func (s *Service) attempt(ctx context.Context, hook Webhook, d Delivery) (_ Delivery, asked time.Duration, err error) {
	begin := s.Now()
	d.Result, d.Status, asked = s.send(ctx, hook, d)
	d.DurationMs = int(s.Now().Sub(begin).Milliseconds())
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
	case d.Attempts > len(retryAfter), hook.FailingSince != nil && s.Now().Sub(*hook.FailingSince) > failingMax:
		d.State, disable = Parked, Failing
	default:
		wait := retryAfter[d.Attempts-1]
		d.NextAt = s.Now().Add(wait + mathrand.N(wait/5)) // #nosec G404 -- spreads the attempts, protects no secret
	}
	return d, asked, s.finish(ctx, d, disable)
}
