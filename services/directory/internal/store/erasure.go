package store

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/trail"
)

// Persons lists who granted the connections, each once.
func (s *Store) Persons(ctx context.Context) ([]directory.Person, error) {
	var rows []connectionRow
	err := s.Read(ctx).Distinct("provider", "provider_user_id").Where("provider_user_id <> ''").Find(&rows).Error
	persons := make([]directory.Person, 0, len(rows))
	for _, row := range rows {
		persons = append(persons, directory.Person{Provider: row.Provider, ID: row.ProviderUserID})
	}
	return persons, failure("list persons", err, nil)
}

// GrantedByUser lists the connections that a user made, with those that live on the
// same grants.
func (s *Store) GrantedByUser(ctx context.Context, userID int64) ([]directory.ConnectionKey, error) {
	var rows []connectionRow
	err := s.grants(ctx).Where("user_id = ? OR provider_user_id <> '' AND (provider, provider_user_id) IN "+
		"(SELECT provider, provider_user_id FROM oauth_tokens WHERE user_id = ?)", userID, userID).Find(&rows).Error
	return keysOf(rows), failure("list grants", err, nil)
}

// GrantedByPerson lists the connections that live on the grants of somebody at a
// provider.
func (s *Store) GrantedByPerson(ctx context.Context, p directory.Person) ([]directory.ConnectionKey, error) {
	var rows []connectionRow
	err := s.grants(ctx).Where("provider_user_id <> '' AND provider_user_id = ? AND provider = ?", p.ID, p.Provider).Find(&rows).Error
	return keysOf(rows), failure("list grants", err, nil)
}

func (s *Store) grants(ctx context.Context) *gorm.DB {
	return s.Read(ctx).Select("company_id", "provider", "service")
}

func keysOf(rows []connectionRow) (keys []directory.ConnectionKey) {
	for _, row := range rows {
		keys = append(keys, directory.ConnectionKey{CompanyID: row.CompanyID, Pair: directory.Pair{Provider: row.Provider, Service: row.Service}})
	}
	return keys
}

// DeleteUser deletes a user with the sessions. The faults are no_user, and
// user_connected while a connection names the user.
func (s *Store) DeleteUser(ctx context.Context, id int64, e directory.Entry) error {
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Where("user_id = ?", id).Delete(&account.Session{}).Error; err != nil {
			return err
		}
		result := tx.Where("id = ?", id).Delete(&account.User{})
		if err := changedOne("delete user", result, directory.CodeNoUser.Fault()); err != nil {
			return err
		}
		return s.record(tx, e)
	})
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return directory.CodeUserConnected.Wrap(err)
	}
	return failure("delete user", err, nil)
}

// DeleteCompany deletes a company with all that is its own; its users stay, without
// a company. The fault is company_not_found.
func (s *Store) DeleteCompany(ctx context.Context, id int64, e directory.Entry) error {
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		users := map[string]any{"company_id": nil, "updated_at": s.At(e.At)}
		if err := tx.Model(&account.User{}).Where("company_id = ?", id).Updates(users).Error; err != nil {
			return err
		}
		result := tx.Where("id = ?", id).Delete(&company.Company{})
		if err := changedOne("delete company", result, directory.CodeCompanyNotFound.Fault()); err != nil {
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
