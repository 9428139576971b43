package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
)

// deliveryRow is a line of webhook_deliveries.
type deliveryRow struct {
	ID        int64
	WebhookID int64
	CompanyID *int64
	EventID   string
	Type      directory.EventType
	At        time.Time
	Data      eventDocument `gorm:"serializer:json"`
	State     directory.DeliveryState
	Attempts  int
	Result    directory.DeliveryResult
	Status    int
	NextAt    time.Time
	DoneAt    *time.Time
	CreatedAt time.Time
}

// TableName implements gorm's schema.Tabler.
func (deliveryRow) TableName() string { return "webhook_deliveries" }

func (s *Store) deliveryRow(d *directory.Delivery) deliveryRow {
	return deliveryRow{
		ID: d.ID, WebhookID: d.Webhook.ID, CompanyID: optionalID(d.Event.CompanyID), EventID: d.Event.ID, Type: d.Event.Type,
		At: s.At(d.Event.At), Data: documentOf(&d.Event), State: d.State, Attempts: d.Attempts, Result: d.Last.Result,
		Status: d.Last.Status, NextAt: database.Instant(d.NextAt), CreatedAt: s.At(d.CreatedAt),
	}
}

func (r *deliveryRow) delivery(w directory.Webhook) directory.Delivery {
	return directory.Delivery{
		ID: r.ID, Webhook: w, Event: r.event(), State: r.State, Attempts: r.Attempts,
		Last: directory.Answer{Result: r.Result, Status: r.Status}, NextAt: r.NextAt.UTC(), CreatedAt: r.CreatedAt.UTC(),
	}
}

// AddDelivery puts an event for one webhook into the outbox.
func (s *Store) AddDelivery(ctx context.Context, d *directory.Delivery) error {
	row := s.deliveryRow(d)
	if err := s.Write(ctx).Create(&row).Error; err != nil {
		return failure("add delivery", err, nil)
	}
	d.ID, d.CreatedAt = row.ID, row.CreatedAt
	return nil
}

// Deliveries lists the n newest deliveries of a webhook, newest first.
func (s *Store) Deliveries(ctx context.Context, webhookID int64, n int) ([]directory.Delivery, error) {
	var rows []deliveryRow
	err := s.Read(ctx).Where("webhook_id = ?", webhookID).Order("id DESC").Limit(max(n, 0)).Find(&rows).Error
	if err != nil {
		return nil, failure("list deliveries", err, nil)
	}
	deliveries := make([]directory.Delivery, 0, len(rows))
	for _, row := range rows {
		deliveries = append(deliveries, row.delivery(directory.Webhook{ID: webhookID}))
	}
	return deliveries, nil
}

// dueRows bounds how much of a long outbox is looked at.
const dueRows = 1000

// DueWebhooks lists up to n webhooks that have a delivery which is due, but for those
// busy.
func (s *Store) DueWebhooks(ctx context.Context, now time.Time, busy []int64, n int) ([]int64, error) {
	due := s.Read(ctx).Model(&deliveryRow{}).Where("state = 'pending' AND next_at <= ?", database.Instant(now)).Order("next_at").Limit(dueRows)
	if len(busy) > 0 {
		due = due.Where("webhook_id NOT IN ?", busy)
	}
	var ids []int64
	if err := due.Pluck("webhook_id", &ids).Error; err != nil {
		return nil, failure("look for due deliveries", err, nil)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), max(n, 0))], nil
}

// ClaimDelivery takes the webhook's delivery that has been due for longest, by making
// it due again only at the time until: whoever dies before that has claimed it in vain.
// ok is false when none is due, or another replica was faster.
func (s *Store) ClaimDelivery(ctx context.Context, webhookID int64, now, until time.Time) (d directory.Delivery, ok bool, err error) {
	var rows []deliveryRow
	err = s.Read(ctx).Where("webhook_id = ? AND state = 'pending' AND next_at <= ?", webhookID, database.Instant(now)).
		Order("next_at").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return d, false, failure("look for a due delivery", err, nil)
	}
	row := rows[0]
	result := s.Write(ctx).Model(&deliveryRow{}).Where("id = ? AND state = 'pending' AND next_at = ?", row.ID, row.NextAt).
		UpdateColumns(map[string]any{"next_at": database.Instant(until), "attempts": row.Attempts + 1})
	if result.Error != nil || result.RowsAffected == 0 {
		return d, false, failure("claim delivery", result.Error, nil)
	}
	w, err := s.Webhook(ctx, webhookID)
	if err != nil {
		return d, false, err
	}
	row.Attempts, row.NextAt = row.Attempts+1, until
	return row.delivery(w), true, nil
}

// FinishDelivery keeps how an attempt ended, and disables the webhook for a reason that
// is not empty; what waits for it is parked then. One that took something since the
// delivery was made does not count as failing.
func (s *Store) FinishDelivery(ctx context.Context, d directory.Delivery, disable directory.DisabledReason) error {
	change := map[string]any{"state": d.State, "result": d.Last.Result, "status": d.Last.Status, "next_at": database.Instant(d.NextAt)}
	if d.State != directory.DeliveryPending {
		change["done_at"] = s.At(time.Time{})
	}
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		err := tx.Model(&deliveryRow{}).Where("id = ? AND state <> ?", d.ID, directory.DeliveryDelivered).UpdateColumns(change).Error
		if err != nil || disable == "" {
			return err
		}
		return disableWebhook(tx, d, disable)
	})
	return failure("finish delivery", err, nil)
}

func disableWebhook(tx *gorm.DB, d directory.Delivery, reason directory.DisabledReason) error {
	query := tx.Model(&webhookRow{}).Where("id = ? AND disabled = ''", d.Webhook.ID)
	if reason == directory.DisabledFailing {
		query = query.Where("NOT EXISTS (?)", tx.Model(&deliveryRow{}).Select("1").
			Where("webhook_id = ? AND state = 'delivered' AND done_at > ?", d.Webhook.ID, database.Instant(d.CreatedAt)))
	}
	result := query.UpdateColumn("disabled", reason)
	if result.Error != nil || result.RowsAffected == 0 {
		return result.Error
	}
	return tx.Model(&deliveryRow{}).Where("webhook_id = ? AND state = 'pending'", d.Webhook.ID).
		UpdateColumn("state", directory.DeliveryParked).Error
}

// Outbox tells what waits, and for how long the most overdue delivery does.
func (s *Store) Outbox(ctx context.Context, now time.Time) (o directory.Outbox, err error) {
	pending := s.Read(ctx).Model(&deliveryRow{}).Where("state = 'pending'")
	if err := pending.Session(&gorm.Session{}).Count(&o.Waiting).Error; err != nil {
		return o, failure("count deliveries", err, nil)
	}
	var oldest []time.Time
	err = pending.Session(&gorm.Session{}).Where("next_at <= ?", database.Instant(now)).Order("next_at").Limit(1).Pluck("next_at", &oldest).Error
	if len(oldest) > 0 {
		o.Overdue = now.Sub(oldest[0])
	}
	return o, failure("look for the oldest delivery", err, nil)
}

// DeleteDeliveriesBefore forgets what was told, or waited, before t, and returns how
// many rows that were.
func (s *Store) DeleteDeliveriesBefore(ctx context.Context, t time.Time) (int64, error) {
	result := s.Write(ctx).Where("created_at < ?", database.Instant(t)).Delete(&deliveryRow{})
	return result.RowsAffected, failure("forget deliveries", result.Error, nil)
}
