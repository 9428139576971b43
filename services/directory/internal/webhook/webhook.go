// Package webhook delivers events to the addresses that companies name, in the form of
// Standard Webhooks (https://www.standardwebhooks.com). Publishers build the data of
// their events; the package knows none of them.
package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// Webhook is an address that is subscribed to events. Its secrets are encrypted in the
// database and in the clear here.
type Webhook struct {
	ID        int64
	CompanyID *int64 // the company it is subscribed to; nil subscribes to all
	URL       string
	Secret    string // signs; empty if it cannot be decrypted any more
	OldSecret string // signs as well until OldUntil
	OldUntil  *time.Time
	Disabled  DisabledReason // empty if the webhook is enabled
	// FailingSince is the time of the first failure after which nothing was accepted; nil
	// if the last attempt was accepted.
	FailingSince *time.Time
	CreatedAt    time.Time
}

// DisabledReason is why a webhook was disabled.
type DisabledReason string

// Why a webhook is disabled. A test that is accepted enables it again.
const (
	Gone    DisabledReason = "gone"    // the receiver answered that it wants no more
	Failing DisabledReason = "failing" // nothing was accepted for as long as a delivery is retried
)

// EventTest is the type of the event that Test sends.
const EventTest = "webhook.test"

// The codes of webhooks.
var (
	CodeNoWebhook = fault.NewCode(fault.NotFound, "no_webhook", "Nie ma takiego adresu powiadomień.",
		"there is no such webhook; directory webhook list has them")
	CodeInvalidWebhook = fault.NewCode(fault.Invalid, "invalid_webhook",
		"Podaj publiczny adres https, bez nazwy użytkownika i bez znaku #.",
		"an https address of a public host, without user name and fragment")
	CodeWebhookDisabled = fault.NewCode(fault.Invalid, "webhook_disabled",
		"Adres jest wyłączony. Wyślij próbne powiadomienie, aby go włączyć.",
		"it is disabled; directory webhook test enables it")
	CodeTooManyWebhooks = fault.NewCode(fault.Invalid, "too_many_webhooks",
		"Ten adres jest już na liście albo lista ma już pięć adresów.",
		"there already, or one of five")
)

// Options configures a Service.
type Options struct {
	DB           *database.DB
	Limits       *limit.Limits
	Transport    http.RoundTripper // refuses private addresses, unless they are allowed
	AllowPrivate bool              // plain http and private addresses may be called
	UserAgent    string
	Now          func() time.Time
	Log          *slog.Logger
	Metrics      *metrics.Metrics
}

// Service manages webhooks and delivers their events. It is safe for concurrent use.
type Service struct {
	Options
	client *http.Client
}

// New returns a Service. It follows no redirects.
func New(options Options) *Service {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Service{options, &http.Client{Transport: options.Transport, CheckRedirect: stay}}
}

const (
	webhooksMax   = 5 // of one company
	secretSize    = 32
	secretOverlap = 24 * time.Hour // for which the previous secret signs, too
	testsMax      = 10
	testWindow    = 10 * time.Minute
)

// Add adds an address for a company, or for all companies if companyID is nil, and
// returns it with its secret. by names the actor, here and below. The faults are
// invalid_webhook and too_many_webhooks.
func (s *Service) Add(ctx context.Context, by trail.Entry, companyID *int64, url string) (Webhook, error) {
	if err := s.check(url); err != nil {
		return Webhook{}, err
	}
	added := Webhook{CompanyID: companyID, URL: url, Secret: newSecret()}
	err := s.insert(ctx, &added, by)
	return added, err
}

// Owned returns a webhook of that company, or the fault no_webhook.
func (s *Service) Owned(ctx context.Context, companyID, id int64) (Webhook, error) {
	found, err := s.get(ctx, id)
	if err == nil && (found.CompanyID == nil || *found.CompanyID != companyID) {
		return Webhook{}, CodeNoWebhook.Fault()
	}
	return found, err
}

// Rotate gives a webhook a new secret. For a day the previous one signs as well.
func (s *Service) Rotate(ctx context.Context, by trail.Entry, id int64) (Webhook, error) {
	until := database.Instant(s.Now().Add(secretOverlap))
	return s.change(ctx, id, by, "webhook rotate", func(w *Webhook) {
		w.OldSecret = w.Secret
		w.OldUntil = &until
		w.Secret = newSecret()
	})
}

// Test sends an event at once, without retries, and returns the delivery. If it is
// accepted, a wait after failures ends, and a disabled webhook is enabled again and
// receives what was parked. The faults are no_webhook and, after too many tests,
// too_much_work.
func (s *Service) Test(ctx context.Context, by trail.Entry, id int64) (Delivery, error) {
	hook, err := s.get(ctx, id)
	if err != nil {
		return Delivery{}, err
	}
	now := s.Now()
	tests := limit.Limit{Kind: "webhook test", Subject: strconv.FormatInt(id, 10), Max: testsMax, Window: testWindow}
	if err := s.Limits.Take(ctx, now, limit.CodeTooMuchWork, tests); err != nil {
		return Delivery{}, err
	}
	d, err := newDelivery(id, EventTest, hook.CompanyID, testData{hook.CompanyID}, now)
	if err != nil {
		return Delivery{}, err
	}
	d.Attempts, d.State = 1, Parked // no job sends it
	if err := s.DB.Write(ctx).Create(&d).Error; err != nil {
		return Delivery{}, err
	}
	ctx = context.WithoutCancel(ctx)
	d, _, err = s.attempt(ctx, hook, d)
	if err != nil || d.State != Delivered {
		return d, err
	}
	if hook.Disabled != "" {
		_, err = s.change(ctx, id, by, "webhook enable", func(w *Webhook) { w.Disabled = "" })
	}
	return d, errors.Join(err, s.endFailing(ctx, hook))
}

// Selection selects events: one by its id, or those that were published from a time on.
type Selection struct {
	EventID string // msg_…; empty selects by time
	From    time.Time
}

// Replay makes events of a webhook due again, whether or not they were accepted, and
// returns their number. The faults are no_webhook and webhook_disabled.
func (s *Service) Replay(ctx context.Context, by trail.Entry, id int64, events Selection) (n int64, err error) {
	hook, err := s.get(ctx, id)
	if err != nil {
		return 0, err
	}
	if hook.Disabled != "" {
		return 0, CodeWebhookDisabled.Fault()
	}
	return s.replay(ctx, by, hook, events)
}

// testData is the data of a test. The company is null if the webhook is subscribed to all.
type testData struct {
	CompanyID *int64 `json:"company_id"`
}

// secretPrefix precedes the base64 of a secret.
const secretPrefix = "whsec_"

// newSecret returns a secret in the form of Standard Webhooks.
func newSecret() string {
	random := make([]byte, secretSize)
	_, _ = rand.Read(random) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(random)
}

// secrets returns what signs a delivery at that time.
func (w *Webhook) secrets(now time.Time) []string {
	if w.OldUntil != nil && now.Before(*w.OldUntil) && w.OldSecret != "" {
		return []string{w.Secret, w.OldSecret}
	}
	return []string{w.Secret}
}
