package store

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/trail"
)

// DeleteUser deletes a user with the sessions. The faults are no_user, and
// user_connected while a connection names the user.
func (s *Store) DeleteUser(ctx context.Context, id int64, e trail.Entry) error {
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Where("user_id = ?", id).Delete(&account.Session{}).Error; err != nil {
			return err
		}
		result := tx.Where("id = ?", id).Delete(&account.User{})
		if err := changedOne("delete user", result, account.CodeNoUser.Fault()); err != nil {
			return err
		}
		return s.record(tx, e)
	})
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return connection.CodeUserConnected.Wrap(err)
	}
	return failure("delete user", err, nil)
}

// DeleteCompany deletes a company with all that is its own; its users stay, without
// a company. The fault is company_not_found.
func (s *Store) DeleteCompany(ctx context.Context, id int64, e trail.Entry) error {
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		users := map[string]any{"company_id": nil, "updated_at": s.At(e.At)}
		if err := tx.Model(&account.User{}).Where("company_id = ?", id).Updates(users).Error; err != nil {
			return err
		}
		result := tx.Where("id = ?", id).Delete(&company.Company{})
		if err := changedOne("delete company", result, company.CodeNotFound.Fault()); err != nil {
			return err
		}
		// They may name its page, or its location.
		lines := tx.Model(&trail.Entry{}).Where("company_id = ? AND detail <> ''", id)
		if err := lines.UpdateColumn("detail", "").Error; err != nil {
			return err
		}
		return s.record(tx, e)
	})
	return failure("delete company", err, nil)
}
