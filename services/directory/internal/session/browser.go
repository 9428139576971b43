package session

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gorilla/sessions"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// sessionName is the name of the one session that a browser has.
const sessionName = "session"

// attempts is how often a change is made anew because another request has saved
// the session meanwhile. Each of them was won by another request, so that it is how
// many may come at once.
const attempts = 100

// User returns the user who is logged in at the request's browser, as of the time
// when the session was read; nil is nobody.
func (s *Store) User(r *http.Request) (*directory.User, error) {
	session, err := s.Get(r, sessionName)
	if err != nil {
		return nil, err
	}
	row, _ := session.Values[rowKey{}].(directory.Session)
	return row.User, nil
}

// Begin logs a user in: a new session under a new id, which w carries to the
// browser. The one before ends with all it held.
func (s *Store) Begin(w http.ResponseWriter, r *http.Request, userID int64) error {
	session := s.unread(r)
	session.Values[userValue] = userID
	return s.Save(r, w, session)
}

// End logs out, and takes the cookie away from the browser.
func (s *Store) End(w http.ResponseWriter, r *http.Request) error {
	session := s.unread(r)
	session.Options.MaxAge = -1
	return s.Save(r, w, session)
}

// unread is the request's session as far as it has to be known to end it.
func (s *Store) unread(r *http.Request) *sessions.Session {
	session := sessions.NewSession(s, sessionName)
	session.Options = s.options()
	if id, ok := s.idOf(r, sessionName); ok {
		session.Values[rowKey{}] = directory.Session{IDHash: hashOf(id)}
	}
	return session
}

// Keep puts an authorization into the session, in the place of an earlier one.
// The fault no_session says that nobody is logged in any more.
func (s *Store) Keep(w http.ResponseWriter, r *http.Request, p *directory.Pending) error {
	encoded, err := json.Marshal((*pendingValues)(p))
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	return s.change(w, r, func(session *sessions.Session) bool {
		session.Values[pendingValue] = string(encoded)
		return true
	})
}

// Take removes the authorization from the session and returns it, nil when there
// is none. Of several requests that take it at once, at most one gets it.
func (s *Store) Take(w http.ResponseWriter, r *http.Request) (*directory.Pending, error) {
	var encoded string
	err := s.change(w, r, func(session *sessions.Session) (found bool) {
		encoded, found = session.Values[pendingValue].(string)
		delete(session.Values, pendingValue)
		return found
	})
	if fault.Is(err, directory.CodeNoSession) || fault.Is(err, directory.CodeSessionConflict) {
		return nil, nil
	}
	if err != nil || encoded == "" {
		return nil, err
	}
	p := &pendingValues{}
	if err := json.Unmarshal([]byte(encoded), p); err != nil {
		return nil, fmt.Errorf("session: authorization: %w", err)
	}
	return (*directory.Pending)(p), nil
}

// change saves what edit makes of the session, unless edit returns false. When
// another request has saved the session meanwhile, edit is asked again with what
// that one left.
func (s *Store) change(w http.ResponseWriter, r *http.Request, edit func(*sessions.Session) bool) error {
	session, err := s.Get(r, sessionName)
	for range attempts {
		switch {
		case err != nil:
			return err
		case session.IsNew:
			return directory.CodeNoSession.Fault()
		case !edit(session):
			return nil
		}
		if err = s.Save(r, w, session); !fault.Is(err, directory.CodeSessionConflict) {
			return err
		}
		session, err = s.New(r, sessionName)
	}
	return directory.CodeSessionConflict.Fault()
}
