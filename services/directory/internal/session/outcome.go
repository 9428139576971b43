package session

import (
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/sessions"
)

const (
	// outcomeName is the name of the cookie that carries the outcome of a form to the
	// page that follows.
	outcomeName = "outcome"
	// outcomeLimit is how long that page may take to come: it may be behind a login.
	outcomeLimit = 10 * time.Minute
	// outcomeLength bounds an outcome in bytes; what a provider sends may be long.
	outcomeLength = 200
)

// Tell lets the next page that the browser shows tell an outcome. It is signed, so that
// no link and no other site can make a page say something, and no part of the session,
// which may just have ended.
func (s *Store) Tell(w http.ResponseWriter, outcome string) error {
	if len(outcome) > outcomeLength {
		outcome = outcome[:outcomeLength]
	}
	name := s.cookieName(outcomeName)
	signed, err := s.keys.sign(name, outcome)
	if err != nil {
		return fmt.Errorf("session: outcome: %w", err)
	}
	options := s.options()
	options.MaxAge = int(outcomeLimit / time.Second)
	http.SetCookie(w, sessions.NewCookie(name, signed, options))
	return nil
}

// Told takes the outcome from the browser; empty: there is none.
func (s *Store) Told(w http.ResponseWriter, r *http.Request) string {
	outcome, ok := s.idOf(r, outcomeName)
	if !ok {
		return ""
	}
	options := s.options()
	options.MaxAge = -1
	http.SetCookie(w, sessions.NewCookie(s.cookieName(outcomeName), "", options))
	return outcome
}
