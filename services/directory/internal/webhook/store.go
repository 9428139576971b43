package webhook

import (
	"context"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/trail"
)

// TableName implements gorm's schema.Tabler.
func (Webhook) TableName() string { return "webhooks" }

// TableName implements gorm's schema.Tabler.
func (Delivery) TableName() string { return "webhook_deliveries" }

// Publish puts an event into the outbox, in the transaction of what it reports: once for
// each webhook that is subscribed to the company. None of them is removed before the
// transaction ends. data is the member data of the body.
func Publish(tx *gorm.DB, eventType string, companyID int64, data any) error {
	var ids []int64
	err := tx.Model(&Webhook{}).Clauses(clause.Locking{Strength: "KEY SHARE"}).
		Where("disabled = '' AND (company_id = ? OR company_id IS NULL)", companyID).Pluck("id", &ids).Error
	if err != nil || len(ids) == 0 {
		return err
	}
	event, err := newDelivery(0, eventType, &companyID, data, tx.NowFunc())
	if err != nil {
		return err
	}
	var deliveries []Delivery
	for _, id := range ids {
		event.WebhookID = id
		deliveries = append(deliveries, event)
	}
	return tx.Create(&deliveries).Error
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

// insert adds w and sets its ID and time.
func (s *Service) insert(ctx context.Context, w *Webhook, by trail.Entry) error {
	row := s.sealed(*w)
	err := s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		return record(tx, &row, by, "webhook add")
	})
	w.ID, w.CreatedAt = row.ID, row.CreatedAt
	return err
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
func (s *Service) change(ctx context.Context, id int64, by trail.Entry, action string, edit func(*Webhook)) (w Webhook, err error) {
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
		return tx.Model(&Delivery{}).Where("webhook_id = ? AND state = ? AND type <> ?", id, Parked, EventTest).
			UpdateColumns(map[string]any{"state": Pending, "attempts": 0, "next_at": tx.NowFunc(), "done_at": nil}).Error
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

// dueRows bounds how much of a long outbox is read.
const dueRows = 1000

// due lists up to n webhooks that have a due delivery, without those that are busy.
func (s *Service) due(ctx context.Context, now time.Time, busy []int64, n int) (ids []int64, err error) {
	query := s.DB.Read(ctx).Model(&Delivery{}).Where("state = 'pending' AND next_at <= ?", database.Instant(now)).Order("next_at").Limit(dueRows)
	if len(busy) > 0 {
		query = query.Where("webhook_id NOT IN ?", busy)
	}
	if err := query.Pluck("webhook_id", &ids).Error; err != nil {
		return nil, err
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), max(n, 0))], nil
}

// claim reserves the webhook's delivery that has been due for longest, by making it due
// again at until: the claim of a process that dies expires then. ok is false if none is
// due, or another replica has claimed it.
func (s *Service) claim(ctx context.Context, webhookID int64, now, until time.Time) (w Webhook, d Delivery, ok bool, err error) {
	var found []Delivery
	err = s.DB.Read(ctx).Where("webhook_id = ? AND state = 'pending' AND next_at <= ?", webhookID, database.Instant(now)).
		Order("next_at").Limit(1).Find(&found).Error
	if err != nil || len(found) == 0 {
		return w, d, false, err
	}
	d = found[0]
	result := s.DB.Write(ctx).Model(&Delivery{}).Where("id = ? AND state = 'pending' AND next_at = ?", d.ID, d.NextAt).
		UpdateColumns(map[string]any{"next_at": database.Instant(until), "attempts": d.Attempts + 1})
	if result.Error != nil || result.RowsAffected == 0 {
		return w, d, false, result.Error
	}
	d.Attempts, d.NextAt = d.Attempts+1, until
	w, err = s.get(ctx, webhookID)
	return w, d, err == nil, err
}

// finish records the result of an attempt, unless an earlier one was accepted, and
// disables the webhook if disable is not empty; what waits for it is parked then.
func (s *Service) finish(ctx context.Context, d Delivery, disable DisabledReason) error {
	return s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		change := map[string]any{"state": d.State, "result": d.Result, "status": d.Status, "next_at": database.Instant(d.NextAt)}
		if d.State != Pending {
			change["done_at"] = tx.NowFunc()
		}
		err := tx.Model(&Delivery{}).Where("id = ? AND state <> ?", d.ID, Delivered).UpdateColumns(change).Error
		if err != nil || disable == "" {
			return err
		}
		return disableWebhook(tx, d, disable)
	})
}

// disableWebhook disables a webhook and parks its deliveries. If something was accepted
// since d was created, the webhook is not failing.
func disableWebhook(tx *gorm.DB, d Delivery, reason DisabledReason) error {
	query := tx.Model(&Webhook{}).Where("id = ? AND disabled = ''", d.WebhookID)
	if reason == Failing {
		query = query.Where("NOT EXISTS (?)", tx.Model(&Delivery{}).Select("1").
			Where("webhook_id = ? AND state = 'delivered' AND done_at > ?", d.WebhookID, database.Instant(d.CreatedAt)))
	}
	result := query.UpdateColumn("disabled", reason)
	if result.Error != nil || result.RowsAffected == 0 {
		return result.Error
	}
	return tx.Model(&Delivery{}).Where("webhook_id = ? AND state = 'pending'", d.WebhookID).UpdateColumn("state", Parked).Error
}

// Backlog returns how much is waiting, and for how long the oldest due delivery has been.
func (s *Service) Backlog(ctx context.Context, now time.Time) (b Backlog, err error) {
	pending := s.DB.Read(ctx).Model(&Delivery{}).Where("state = 'pending'")
	if err := pending.Session(&gorm.Session{}).Count(&b.Waiting).Error; err != nil {
		return b, err
	}
	var oldest []time.Time
	err = pending.Session(&gorm.Session{}).Where("next_at <= ?", database.Instant(now)).Order("next_at").Limit(1).Pluck("next_at", &oldest).Error
	if len(oldest) > 0 {
		b.Overdue = now.Sub(oldest[0])
	}
	return b, err
}

// DeleteBefore deletes the deliveries that were created before t, and returns their number.
func (s *Service) DeleteBefore(ctx context.Context, t time.Time) (int64, error) {
	return s.DB.DeleteInBatches(ctx, "webhook_deliveries", "created_at < ?", database.Instant(t))
}
