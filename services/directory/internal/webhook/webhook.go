// Package webhook delivers events to the addresses that companies name, in the form of
// Standard Webhooks (https://www.standardwebhooks.com). Publishers build the data of
// their events; the package knows none of them.
package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

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

// TableName implements gorm's schema.Tabler.
func (Webhook) TableName() string { return "webhooks" }

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
	Transport    http.RoundTripper // refuses private addresses, unless they are allowed
	AllowPrivate bool              // plain http and private addresses may be called
	UserAgent    string
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
	testsMax      = 10             // of one webhook in any testWindow
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
	row := s.sealed(added)
	err := s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if companyID != nil {
			// Additions to a company wait for each other: two at once could exceed the limit.
			if err := s.DB.Queue(tx, "webhooks "+strconv.FormatInt(*companyID, 10)); err != nil {
				return err
			}
			var present []string
			err := tx.Model(&Webhook{}).Where("company_id = ?", *companyID).Pluck("url", &present).Error
			if err != nil {
				return err
			}
			if len(present) >= webhooksMax || slices.Contains(present, url) {
				return CodeTooManyWebhooks.Fault()
			}
		}
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		return record(tx, &row, by, "webhook add")
	})
	added.ID, added.CreatedAt = row.ID, row.CreatedAt
	return added, err
}

// Owned returns a webhook of that company, or the fault no_webhook.
func (s *Service) Owned(ctx context.Context, companyID, id int64) (Webhook, error) {
	return s.take(s.DB.Read(ctx).Where("company_id = ?", companyID), id)
}

func (s *Service) take(query *gorm.DB, id int64) (w Webhook, err error) {
	if err := query.Where("id = ?", id).Take(&w).Error; err != nil {
		return w, database.NotFound(err, CodeNoWebhook)
	}
	return s.opened(w), nil
}

// List returns a company's webhooks in the order in which they were added; all of them
// if companyID is nil.
func (s *Service) List(ctx context.Context, companyID *int64) (list []Webhook, err error) {
	query := s.DB.Read(ctx).Order("id")
	if companyID != nil {
		query = query.Where("company_id = ?", *companyID)
	}
	err = query.Find(&list).Error
	for i, w := range list {
		list[i] = s.opened(w)
	}
	return list, err
}

// Rotate gives a webhook a new secret. For a day the previous one signs as well.
func (s *Service) Rotate(ctx context.Context, by trail.Entry, id int64) (w Webhook, err error) {
	err = s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if w, err = s.take(database.ForUpdate(tx), id); err != nil {
			return err
		}
		w.OldSecret, w.OldUntil = w.Secret, new(database.Instant(s.DB.Now().Add(secretOverlap)))
		w.Secret = newSecret()
		row := s.sealed(w)
		if err := tx.Select("secret", "old_secret", "old_until").Updates(&row).Error; err != nil {
			return err
		}
		return record(tx, &w, by, "webhook rotate")
	})
	return w, err
}

// Remove removes a webhook with its deliveries. The fault is no_webhook.
func (s *Service) Remove(ctx context.Context, by trail.Entry, id int64) error {
	hook, err := s.take(s.DB.Read(ctx), id)
	if err != nil {
		return err
	}
	return s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := database.Changed(tx.Delete(&hook), CodeNoWebhook); err != nil {
			return err
		}
		return record(tx, &hook, by, "webhook remove")
	})
}

// Test sends an event at once, without retries. If it is accepted, a wait after failures ends, and
// a disabled webhook is enabled again and receives what was parked. The faults are no_webhook and,
// after too many tests, too_much_work.
func (s *Service) Test(ctx context.Context, by trail.Entry, id int64) (Delivery, error) {
	hook, err := s.take(s.DB.Read(ctx), id)
	if err != nil {
		return Delivery{}, err
	}
	tests := limit.Limit{Kind: "webhook test", Subject: strconv.FormatInt(id, 10), Max: testsMax, Window: testWindow}
	if err := limit.New(s.DB).Take(ctx, s.DB.Now(), limit.CodeTooMuchWork, tests); err != nil {
		return Delivery{}, err
	}
	d, err := newDelivery(EventTest, hook.CompanyID, testData{hook.CompanyID}, s.DB.Now())
	if err != nil {
		return d, err
	}
	d.WebhookID, d.State = id, Parked // no job sends it
	if err := s.DB.Write(ctx).Create(&d).Error; err != nil {
		return d, err
	}
	ctx = context.WithoutCancel(ctx)
	d, _, err = s.attempt(ctx, hook, d)
	if err != nil || d.State != Delivered {
		return d, err
	}
	return d, s.enable(ctx, by, id)
}

type testData struct {
	CompanyID *int64 `json:"company_id"`
}

// enable ends the wait after failures. If the webhook was disabled, what was parked becomes due
// again, except tests.
func (s *Service) enable(ctx context.Context, by trail.Entry, id int64) error {
	return s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		w, err := s.take(database.ForUpdate(tx), id)
		if err != nil {
			return err
		}
		if w.Disabled != "" {
			err := tx.Model(&Delivery{}).Where("webhook_id = ? AND state = ? AND type <> ?", id, Parked, EventTest).
				UpdateColumns(dueAgain()).Error
			if err != nil {
				return err
			}
			if err := record(tx, &w, by, "webhook enable"); err != nil {
				return err
			}
		}
		err = tx.Model(&w).UpdateColumns(map[string]any{"disabled": "", "failing_since": nil}).Error
		if err != nil {
			return err
		}
		return insertJobs(s.DB, tx, []Webhook{{ID: id}})
	})
}

// Selection selects events: one by its id, or those that were published from a time on.
type Selection struct {
	EventID string // msg_…; empty selects by time
	From    time.Time
}

// Replay makes events of a webhook due again, except tests, whether or not they were accepted,
// and returns their number. The faults are no_webhook and webhook_disabled.
func (s *Service) Replay(ctx context.Context, by trail.Entry, id int64, events Selection) (n int64, err error) {
	hook, err := s.take(s.DB.Read(ctx), id)
	if err != nil {
		return 0, err
	}
	if hook.Disabled != "" {
		return 0, CodeWebhookDisabled.Fault()
	}
	err = s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		selected := tx.Model(&Delivery{}).Where("webhook_id = ? AND state <> ? AND type <> ?", id, Pending, EventTest)
		if events.EventID != "" {
			selected = selected.Where("event_id = ?", events.EventID)
		} else {
			selected = selected.Where("created_at >= ?", database.Instant(events.From))
		}
		result := selected.UpdateColumns(dueAgain())
		if n = result.RowsAffected; result.Error != nil || n == 0 {
			return result.Error
		}
		if err := insertJobs(s.DB, tx, []Webhook{hook}); err != nil {
			return err
		}
		return record(tx, &hook, by, "webhook replay")
	})
	return n, err
}

// dueAgain returns the columns of a delivery that is due as if it had never been attempted.
func dueAgain() map[string]any {
	return map[string]any{"state": Pending, "attempts": 0, "attempted_at": nil}
}

// record names the webhook by its number: its address may contain a secret.
func record(tx *gorm.DB, w *Webhook, by trail.Entry, action string) error {
	by.Action, by.Detail = action, "webhook "+strconv.FormatInt(w.ID, 10)
	if w.CompanyID != nil {
		by.CompanyID = *w.CompanyID
	}
	return trail.Record(tx, by)
}

const secretPrefix = "whsec_"

func newSecret() string {
	random := make([]byte, secretSize)
	_, _ = rand.Read(random) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(random)
}

// secrets returns those that sign at a time.
func (w *Webhook) secrets(now time.Time) []string {
	if w.OldUntil != nil && now.Before(*w.OldUntil) && w.OldSecret != "" {
		return []string{w.Secret, w.OldSecret}
	}
	return []string{w.Secret}
}

// secretPlace identifies the row by what never changes.
func (w *Webhook) secretPlace(column string) database.Place {
	return database.PlaceOf("webhooks", column, w.CompanyID, w.URL)
}

func (s *Service) sealed(w Webhook) Webhook {
	w.Secret = s.DB.Seal(w.Secret, w.secretPlace("secret"))
	w.OldSecret = s.DB.Seal(w.OldSecret, w.secretPlace("old_secret"))
	return w
}

// opened returns w with decrypted secrets; one that cannot be decrypted is empty.
func (s *Service) opened(w Webhook) Webhook {
	w.Secret, _ = s.DB.Unseal(w.Secret, w.secretPlace("secret"))
	w.OldSecret, _ = s.DB.Unseal(w.OldSecret, w.secretPlace("old_secret"))
	return w
}
