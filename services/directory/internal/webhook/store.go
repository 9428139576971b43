package webhook

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/trail"
)

// TableName implements gorm's schema.Tabler.
func (Webhook) TableName() string { return "webhooks" }

// TableName implements gorm's schema.Tabler.
func (Delivery) TableName() string { return "webhook_deliveries" }

// Publish puts an event into the outbox, in the transaction of what it reports: once for
// each webhook that is subscribed to the company. None of them is removed before the
// transaction ends. data is the member data of the body. The jobs that deliver it are inserted, too.
func Publish(db *database.DB, tx *gorm.DB, eventType string, companyID int64, data any) error {
	var hooks []Webhook
	err := tx.Select("id, failing_since").Clauses(clause.Locking{Strength: "KEY SHARE"}).
		Where("disabled = '' AND (company_id = ? OR company_id IS NULL)", companyID).Find(&hooks).Error
	if err != nil || len(hooks) == 0 {
		return err
	}
	event, err := newDelivery(0, eventType, &companyID, data, tx.NowFunc())
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

// secretPlace identifies the row by what never changes.
func (w *Webhook) secretPlace(column string) database.Place {
	return database.PlaceOf("webhooks", column, w.CompanyID, w.URL)
}

// sealed returns w with encrypted secrets.
func (s *Service) sealed(w Webhook) Webhook {
	w.Secret = s.DB.Seal(w.Secret, w.secretPlace("secret"))
	w.OldSecret = s.DB.Seal(w.OldSecret, w.secretPlace("old_secret"))
	return w
}

// opened returns w with decrypted secrets. One that cannot be decrypted is left out: a
// list shows the rest, and a delivery records that it is missing.
func (s *Service) opened(w Webhook) Webhook {
	w.Secret, _ = s.DB.Unseal(w.Secret, w.secretPlace("secret"))
	w.OldSecret, _ = s.DB.Unseal(w.OldSecret, w.secretPlace("old_secret"))
	return w
}

// insert adds w and sets its ID and time. The fault is too_many_webhooks.
func (s *Service) insert(ctx context.Context, w *Webhook, by trail.Entry) error {
	row := s.sealed(*w)
	err := s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := s.checkRoom(tx, w); err != nil {
			return err
		}
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		return record(tx, &row, by, "webhook add")
	})
	w.ID, w.CreatedAt = row.ID, row.CreatedAt
	return err
}

// checkRoom returns the fault too_many_webhooks if the company of w has that address, or no
// room for another one. Until tx ends no other caller adds one.
func (s *Service) checkRoom(tx *gorm.DB, w *Webhook) error {
	if w.CompanyID == nil {
		return nil
	}
	if err := s.DB.Queue(tx, "webhooks "+strconv.FormatInt(*w.CompanyID, 10)); err != nil {
		return err
	}
	var present []string
	if err := tx.Model(&Webhook{}).Where("company_id = ?", *w.CompanyID).Pluck("url", &present).Error; err != nil {
		return err
	}
	if len(present) >= webhooksMax || slices.Contains(present, w.URL) {
		return CodeTooManyWebhooks.Fault()
	}
	return nil
}

// record adds a line to the audit trail that names the webhook by its number: its
// address may contain a secret.
func record(tx *gorm.DB, w *Webhook, by trail.Entry, action string) error {
	by.Action, by.Detail = action, "webhook "+strconv.FormatInt(w.ID, 10)
	if w.CompanyID != nil {
		by.CompanyID = *w.CompanyID
	}
	return trail.Record(tx, by)
}

func (s *Service) get(ctx context.Context, id int64) (w Webhook, err error) {
	if err := s.DB.Read(ctx).Where("id = ?", id).Take(&w).Error; err != nil {
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

// change runs edit, one at a time over all replicas, and stores the secrets and the state
// that it leaves. If it enables the webhook, what was parked is due again, except tests.
func (s *Service) change(
	ctx context.Context, id int64, by trail.Entry, action string, edit func(*Webhook),
) (w Webhook, err error) {
	err = s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		var before Webhook
		if err := database.ForUpdate(tx).Where("id = ?", id).Take(&before).Error; err != nil {
			return database.NotFound(err, CodeNoWebhook)
		}
		w = s.opened(before)
		edit(&w)
		after := s.sealed(w)
		if err := tx.Select("secret", "old_secret", "old_until", "disabled").Updates(&after).Error; err != nil {
			return err
		}
		if err := record(tx, &w, by, action); err != nil || before.Disabled == "" || w.Disabled != "" {
			return err
		}
		err := tx.Model(&Delivery{}).Where("webhook_id = ? AND state = ? AND type <> ?", id, Parked, EventTest).
			UpdateColumns(dueAgain()).Error
		if err != nil {
			return err
		}
		return insertJobs(s.DB, tx, []Webhook{w})
	})
	return w, err
}

// Remove removes a webhook with its deliveries. The fault is no_webhook.
func (s *Service) Remove(ctx context.Context, by trail.Entry, id int64) error {
	hook, err := s.get(ctx, id)
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

// Deliveries returns the n newest deliveries of a webhook, newest first.
func (s *Service) Deliveries(ctx context.Context, webhookID int64, n int) (list []Delivery, err error) {
	err = s.DB.Read(ctx).Where("webhook_id = ?", webhookID).Order("id DESC").Limit(max(n, 0)).Find(&list).Error
	return list, err
}

// Schedule inserts the jobs of the receivers for which something waits, in tx.
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

// firstOf is how many deliveries are compared to find the first one that is due. Of more, those
// that were attempted least come first.
const firstOf = 100

// first returns the delivery that a receiver is sent next; nil if nothing waits for it, or it is
// disabled or removed.
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

// finish records the result of an attempt, unless an earlier one was accepted, and
// disables the webhook if disable is not empty; what waits for it is parked then.
func (s *Service) finish(ctx context.Context, d Delivery, disable DisabledReason) error {
	return s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		change := map[string]any{
			"state": d.State, "attempts": d.Attempts, "attempted_at": tx.NowFunc(),
			"result": d.Result, "status": d.Status, "duration_ms": d.DurationMs,
		}
		err := tx.Model(&Delivery{}).Where("id = ? AND state <> ?", d.ID, Delivered).UpdateColumns(change).Error
		if err != nil || disable == "" {
			return err
		}
		return disableWebhook(tx, d, disable)
	})
}

// setFailing stores since when a receiver has been failing; nil if it is not.
func setFailing(db *gorm.DB, webhookID int64, since *time.Time) error {
	return db.Model(&Webhook{}).Where("id = ?", webhookID).
		UpdateColumn("failing_since", database.OptionalInstant(since)).Error
}

// endFailing ends the wait of a receiver after failures.
func (s *Service) endFailing(ctx context.Context, w Webhook) error {
	w.FailingSince = nil
	return s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		return errors.Join(setFailing(tx, w.ID, nil), insertJobs(s.DB, tx, []Webhook{w}))
	})
}

// replay makes the selected events due again, except tests.
func (s *Service) replay(ctx context.Context, by trail.Entry, w Webhook, events Selection) (n int64, err error) {
	err = s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		selected := tx.Model(&Delivery{}).Where("webhook_id = ? AND state <> ? AND type <> ?", w.ID, Pending, EventTest)
		if events.EventID != "" {
			selected = selected.Where("event_id = ?", events.EventID)
		} else {
			selected = selected.Where("created_at >= ?", database.Instant(events.From))
		}
		result := selected.UpdateColumns(dueAgain())
		if n = result.RowsAffected; result.Error != nil || n == 0 {
			return result.Error
		}
		if err := insertJobs(s.DB, tx, []Webhook{w}); err != nil {
			return err
		}
		return record(tx, &w, by, "webhook replay")
	})
	return n, err
}

// dueAgain are the columns of a delivery that begins its attempts once more.
func dueAgain() map[string]any {
	return map[string]any{"state": Pending, "attempts": 0, "attempted_at": nil}
}

// disableWebhook disables a webhook and parks its deliveries. If something was accepted
// since d was created, the webhook is not failing.
func disableWebhook(tx *gorm.DB, d Delivery, reason DisabledReason) error {
	query := tx.Model(&Webhook{}).Where("id = ? AND disabled = ''", d.WebhookID)
	if reason == Failing {
		query = query.Where("NOT EXISTS (?)", tx.Model(&Delivery{}).Select("1").
			Where("webhook_id = ? AND state = 'delivered' AND attempted_at > ?", d.WebhookID,
				database.Instant(d.CreatedAt)))
	}
	result := query.UpdateColumn("disabled", reason)
	if result.Error != nil || result.RowsAffected == 0 {
		return result.Error
	}
	return tx.Model(&Delivery{}).Where("webhook_id = ? AND state = 'pending'", d.WebhookID).
		UpdateColumn("state", Parked).Error
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
