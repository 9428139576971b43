package account

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// Users are the users in the database. It is safe for concurrent use.
type Users struct{ db *database.DB }

// NewUsers returns the users in db.
func NewUsers(db *database.DB) *Users { return &Users{db} }

// AfterFind implements gorm's callback.
func (u *User) AfterFind(*gorm.DB) error {
	u.CreatedAt, u.UpdatedAt, u.DisabledAt = u.CreatedAt.UTC(), u.UpdatedAt.UTC(), database.OptionalInstant(u.DisabledAt)
	return nil
}

// Create adds u and sets its ID and times, and its e-mail address to lower case. The
// faults are CodeEmailTaken and company.CodeNotFound.
func (s *Users) Create(ctx context.Context, u *User) error {
	u.Email = strings.ToLower(u.Email)
	u.CreatedAt = s.db.At(time.Time{})
	u.UpdatedAt = u.CreatedAt
	err := s.db.Write(ctx).Create(u).Error
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return company.CodeNotFound.Fault()
	}
	return database.Duplicate(err, CodeEmailTaken)
}

// List lists all users in the order in which they were added.
func (s *Users) List(ctx context.Context) (users []User, err error) {
	err = s.db.Read(ctx).Order("id").Find(&users).Error
	return users, err
}

// ByEmail returns the user with that address, in any letter case, or CodeNoUser.
func (s *Users) ByEmail(ctx context.Context, email string) (u User, err error) {
	err = s.db.Read(ctx).Where("email = ?", strings.ToLower(email)).Take(&u).Error
	return u, database.NotFound(err, CodeNoUser)
}

// SetRole changes a user's role. This and the next methods return CodeNoUser for a user
// who does not exist, and add a line to the audit trail.
func (s *Users) SetRole(ctx context.Context, id int64, role Role, e trail.Entry) error {
	return s.change(ctx, id, false, map[string]any{"role": role}, e)
}

// SetCompany moves a user to another company, or to none.
func (s *Users) SetCompany(ctx context.Context, id int64, companyID *int64, e trail.Entry) error {
	return s.change(ctx, id, false, map[string]any{"company_id": companyID}, e)
}

// SetDisabled keeps a user from logging in and ends the user's sessions, or lets the
// user log in again.
func (s *Users) SetDisabled(ctx context.Context, id int64, disabled bool, e trail.Entry) error {
	var at *time.Time
	if disabled {
		at = new(s.db.At(e.At))
	}
	return s.change(ctx, id, disabled, map[string]any{"disabled_at": at}, e)
}

// SetPasswordHash changes a user's password and ends all of the user's sessions, in one
// transaction.
func (s *Users) SetPasswordHash(ctx context.Context, id int64, hash string, e trail.Entry) error {
	return s.change(ctx, id, true, map[string]any{"password_hash": hash}, e)
}

func (s *Users) change(ctx context.Context, id int64, endSessions bool, columns map[string]any, e trail.Entry) error {
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := database.Changed(tx.Model(&User{}).Where("id = ?", id).Updates(columns), CodeNoUser); err != nil {
			return err
		}
		if endSessions {
			if err := tx.Where("user_id = ?", id).Delete(&Session{}).Error; err != nil {
				return err
			}
		}
		return trail.Record(tx, e)
	})
}

// Of lists a user's sessions without their values, the last used first.
func (s *Sessions) Of(ctx context.Context, userID int64) (list []Session, err error) {
	err = s.db.Read(ctx).Omit("data").Where("user_id = ?", userID).Find(&list).Error
	slices.SortFunc(list, func(a, b Session) int { return b.LastSeenAt.Compare(a.LastSeenAt) }) // without an index for it
	for i := range list {
		list[i].CreatedAt, list[i].LastSeenAt = list[i].CreatedAt.UTC(), list[i].LastSeenAt.UTC()
	}
	return list, err
}

// Delete ends a session. Ending one that has ended is not an error.
func (s *Sessions) Delete(ctx context.Context, idHash []byte) error {
	return s.db.Write(ctx).Where("id_hash = ?", idHash).Delete(&Session{}).Error
}

func sessionPlace(idHash []byte) database.Place {
	return database.PlaceOf("sessions", "data", idHash)
}

// Insert adds a session.
func (s *Sessions) Insert(ctx context.Context, session Session) error {
	session.Data = s.db.Seal(string(session.Values), sessionPlace(session.IDHash))
	session.CreatedAt, session.LastSeenAt = s.db.At(session.CreatedAt), s.db.At(session.LastSeenAt)
	return s.db.Write(ctx).Create(&session).Error
}

// sessionWithUser is read with every request of a logged-in user. The columns of the
// user are null if there is none.
const sessionWithUser = `SELECT s.data, s.version, s.created_at, s.last_seen_at,
	u.id, u.company_id, u.email, u.name, u.password_hash, u.role, u.created_at, u.updated_at
	FROM sessions s LEFT JOIN users u ON u.id = s.user_id AND u.disabled_at IS NULL WHERE s.id_hash = ?`

// Find returns the session whose id has that hash, with its user unless that user is
// disabled. The fault is CodeNoSession, also if the key of its values is lost.
func (s *Sessions) Find(ctx context.Context, idHash []byte) (Session, error) {
	session := Session{IDHash: idHash}
	var (
		email, name, passwordHash sql.Null[string]
		user                      User
		role                      sql.Null[Role]
		created, updated          sql.Null[time.Time]
	)
	err := s.db.Raw(ctx, "sessions", sessionWithUser, idHash).Row().Scan(
		&session.Data, &session.Version, &session.CreatedAt, &session.LastSeenAt,
		&session.UserID, &user.CompanyID, &email, &name, &passwordHash, &role, &created, &updated)
	if err != nil {
		return Session{}, database.NotFound(err, CodeNoSession)
	}
	values, err := s.db.Unseal(session.Data, sessionPlace(idHash))
	if err != nil {
		return Session{}, CodeNoSession.Wrap(err)
	}
	session.Values, session.Data = []byte(values), ""
	session.CreatedAt, session.LastSeenAt = session.CreatedAt.UTC(), session.LastSeenAt.UTC()
	if session.UserID != nil {
		user.ID, user.Email, user.Name, user.PasswordHash = *session.UserID, email.V, name.V, passwordHash.V
		user.Role, user.CreatedAt, user.UpdatedAt = role.V, created.V.UTC(), updated.V.UTC()
		session.User = &user
	}
	return session, nil
}

// Replace replaces user, values and last use of a session that still has the given version,
// and returns it with the new one. The faults are CodeNoSession and CodeSessionConflict.
func (s *Sessions) Replace(ctx context.Context, session Session) (Session, error) {
	session.LastSeenAt = s.db.At(session.LastSeenAt)
	session.CreatedAt = s.db.At(session.CreatedAt)
	result := s.db.Write(ctx).Model(&Session{}).Where("id_hash = ? AND version = ?", session.IDHash, session.Version).
		Updates(map[string]any{
			"user_id": session.UserID, "data": s.db.Seal(string(session.Values), sessionPlace(session.IDHash)),
			"version": session.Version + 1, "last_seen_at": session.LastSeenAt,
		})
	err := database.Changed(result, CodeNoSession)
	if fault.Is(err, CodeNoSession) {
		found := s.db.Write(ctx).Select("version").Where("id_hash = ?", session.IDHash).Take(&Session{})
		if err = database.NotFound(found.Error, CodeNoSession); err == nil {
			err = CodeSessionConflict.Fault()
		}
	}
	if err != nil {
		return Session{}, err
	}
	session.Version++
	return session, nil
}

// DeleteBefore deletes the sessions that began before created or were last used before
// lastSeen, and returns their number.
func (s *Sessions) DeleteBefore(ctx context.Context, created, lastSeen time.Time) (int64, error) {
	began, err := s.db.DeleteInBatches(ctx, "sessions", "created_at < ?", database.Instant(created))
	if err != nil {
		return began, err
	}
	idle, err := s.db.DeleteInBatches(ctx, "sessions", "last_seen_at < ?", database.Instant(lastSeen))
	return began + idle, err
}
