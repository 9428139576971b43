package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
)

type userRow struct {
	ID           int64
	CompanyID    *int64
	Email        string
	Name         string
	PasswordHash string
	Role         directory.Role
	DisabledAt   *time.Time
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// TableName implements gorm's schema.Tabler.
func (userRow) TableName() string { return "users" }

// CreateUser adds u and sets its ID and times; its e-mail address is kept, and
// left in u, in lower case. An address that another user has is the fault email_taken,
// a company that does not exist company_not_found.
func (s *Store) CreateUser(ctx context.Context, u *directory.User) error {
	now := s.At(time.Time{})
	row := userRow{
		CompanyID: u.CompanyID, Email: strings.ToLower(u.Email), Name: u.Name, PasswordHash: u.PasswordHash, Role: u.Role,
		CreatedAt: now, UpdatedAt: now,
	}
	err := s.Write(ctx).Create(&row).Error
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return directory.CodeCompanyNotFound.Fault()
	}
	if err != nil {
		return failureUnique("create user", err, directory.CodeEmailTaken)
	}
	u.ID, u.Email, u.CreatedAt, u.UpdatedAt = row.ID, row.Email, now, now
	return nil
}

// Users lists all users in the order in which they were added.
func (s *Store) Users(ctx context.Context) ([]directory.User, error) {
	var rows []userRow
	if err := s.Read(ctx).Order("id").Find(&rows).Error; err != nil {
		return nil, failure("list users", err, nil)
	}
	users := make([]directory.User, 0, len(rows))
	for _, row := range rows {
		users = append(users, row.user())
	}
	return users, nil
}

// UserByEmail returns the user with that address, in any letter case, or the
// fault no_user.
func (s *Store) UserByEmail(ctx context.Context, email string) (directory.User, error) {
	var row userRow
	if err := s.Read(ctx).Where("email = ?", strings.ToLower(email)).Take(&row).Error; err != nil {
		return directory.User{}, failure("read user", err, directory.CodeNoUser.Fault())
	}
	return row.user(), nil
}

// SetRole changes a user's role. The fault of this and the next ones is no_user; each
// adds its line to the audit trail.
func (s *Store) SetRole(ctx context.Context, id int64, role directory.Role, e directory.Entry) error {
	return s.changeUser(ctx, id, false, map[string]any{"role": role}, e)
}

// SetCompany moves a user to another company, or to none.
func (s *Store) SetCompany(ctx context.Context, id int64, companyID *int64, e directory.Entry) error {
	return s.changeUser(ctx, id, false, map[string]any{"company_id": companyID}, e)
}

// SetDisabled keeps a user from logging in and ends the user's sessions, or lets the
// user in again.
func (s *Store) SetDisabled(ctx context.Context, id int64, disabled bool, e directory.Entry) error {
	var at *time.Time
	if disabled {
		at = new(s.At(e.At))
	}
	return s.changeUser(ctx, id, disabled, map[string]any{"disabled_at": at}, e)
}

// SetPasswordHash changes a user's password and ends all of the user's sessions,
// together.
func (s *Store) SetPasswordHash(ctx context.Context, id int64, hash string, e directory.Entry) error {
	return s.changeUser(ctx, id, true, map[string]any{"password_hash": hash}, e)
}

func (s *Store) changeUser(ctx context.Context, id int64, endSessions bool, columns map[string]any, e directory.Entry) error {
	columns["updated_at"] = s.At(time.Time{})
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		result := tx.Model(&userRow{}).Where("id = ?", id).Updates(columns)
		if err := changedOne("change user", result, directory.CodeNoUser.Fault()); err != nil {
			return err
		}
		if endSessions {
			if err := tx.Where("user_id = ?", id).Delete(&sessionRow{}).Error; err != nil {
				return err
			}
		}
		return s.record(tx, e)
	})
	return failure("change user", err, nil)
}

func (r *userRow) user() directory.User {
	return directory.User{
		ID: r.ID, CompanyID: r.CompanyID, Email: r.Email, Name: r.Name, PasswordHash: r.PasswordHash, Role: r.Role,
		DisabledAt: database.OptionalInstant(r.DisabledAt), CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
}
