package store

import (
	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/webhook"
)

// publishChange publishes that a connection broke, or works again, if the last event said
// the opposite. It is part of the transaction that changes the connection: neither is
// stored without the other. One that was disconnected while it was broken has recovered
// when it is connected again.
func (s *Store) publishChange(tx *gorm.DB, c, before *connection.Connection) error {
	broken := c.NeedsUser()
	if broken == before.NeedsUser() && c.Active == before.Active || !broken && !c.Active {
		return nil
	}
	result := tx.Model(&connectionRow{}).Where("id = ? AND told_broken = ?", c.ID, !broken).UpdateColumn("told_broken", broken)
	if result.Error != nil || result.RowsAffected == 0 {
		return result.Error
	}
	eventType, data := c.Event()
	return webhook.Publish(tx, eventType, c.CompanyID, data)
}
