package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

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

// TableName implements gorm's schema.Tabler.
func (Delivery) TableName() string { return "webhook_deliveries" }

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
	// turnTime is how long a receiver is sent deliveries before others have their turns.
	turnTime = 5 * time.Second
)

// retryAfter are the waits after the attempts, as Standard Webhooks recommends; after
// the last one a delivery is parked.
var retryAfter = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute,
	time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// The waits of a receiver after a failure of any delivery. Between them it waits for as long as it
// has been failing.
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

// NextRetry returns when a pending delivery is due. Deliveries that failed together wait up to a
// fifth longer, by their number, so that they are not repeated all at once.
func (d Delivery) NextRetry() time.Time {
	if d.Attempts == 0 {
		return d.CreatedAt
	}
	wait := retryAfter[d.Attempts-1]
	spread := wait / 5 * time.Duration(d.ID%10) / 10
	return d.AttemptedAt.Add(wait + spread)
}

func newDelivery(eventType string, companyID *int64, data any, now time.Time) (Delivery, error) {
	encoded, err := json.Marshal(data)
	return Delivery{
		CompanyID: companyID, EventID: "msg_" + rand.Text(), Type: eventType, At: database.Instant(now),
		Data: string(encoded), State: Pending,
	}, err
}

// Publish puts an event into the outbox, in the transaction of what it reports, with the jobs that
// deliver it: once for each webhook that is subscribed to the company. data is the member data of
// the body.
func Publish(db *database.DB, tx *gorm.DB, eventType string, companyID int64, data any) error {
	var hooks []Webhook
	err := tx.Select("id, failing_since").Clauses(clause.Locking{Strength: "KEY SHARE"}).
		Where("disabled = '' AND (company_id = ? OR company_id IS NULL)", companyID).Find(&hooks).Error
	if err != nil || len(hooks) == 0 {
		return err
	}
	event, err := newDelivery(eventType, &companyID, data, tx.NowFunc())
	if err != nil {
		return err
	}
	var deliveries []Delivery
	for _, hook := range hooks {
		event.WebhookID = hook.ID
		deliveries = append(deliveries, event)
	}
	if err := tx.Create(&deliveries).Error; err != nil {
		return err
	}
	return insertJobs(db, tx, hooks)
}

// Schedule inserts the jobs of the receivers for which something waits, in tx. It also ends a wait
// that began while an event was published.
func (s *Service) Schedule(tx *gorm.DB) error {
	var hooks []Webhook
	const waiting = "id IN (SELECT webhook_id FROM webhook_deliveries WHERE state = 'pending')"
	if err := tx.Select("id, failing_since").Where("disabled = '' AND " + waiting).Find(&hooks).Error; err != nil {
		return err
	}
	return insertJobs(s.DB, tx, hooks)
}

// insertJobs inserts the jobs of receivers. The wait of one that is failing stays.
func insertJobs(db *database.DB, tx *gorm.DB, hooks []Webhook) error {
	var failing, others []river.JobArgs
	for _, hook := range hooks {
		args := jobs.Deliveries{WebhookID: hook.ID}
		if hook.FailingSince != nil {
			failing = append(failing, args)
		} else {
			others = append(others, args)
		}
	}
	queue := jobs.New(db)
	return errors.Join(queue.Ensure(tx, failing...), queue.Insert(tx, others...))
}

// Deliver sends a receiver what is due for it, for the time of a turn or up to the first failure,
// and snoozes until the next attempt. So a receiver that is slow or refuses everything delays only
// itself.
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

// turn sends deliveries until nothing is left, nothing is due, one fails or the turn is over. wait is
// how long the job snoozes; nil if nothing is left.
func (s *Service) turn(ctx context.Context, id int64) (wait *time.Duration, err error) {
	for begin := s.DB.Now(); ; {
		next, err := first(s.DB.Read(ctx), id)
		if err != nil || next == nil {
			return nil, err
		}
		left := max(next.NextRetry().Sub(s.DB.Now()), 0)
		if left > 0 || ctx.Err() != nil || s.DB.Now().Sub(begin) >= turnTime {
			return &left, nil
		}
		hook, err := s.take(s.DB.Read(ctx), id)
		if err != nil {
			return nil, err
		}
		if _, wait, err = s.attempt(context.WithoutCancel(ctx), hook, *next); err != nil || wait != nil {
			return wait, err
		}
	}
}

// firstOf is how many deliveries, those with the fewest attempts, are compared to find the next one.
const firstOf = 100

// first returns the delivery that a receiver is sent next; nil if there is none.
func first(db *gorm.DB, webhookID int64) (*Delivery, error) {
	var list []Delivery
	err := db.Where("webhook_id = ? AND state = 'pending'", webhookID).
		Where("EXISTS (SELECT 1 FROM webhooks WHERE id = ? AND disabled = '')", webhookID).
		Order("attempts, attempted_at, id").Limit(firstOf).Find(&list).Error
	if err != nil || len(list) == 0 {
		return nil, err
	}
	next := slices.MinFunc(list, func(a, b Delivery) int { return a.NextRetry().Compare(b.NextRetry()) })
	return &next, nil
}

// attempt sends a delivery and records the result. After a failure the receiver waits for as long
// as it has been failing, or for as long as it asked if that is longer.
func (s *Service) attempt(ctx context.Context, hook Webhook, d Delivery) (_ Delivery, wait *time.Duration, err error) {
	begin := s.DB.Now()
	d.Attempts++
	var asked time.Duration
	d.Result, d.Status, asked = s.send(ctx, hook, d)
	now := s.DB.Now()
	d.DurationMs = int(now.Sub(begin).Milliseconds())
	s.Metrics.Delivery(string(d.Result))
	if d.Result == Accepted {
		d.State = Delivered
		return d, nil, s.finish(ctx, d, nil, "")
	}
	since := cmp.Or(hook.FailingSince, &now)
	failing := now.Sub(*since)
	disable := DisabledReason("")
	switch {
	case d.Result == ReceiverGone:
		d.State, disable = Parked, Gone
	case d.Type == EventTest:
		d.State = Parked
	case d.Attempts > len(retryAfter), failing > failingMax:
		d.State, disable = Parked, Failing
	}
	own := min(max(failing, shortestWait), longestWait)
	return d, new(max(own, asked)), s.finish(ctx, d, since, disable)
}

// finish records an attempt, unless an earlier one was accepted, and disables the webhook for the
// reason disable, unless that is empty. A webhook is not disabled as Failing if it has accepted
// another delivery since d was created.
func (s *Service) finish(ctx context.Context, d Delivery, failingSince *time.Time, disable DisabledReason) error {
	return s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		err := tx.Model(&Delivery{}).Where("id = ? AND state <> ?", d.ID, Delivered).UpdateColumns(map[string]any{
			"state": d.State, "attempts": d.Attempts, "attempted_at": tx.NowFunc(),
			"result": d.Result, "status": d.Status, "duration_ms": d.DurationMs,
		}).Error
		if err != nil {
			return err
		}
		hook := tx.Model(&Webhook{}).Where("id = ?", d.WebhookID).Session(&gorm.Session{})
		if d.Type != EventTest {
			err := hook.UpdateColumn("failing_since", database.OptionalInstant(failingSince)).Error
			if err != nil {
				return err
			}
		}
		if disable == "" {
			return nil
		}
		if disable == Failing {
			hook = hook.Where("NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_id = ? AND "+
				"state = 'delivered' AND attempted_at > ?)", d.WebhookID, database.Instant(d.CreatedAt))
		}
		result := hook.Where("disabled = ''").UpdateColumn("disabled", disable)
		if result.Error != nil || result.RowsAffected == 0 {
			return result.Error
		}
		return tx.Model(&Delivery{}).Where("webhook_id = ? AND state = 'pending'", d.WebhookID).
			UpdateColumn("state", Parked).Error
	})
}

// Deliveries returns the n newest deliveries of a webhook, newest first.
func (s *Service) Deliveries(ctx context.Context, webhookID int64, n int) (list []Delivery, err error) {
	err = s.DB.Read(ctx).Where("webhook_id = ?", webhookID).Order("id DESC").Limit(max(n, 0)).Find(&list).Error
	return list, err
}

// Waiting counts the deliveries that wait for an attempt.
func (s *Service) Waiting(ctx context.Context) (n int64, err error) {
	err = s.DB.Read(ctx).Model(&Delivery{}).Where("state = 'pending'").Count(&n).Error
	return n, err
}

// DeleteBefore deletes the deliveries that were created before t, and returns their number.
func (s *Service) DeleteBefore(ctx context.Context, t time.Time) (int64, error) {
	return s.DB.DeleteInBatches(ctx, "webhook_deliveries", "created_at", "created_at < ?", database.Instant(t))
}
