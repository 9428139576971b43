package session

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/sessions"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// Repository keeps sessions. A session that is not there is the fault no_session,
// one that was saved meanwhile the fault session_conflict. It is an interface because
// a database is outside of the package.
type Repository interface {
	CreateSession(ctx context.Context, s directory.Session) error
	Session(ctx context.Context, idHash []byte) (directory.Session, error)
	SaveSession(ctx context.Context, s directory.Session) (directory.Session, error)
	DeleteSession(ctx context.Context, idHash []byte) error
	DeleteSessionsBefore(ctx context.Context, created, lastSeen time.Time) (int64, error)
}

const (
	idleLimit  = 12 * time.Hour     // since the last use
	totalLimit = 7 * 24 * time.Hour // since the login
	// seenEvery is how exact the time of the last use is: reading a session
	// writes it no more often.
	seenEvery = time.Minute
)

// Store is a sessions.Store over a Repository. What Values may hold stands in
// values.go.
type Store struct {
	repo   Repository
	keys   Keys
	secure bool
	now    func() time.Time
}

var _ sessions.Store = (*Store)(nil)

// New returns a Store. secure says that browsers reach the service by https: then
// the cookie is Secure and bound to the host by its name's prefix (RFC 6265bis,
// section 4.1.3.2).
func New(repo Repository, keys Keys, secure bool, now func() time.Time) *Store {
	return &Store{repo: repo, keys: keys, secure: secure, now: now}
}

// Get returns the request's session, read once for each request.
func (s *Store) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New reads the session of the request's cookie. Without one that is good, it is
// a new session that nothing keeps until it is saved.
func (s *Store) New(r *http.Request, name string) (*sessions.Session, error) {
	session := sessions.NewSession(s, name)
	session.Options = s.options()
	session.IsNew = true
	id, ok := s.idOf(r, name)
	if !ok {
		return session, nil
	}
	row, err := s.read(r.Context(), hashOf(id))
	if fault.Is(err, directory.CodeNoSession) {
		return session, nil
	}
	if err != nil {
		return session, fmt.Errorf("session: %w", err)
	}
	session.ID, session.IsNew = id, false
	return session, fill(session, row)
}

// Save stores a session. One with a negative MaxAge ends. One without an ID gets
// a new one, and what it was before ends. The fault session_conflict says that
// another request has saved it meanwhile, no_session that it has ended.
func (s *Store) Save(r *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	row, stored := session.Values[rowKey{}].(directory.Session)
	ending, renewing := session.Options.MaxAge < 0, session.ID == ""
	if stored && (ending || renewing) {
		if err := s.repo.DeleteSession(r.Context(), row.IDHash); err != nil {
			return fmt.Errorf("session: %w", err)
		}
	}
	switch {
	case ending:
		http.SetCookie(w, sessions.NewCookie(s.cookieName(session.Name()), "", session.Options))
		return nil
	case renewing:
		return s.create(r.Context(), w, session)
	default:
		return s.update(r.Context(), session, row)
	}
}

// Sweep forgets the sessions that are over, and returns their number.
func (s *Store) Sweep(ctx context.Context) (int64, error) {
	now := s.now()
	return s.repo.DeleteSessionsBefore(ctx, now.Add(-totalLimit), now.Add(-idleLimit))
}

// read returns a session that is not over, and notes its use.
func (s *Store) read(ctx context.Context, idHash []byte) (directory.Session, error) {
	row, err := s.repo.Session(ctx, idHash)
	if err != nil {
		return row, err
	}
	now := s.now()
	idle := now.Sub(row.LastSeenAt)
	if idle >= idleLimit || now.Sub(row.CreatedAt) >= totalLimit {
		return row, directory.CodeNoSession.Fault()
	}
	if idle.Abs() < seenEvery { // a use that is yet to come was noted before the clock went back
		return row, nil
	}
	row.LastSeenAt = now
	if row, err = s.repo.SaveSession(ctx, row); fault.Is(err, directory.CodeSessionConflict) {
		return s.repo.Session(ctx, idHash) // another request has noted it, or more
	}
	return row, err
}

func (s *Store) create(ctx context.Context, w http.ResponseWriter, session *sessions.Session) error {
	id := newID()
	row, err := rowOf(session)
	if err != nil {
		return err
	}
	row.IDHash, row.CreatedAt, row.LastSeenAt = hashOf(id), s.now(), s.now()
	name := s.cookieName(session.Name())
	signed, err := s.keys.sign(name, id)
	if err == nil {
		err = s.repo.CreateSession(ctx, row)
	}
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	session.ID, session.IsNew, session.Values[rowKey{}] = id, false, row
	http.SetCookie(w, sessions.NewCookie(name, signed, session.Options))
	return nil
}

func (s *Store) update(ctx context.Context, session *sessions.Session, before directory.Session) error {
	row, err := rowOf(session)
	if err != nil {
		return err
	}
	before.UserID, before.Values = row.UserID, row.Values
	after, err := s.repo.SaveSession(ctx, before)
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	session.Values[rowKey{}] = after
	return nil
}
