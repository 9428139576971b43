package directory

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"backend.example/services/directory/internal/limit"
)

// Webhook is an address that is told of events, after the specification of Standard
// Webhooks. Secrets are in the clear here and nowhere else: the store encrypts them.
type Webhook struct {
	ID        int64
	CompanyID *int64 // whose events it hears; nil: those of every company
	URL       string
	Secret    string // signs; empty: it cannot be read any more
	OldSecret string // signs beside it until OldUntil
	OldUntil  *time.Time
	Disabled  DisabledReason // empty: it is told of events
	CreatedAt time.Time
}

// DisabledReason is why a webhook is told nothing more.
type DisabledReason string

// Why a webhook is disabled. A test that is answered enables it again.
const (
	DisabledGone    DisabledReason = "gone"    // the receiver answered that it wants no more
	DisabledFailing DisabledReason = "failing" // nothing was taken for as long as a delivery is tried
)

// company is whose events the webhook hears; 0: those of every company.
func (w *Webhook) company() int64 {
	if w.CompanyID == nil {
		return 0
	}
	return *w.CompanyID
}

// secrets are what signs a delivery at that time.
func (w *Webhook) secrets(now time.Time) []string {
	if w.OldUntil != nil && now.Before(*w.OldUntil) && w.OldSecret != "" {
		return []string{w.Secret, w.OldSecret}
	}
	return []string{w.Secret}
}

// Message is what is sent to a receiver.
type Message struct {
	URL     string
	Secrets []string // each makes a signature
	Event   Event
}

// Sender reaches the receivers. It is an interface because they are outside of the
// process.
type Sender interface {
	// Check answers an address to which nothing may be sent with the fault
	// invalid_webhook.
	Check(url string) error
	Send(ctx context.Context, m Message) Answer
}

// WebhookStore keeps webhooks and their outbox. It is an interface because a database
// is outside of the domain.
type WebhookStore interface {
	// AddWebhook, ChangeWebhook and RemoveWebhook leave a line in the audit trail.
	AddWebhook(ctx context.Context, w *Webhook, e Entry) error
	// Webhook is one of them, or the fault no_webhook.
	Webhook(ctx context.Context, id int64) (Webhook, error)
	// Webhooks lists those of a company; nil: all that there are.
	Webhooks(ctx context.Context, companyID *int64) ([]Webhook, error)
	ChangeWebhook(ctx context.Context, id int64, change func(*Webhook), e Entry) (Webhook, error)
	RemoveWebhook(ctx context.Context, id int64, e Entry) error
	// Deliveries lists the n newest, newest first.
	Deliveries(ctx context.Context, webhookID int64, n int) ([]Delivery, error)

	// AddDelivery puts an event for one webhook into the outbox; nobody else claims it
	// before d.NextAt.
	AddDelivery(ctx context.Context, d *Delivery) error
	// DueWebhooks lists up to n that have a delivery which is due, but for those busy.
	DueWebhooks(ctx context.Context, now time.Time, busy []int64, n int) ([]int64, error)
	// ClaimDelivery takes the webhook's delivery that has been due for longest, and
	// keeps it from others until the time until; ok is false when there is none.
	ClaimDelivery(ctx context.Context, webhookID int64, now, until time.Time) (d Delivery, ok bool, err error)
	// FinishDelivery keeps how an attempt ended. It disables the webhook for a reason
	// that is not empty, unless that is DisabledFailing and something was taken since
	// the delivery was made.
	FinishDelivery(ctx context.Context, d Delivery, disable DisabledReason) error
	Outbox(ctx context.Context, now time.Time) (Outbox, error)
}

// WebhookOptions are what a Webhooks works with.
type WebhookOptions struct {
	Store  WebhookStore
	Sender Sender
	Limits Limits
	Now    func() time.Time
	Log    *slog.Logger
	Sent   func(DeliveryResult) // hears how each attempt ended; may be nil
	Seen   func(Outbox)         // hears now and then what waits; may be nil
}

// Webhooks manages the addresses that are told of events, and tells them.
type Webhooks struct{ options WebhookOptions }

// NewWebhooks returns a Webhooks.
func NewWebhooks(options WebhookOptions) *Webhooks { return &Webhooks{options} }

const (
	webhooksMax   = 5 // of one company
	secretSize    = 32
	secretOverlap = 24 * time.Hour // in which the secret before signs, too
	testsMax      = 10
	testWindow    = 10 * time.Minute
)

// Add adds an address for a company, or for every company where that is nil, and
// returns it with its secret. The faults are invalid_webhook and too_many_webhooks.
func (w *Webhooks) Add(ctx context.Context, actor Actor, companyID *int64, url string) (Webhook, error) {
	added := Webhook{CompanyID: companyID, URL: url, Secret: newWebhookSecret(), CreatedAt: w.options.Now()}
	if err := w.options.Sender.Check(url); err != nil {
		return Webhook{}, err
	}
	if companyID != nil {
		present, err := w.options.Store.Webhooks(ctx, companyID)
		if err != nil {
			return Webhook{}, err
		}
		same := func(other Webhook) bool { return other.URL == url }
		if len(present) >= webhooksMax || slices.ContainsFunc(present, same) {
			return Webhook{}, CodeTooManyWebhooks.Fault()
		}
	}
	err := w.options.Store.AddWebhook(ctx, &added, w.entry(actor, added, "webhook add"))
	return added, err
}

// List lists a company's webhooks; nil: all that there are.
func (w *Webhooks) List(ctx context.Context, companyID *int64) ([]Webhook, error) {
	return w.options.Store.Webhooks(ctx, companyID)
}

// Deliveries lists the n newest of a webhook, newest first.
func (w *Webhooks) Deliveries(ctx context.Context, id int64, n int) ([]Delivery, error) {
	return w.options.Store.Deliveries(ctx, id, n)
}

// Owned returns a webhook of that company, or the fault no_webhook.
func (w *Webhooks) Owned(ctx context.Context, companyID, id int64) (Webhook, error) {
	found, err := w.options.Store.Webhook(ctx, id)
	if err == nil && (found.CompanyID == nil || *found.CompanyID != companyID) {
		err = CodeNoWebhook.Fault()
	}
	return found, err
}

// Remove removes a webhook with all that waits for it.
func (w *Webhooks) Remove(ctx context.Context, actor Actor, id int64) error {
	hook, err := w.options.Store.Webhook(ctx, id)
	if err != nil {
		return err
	}
	return w.options.Store.RemoveWebhook(ctx, id, w.entry(actor, hook, "webhook remove"))
}

// entry is a line about a webhook. Its address may hold a secret, so it is not told.
func (w *Webhooks) entry(actor Actor, hook Webhook, action string) Entry {
	return actor.Entry(hook.company(), action, Pair{}, w.options.Now())
}

// Rotate gives a webhook a new secret. The one before signs beside it for a day.
func (w *Webhooks) Rotate(ctx context.Context, actor Actor, id int64) (Webhook, error) {
	hook, err := w.options.Store.Webhook(ctx, id)
	if err != nil {
		return Webhook{}, err
	}
	until := w.options.Now().Add(secretOverlap)
	return w.options.Store.ChangeWebhook(ctx, id, func(now *Webhook) {
		now.OldSecret, now.OldUntil, now.Secret = now.Secret, &until, newWebhookSecret()
	}, w.entry(actor, hook, "webhook rotate"))
}

// Test sends an event at once, and only once, and tells how that went. When it is
// taken, a webhook that was disabled is told again, also of what has waited. Too many
// tests are the fault too_much_work.
func (w *Webhooks) Test(ctx context.Context, actor Actor, id int64) (Delivery, error) {
	hook, err := w.options.Store.Webhook(ctx, id)
	if err != nil {
		return Delivery{}, err
	}
	now := w.options.Now()
	tests := limit.Limit{Kind: "webhook test", Subject: strconv.FormatInt(id, 10), Max: testsMax, Window: testWindow}
	if err := w.options.Limits.Take(ctx, now, CodeTooMuchWork, tests); err != nil {
		return Delivery{}, err
	}
	d := Delivery{
		Webhook: hook, Event: newEvent(EventTest, hook.company(), now), Attempts: 1, State: DeliveryPending,
		NextAt: now.Add(claimTime),
	}
	if err := w.options.Store.AddDelivery(ctx, &d); err != nil {
		return Delivery{}, err
	}
	d, err = w.attempt(context.WithoutCancel(ctx), d)
	if err == nil && d.State == DeliveryDelivered && hook.Disabled != "" {
		_, err = w.options.Store.ChangeWebhook(ctx, id, func(now *Webhook) { now.Disabled = "" }, w.entry(actor, hook, "webhook enable"))
	}
	return d, err
}

// WebhookSecretPrefix is what secrets begin with, before their base64.
const WebhookSecretPrefix = "whsec_"

// newWebhookSecret makes a secret in the form of Standard Webhooks.
func newWebhookSecret() string {
	random := make([]byte, secretSize)
	_, _ = rand.Read(random) // never fails
	return WebhookSecretPrefix + base64.StdEncoding.EncodeToString(random)
}
