package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

type sessionRow struct {
	IDHash     []byte `gorm:"primaryKey"`
	UserID     *int64
	Data       string // the values, encrypted
	Version    int64
	CreatedAt  time.Time
	LastSeenAt time.Time
}

// TableName implements gorm's schema.Tabler.
func (sessionRow) TableName() string { return "sessions" }

func sessionPlace(idHash []byte) database.Place {
	return database.PlaceOf("sessions", "data", idHash)
}

// CreateSession adds a session.
func (s *Store) CreateSession(ctx context.Context, session directory.Session) error {
	row := sessionRow{
		IDHash: session.IDHash, UserID: session.UserID, Version: session.Version,
		Data:      s.Seal(string(session.Values), sessionPlace(session.IDHash)),
		CreatedAt: s.At(session.CreatedAt), LastSeenAt: s.At(session.LastSeenAt),
	}
	return failure("create session", s.Write(ctx).Create(&row).Error, nil)
}

// sessionWithUser is read with every request of somebody who is logged in; the
// columns of the user are null where there is none.
const sessionWithUser = `SELECT s.data, s.version, s.created_at, s.last_seen_at,
	u.id, u.company_id, u.email, u.name, u.password_hash, u.role, u.created_at, u.updated_at
	FROM sessions s LEFT JOIN users u ON u.id = s.user_id AND u.disabled_at IS NULL WHERE s.id_hash = ?`

// Session returns the session whose id has that hash, with its user unless that one
// is disabled, or the fault no_session, also when the key of what it holds is gone.
func (s *Store) Session(ctx context.Context, idHash []byte) (directory.Session, error) {
	session := directory.Session{IDHash: idHash}
	var (
		data                      string
		email, name, passwordHash sql.Null[string]
		user                      userRow
		role                      sql.Null[directory.Role]
		created, updated          sql.Null[time.Time]
	)
	err := s.Raw(ctx, "sessions", sessionWithUser, idHash).Row().Scan(
		&data, &session.Version, &session.CreatedAt, &session.LastSeenAt,
		&session.UserID, &user.CompanyID, &email, &name, &passwordHash, &role, &created, &updated)
	if err != nil {
		return directory.Session{}, failure("read session", err, directory.CodeNoSession.Fault())
	}
	values, err := s.Unseal(data, sessionPlace(idHash))
	if err != nil {
		gone := directory.CodeNoSession.Fault()
		gone.Err = err
		return directory.Session{}, gone
	}
	session.Values, session.CreatedAt, session.LastSeenAt = []byte(values), session.CreatedAt.UTC(), session.LastSeenAt.UTC()
	if session.UserID != nil {
		user.ID, user.Email, user.Name, user.PasswordHash = *session.UserID, email.V, name.V, passwordHash.V
		user.Role, user.CreatedAt, user.UpdatedAt = role.V, created.V, updated.V
		found := user.user()
		session.User = &found
	}
	return session, nil
}

// SaveSession replaces user, values and last use of a session that is still of
// the given version, and returns it with its new one. The faults are no_session
// and session_conflict, when it was saved meanwhile.
func (s *Store) SaveSession(ctx context.Context, session directory.Session) (directory.Session, error) {
	session.LastSeenAt = s.At(session.LastSeenAt)
	session.CreatedAt = s.At(session.CreatedAt)
	result := s.Write(ctx).Model(&sessionRow{}).
		Where("id_hash = ? AND version = ?", session.IDHash, session.Version).
		Updates(map[string]any{
			"user_id": session.UserID, "data": s.Seal(string(session.Values), sessionPlace(session.IDHash)),
			"version": session.Version + 1, "last_seen_at": session.LastSeenAt,
		})
	if err := changedOne("save session", result, directory.CodeNoSession.Fault()); err != nil {
		return directory.Session{}, s.conflict(ctx, session.IDHash, err)
	}
	session.Version++
	return session, nil
}

// conflict tells a session of another version from one that is gone.
func (s *Store) conflict(ctx context.Context, idHash []byte, err error) error {
	if !fault.Is(err, directory.CodeNoSession) {
		return err
	}
	lookErr := s.Write(ctx).Select("version").Where("id_hash = ?", idHash).Take(&sessionRow{}).Error
	switch {
	case errors.Is(lookErr, gorm.ErrRecordNotFound):
		return err
	case lookErr != nil:
		return failure("save session", lookErr, nil)
	}
	return directory.CodeSessionConflict.Fault()
}

// DeleteSession ends a session; one that is not there has ended.
func (s *Store) DeleteSession(ctx context.Context, idHash []byte) error {
	return failure("delete session", s.Write(ctx).Where("id_hash = ?", idHash).Delete(&sessionRow{}).Error, nil)
}

// SessionsOf lists a user's sessions, the last used first, without what they hold.
func (s *Store) SessionsOf(ctx context.Context, userID int64) ([]directory.Session, error) {
	var rows []sessionRow
	err := s.Read(ctx).Omit("data").Where("user_id = ?", userID).Find(&rows).Error
	if err != nil {
		return nil, failure("list sessions", err, nil)
	}
	slices.SortFunc(rows, func(a, b sessionRow) int { return b.LastSeenAt.Compare(a.LastSeenAt) })
	sessions := make([]directory.Session, 0, len(rows))
	for _, row := range rows {
		sessions = append(sessions, directory.Session{
			IDHash: row.IDHash, UserID: row.UserID, Version: row.Version, CreatedAt: row.CreatedAt.UTC(), LastSeenAt: row.LastSeenAt.UTC(),
		})
	}
	return sessions, nil
}

// DeleteSessionsBefore ends the sessions that began before created or were last
// used before lastSeen, and returns their number.
func (s *Store) DeleteSessionsBefore(ctx context.Context, created, lastSeen time.Time) (int64, error) {
	result := s.Write(ctx).Where("created_at < ? OR last_seen_at < ?", database.Instant(created), database.Instant(lastSeen)).Delete(&sessionRow{})
	return result.RowsAffected, failure("delete sessions", result.Error, nil)
}
