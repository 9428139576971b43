package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
)

// Delivery is an event for one webhook.
type Delivery struct {
	ID          int64
	WebhookID   int64
	CompanyID   *int64
	EventID     string // the same in every attempt, so that a receiver can detect repetitions
	Type        string
	At          time.Time
	Data        string // JSON
	State       State
	Attempts    int // including the one in progress
	Result      Result
	Status      int        // of HTTP; 0 without a response
	DurationMs  int        // of the last attempt, up to the response or the failure, in milliseconds
	AttemptedAt *time.Time // the last time; nil before the first attempt
	CreatedAt   time.Time
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

const (
	// SendTimeout bounds an attempt.
	SendTimeout = 10 * time.Second
	// turnTime is how long a receiver gets one delivery after another before those that
	// wait have their turns.
	turnTime = 5 * time.Second
)

// retryAfter are the waits after the attempts, as Standard Webhooks recommends; after
// the last one a delivery is parked.
var retryAfter = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute,
	time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour,
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

// NextRetry returns when a pending delivery is due. The waits of what failed together differ by
// up to a fifth.
func (d Delivery) NextRetry() time.Time {
	if d.Attempts == 0 {
		return d.CreatedAt
	}
	wait := retryAfter[d.Attempts-1]
	return d.AttemptedAt.Add(wait + wait/5*time.Duration(d.ID%10)/10)
}

// newDelivery returns a pending delivery of an event with a new id.
func newDelivery(webhookID int64, eventType string, companyID *int64, data any, now time.Time) (Delivery, error) {
	encoded, err := json.Marshal(data)
	now = database.Instant(now)
	return Delivery{
		WebhookID: webhookID, CompanyID: companyID, EventID: "msg_" + rand.Text(), Type: eventType,
		At: now, Data: string(encoded), State: Pending,
	}, err
}

// Deliver sends a receiver what is due for it, one delivery after another, for the time of a
// turn or up to the first failure. Then it snoozes until the next attempt; without one the job
// is done. A receiver that is slow or refuses everything so delays only itself.
func (s *Service) Deliver(ctx context.Context, job *river.Job[jobs.Deliveries]) error {
	wait, err := s.turn(ctx, job.Args.WebhookID)
	if err != nil {
		return err
	}
	if wait != nil {
		return river.JobSnooze(*wait)
	}
	return s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := jobs.Complete(tx, job); err != nil {
			return err
		}
		// A transaction that publishes from here on waits for the end of tx, and inserts a new job.
		next, err := first(tx, job.Args.WebhookID)
		if next != nil {
			return river.JobSnooze(0)
		}
		return err
	})
}

// turn returns how long the receiver waits for its next turn; nil if nothing waits for it.
func (s *Service) turn(ctx context.Context, id int64) (wait *time.Duration, err error) {
	for begin := s.Now(); ; {
		next, err := first(s.DB.Read(ctx), id)
		if err != nil || next == nil {
			return nil, err
		}
		left := max(next.NextRetry().Sub(s.Now()), 0)
		if left > 0 || ctx.Err() != nil || s.Now().Sub(begin) >= turnTime {
			return &left, nil
		}
		if wait, err = s.deliverOne(context.WithoutCancel(ctx), *next); err != nil || wait != nil {
			return wait, err
		}
	}
}

// deliverOne sends a delivery. If it fails, the receiver waits for as long as it has been failing,
// or for as long as it asked if that is longer.
func (s *Service) deliverOne(ctx context.Context, d Delivery) (wait *time.Duration, err error) {
	hook, err := s.get(ctx, d.WebhookID)
	if err != nil {
		return nil, err
	}
	d.Attempts++
	sent, asked, err := s.attempt(ctx, hook, d)
	if err != nil {
		return nil, err
	}
	if sent.State == Delivered {
		return nil, setFailing(s.DB.Write(ctx), hook.ID, nil)
	}
	now := s.Now()
	since := cmp.Or(hook.FailingSince, &now)
	failing := min(max(now.Sub(*since), shortestWait), longestWait)
	return new(max(failing, asked)), setFailing(s.DB.Write(ctx), hook.ID, since)
}

// attempt sends a delivery and records the result. A test is not retried. asked is for
// how long the receiver asks to be sent nothing.
func (s *Service) attempt(ctx context.Context, hook Webhook, d Delivery) (_ Delivery, asked time.Duration, err error) {
	begin := s.Now()
	d.Result, d.Status, asked = s.send(ctx, hook, d)
	d.DurationMs = int(s.Now().Sub(begin).Milliseconds())
	s.Metrics.Delivery(string(d.Result))
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
	}
	return d, asked, s.finish(ctx, d, disable)
}
