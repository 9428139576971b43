package store

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/directory"
)

// eventDocument is what an event tells as the column data holds it.
type eventDocument struct {
	Provider directory.Provider `json:"provider,omitempty"`
	Service  directory.Service  `json:"service,omitempty"`
	Reason   string             `json:"reason,omitempty"`
	Audit    *auditSummary      `json:"audit,omitempty"`
}

// auditSummary is a directory.AuditSummary.
type auditSummary struct {
	ID       int64   `json:"id"`
	Score    float64 `json:"score"`
	Category string  `json:"category"`
	Coverage float64 `json:"coverage"`
	Source   string  `json:"source"`
	Version  string  `json:"version"`
}

// publishChange puts into the outbox that a connection broke, or works again, when the
// webhooks were told the opposite last. It is part of the transaction that changes the
// connection: neither is kept without the other. One that was disconnected while it was
// broken has recovered when it is connected anew.
func (s *Store) publishChange(tx *gorm.DB, c, before *directory.Connection) error {
	broken := c.NeedsUser()
	if broken == before.NeedsUser() && c.Active == before.Active || !broken && !c.Active {
		return nil
	}
	result := tx.Model(&connectionRow{}).Where("id = ? AND told_broken = ?", c.ID, !broken).UpdateColumn("told_broken", broken)
	if result.Error != nil || result.RowsAffected == 0 {
		return result.Error
	}
	return s.Publish(tx, c.Changed(s.At(c.UpdatedAt)))
}

// Publish puts an event into the outbox, once for each webhook that is subscribed to its
// company. None of them is removed before the transaction ends.
func (s *Store) Publish(tx *gorm.DB, e directory.Event) error {
	var ids []int64
	err := tx.Model(&webhookRow{}).Clauses(clause.Locking{Strength: "KEY SHARE"}).
		Where("disabled = '' AND (company_id = ? OR company_id IS NULL)", e.CompanyID).Pluck("id", &ids).Error
	if err != nil || len(ids) == 0 {
		return err
	}
	var rows []deliveryRow
	for _, id := range ids {
		rows = append(rows, s.deliveryRow(&directory.Delivery{
			Webhook: directory.Webhook{ID: id}, Event: e, State: directory.DeliveryPending, NextAt: e.At, CreatedAt: e.At,
		}))
	}
	return tx.Create(&rows).Error
}

func documentOf(e *directory.Event) eventDocument {
	d := eventDocument{Provider: e.Pair.Provider, Service: e.Pair.Service, Reason: e.Reason}
	if e.Audit != nil {
		summary := auditSummary(*e.Audit)
		d.Audit = &summary
	}
	return d
}

// event is what the row tells.
func (r *deliveryRow) event() directory.Event {
	e := directory.Event{
		ID: r.EventID, Type: r.Type, CompanyID: idOrNone(r.CompanyID), At: r.At.UTC(),
		Pair: directory.Pair{Provider: r.Data.Provider, Service: r.Data.Service}, Reason: r.Data.Reason,
	}
	if r.Data.Audit != nil {
		summary := directory.AuditSummary(*r.Data.Audit)
		e.Audit = &summary
	}
	return e
}
