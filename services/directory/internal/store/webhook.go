package store

import (
	"context"
	"strconv"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
)

// webhookRow is a line of webhooks; the secrets are encrypted in it.
type webhookRow struct {
	ID        int64
	CompanyID *int64
	URL       string
	Secret    string
	OldSecret string
	OldUntil  *time.Time
	Disabled  directory.DisabledReason
	CreatedAt time.Time
}

// TableName implements gorm's schema.Tabler.
func (webhookRow) TableName() string { return "webhooks" }

// place names the row by what never changes; its number is known only once it is
// written.
func (r *webhookRow) place(column string) database.Place {
	return database.PlaceOf("webhooks", column, r.CompanyID, r.URL)
}

func (r *webhookRow) secrets() []sealedColumn {
	return []sealedColumn{{"secret", &r.Secret}, {"old_secret", &r.OldSecret}}
}

// webhookRow encrypts w.
func (s *Store) webhookRow(w *directory.Webhook) webhookRow {
	row := webhookRow{
		ID: w.ID, CompanyID: w.CompanyID, URL: w.URL, Secret: w.Secret, OldSecret: w.OldSecret, OldUntil: database.OptionalInstant(w.OldUntil),
		Disabled: w.Disabled, CreatedAt: s.At(w.CreatedAt),
	}
	for _, secret := range row.secrets() {
		*secret.sealed = s.Seal(*secret.sealed, row.place(secret.column))
	}
	return row
}

// webhook decrypts r. A secret that cannot be read is left out: a list shows the rest,
// and a delivery says that it is missing.
func (s *Store) webhook(r webhookRow) directory.Webhook {
	w := directory.Webhook{
		ID: r.ID, CompanyID: r.CompanyID, URL: r.URL, OldUntil: database.OptionalInstant(r.OldUntil), Disabled: r.Disabled, CreatedAt: r.CreatedAt.UTC(),
	}
	w.Secret, _ = s.Unseal(r.Secret, r.place("secret"))
	w.OldSecret, _ = s.Unseal(r.OldSecret, r.place("old_secret"))
	return w
}

// AddWebhook adds w and sets its ID.
func (s *Store) AddWebhook(ctx context.Context, w *directory.Webhook, e directory.Entry) error {
	row := s.webhookRow(w)
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		return s.recordWebhook(tx, row.ID, e)
	})
	if err != nil {
		return failure("add webhook", err, nil)
	}
	w.ID, w.CreatedAt = row.ID, row.CreatedAt
	return nil
}

// Webhook returns a webhook, or the fault no_webhook.
func (s *Store) Webhook(ctx context.Context, id int64) (directory.Webhook, error) {
	var row webhookRow
	if err := s.Read(ctx).Where("id = ?", id).Take(&row).Error; err != nil {
		return directory.Webhook{}, failure("read webhook", err, directory.CodeNoWebhook.Fault())
	}
	return s.webhook(row), nil
}

// Webhooks lists a company's webhooks in the order in which they were added; all that
// there are where companyID is nil.
func (s *Store) Webhooks(ctx context.Context, companyID *int64) ([]directory.Webhook, error) {
	query := s.Read(ctx).Order("id")
	if companyID != nil {
		query = query.Where("company_id = ?", *companyID)
	}
	var rows []webhookRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, failure("list webhooks", err, nil)
	}
	webhooks := make([]directory.Webhook, 0, len(rows))
	for _, row := range rows {
		webhooks = append(webhooks, s.webhook(row))
	}
	return webhooks, nil
}

// ChangeWebhook runs change, alone over all replicas, and stores the secrets and the
// state that it leaves. What was parked waits again for one that is enabled. The fault
// is no_webhook.
func (s *Store) ChangeWebhook(ctx context.Context, id int64, change func(*directory.Webhook), e directory.Entry) (w directory.Webhook, err error) {
	err = s.Transaction(ctx, func(tx *gorm.DB) error {
		var row webhookRow
		if err := database.ForUpdate(tx).Where("id = ?", id).Take(&row).Error; err != nil {
			return err
		}
		w = s.webhook(row)
		change(&w)
		now := s.webhookRow(&w)
		if err := tx.Select("secret", "old_secret", "old_until", "disabled").Updates(&now).Error; err != nil {
			return err
		}
		if err := s.recordWebhook(tx, id, e); err != nil || row.Disabled == "" || w.Disabled != "" {
			return err
		}
		return tx.Model(&deliveryRow{}).Where("webhook_id = ? AND state = ? AND type <> ?", id, directory.DeliveryParked, directory.EventTest).
			UpdateColumns(map[string]any{"state": directory.DeliveryPending, "attempts": 0, "next_at": s.At(time.Time{}), "done_at": nil}).Error
	})
	return w, failure("change webhook", err, directory.CodeNoWebhook.Fault())
}

// RemoveWebhook removes a webhook with its deliveries. The fault is no_webhook.
func (s *Store) RemoveWebhook(ctx context.Context, id int64, e directory.Entry) error {
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		err := changedOne("remove webhook", tx.Where("id = ?", id).Delete(&webhookRow{}), directory.CodeNoWebhook.Fault())
		if err != nil {
			return err
		}
		return s.recordWebhook(tx, id, e)
	})
	return failure("remove webhook", err, nil)
}

// recordWebhook adds a line to the audit trail that names the webhook by its number.
func (s *Store) recordWebhook(tx *gorm.DB, id int64, e directory.Entry) error {
	e.Detail = "webhook " + strconv.FormatInt(id, 10)
	return s.record(tx, e)
}
