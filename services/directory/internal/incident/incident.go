// Package incident distinguishes an app-wide failure of a provider from a problem of one
// company. Refusals of different people in a row, without a success in between, concern
// the operator's app: its review, its secret, an API that is switched off. While such an
// incident lasts, connections are not marked as broken, and scans are paused.
package incident

import (
	"context"
	"log/slog"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
)

// Kind is what a provider refuses.
type Kind string

// The kinds. Each has its own streak: renewals may work while every read is refused.
const (
	Renewal    Kind = "renewal"    // renewing a credential
	Token      Kind = "token"      // reading with an access token
	Permission Kind = "permission" // reading for lack of a permission
	App        Kind = "app"        // the app itself: one refusal is enough
)

// Subject is what refusals have in common.
type Subject struct {
	Provider provider.Name
	Service  provider.Service // empty for renewals, which concern every service
	Kind     Kind
}

// Incident is an app-wide failure that has not ended: a row of provider_incidents.
type Incident struct {
	Subject
	Whole         bool // nothing has succeeded at the provider since: all of it is paused
	BeganAt       time.Time
	PausedUntil   time.Time
	PausedSeconds int64
}

// TableName implements gorm's schema.Tabler.
func (Incident) TableName() string { return "provider_incidents" }

// Mark is a connection that a refusal marked and that is still marked.
type Mark struct {
	CompanyID int64
	provider.Pair
	Kind   Kind
	Detail string // the reason; the service that lacks a permission
}

const (
	// streakLimit is how many different people in a row make an incident.
	streakLimit = 5
	// firstPause is doubled after each further streak, up to longestPause: to find out
	// whether an incident is over takes a few calls.
	firstPause   = time.Minute
	longestPause = time.Hour
)

// Incidents counts refusals over all replicas. It is safe for concurrent use.
type Incidents struct {
	db  *database.DB
	now func() time.Time
	log *slog.Logger
}

// New returns an Incidents that stores its counts in db.
func New(db *database.DB, now func() time.Time, log *slog.Logger) *Incidents {
	return &Incidents{db, now, log}
}

// Refused counts a refusal of a connection, which is about to be marked with detail. It
// reports true if the refusal belongs to an incident, so that nothing is to be marked.
func (s *Incidents) Refused(ctx context.Context, of Subject, connectionID int64, detail string) (during bool,
	err error) {
	now := s.now()
	var began, paused *Incident
	err = s.alone(ctx, of.Provider, func(tx transaction) error {
		i, begun, err := tx.find(of)
		if err != nil || begun && i.PausedUntil.After(now) {
			during = begun
			return err
		}
		whole, err := tx.whole(of.Provider)
		if err != nil {
			return err
		}
		if during = begun || whole; during {
			detail = ""
		}
		people, err := tx.count(of, connectionID, detail, now)
		if err != nil || people < streakLimit && of.Kind != App {
			return err
		}
		if !begun {
			i = Incident{Subject: of, Whole: true, BeganAt: now}
			began = &i
		}
		i.pause(now)
		paused, during = &i, true
		return tx.save(i)
	})
	switch {
	case err != nil:
		return false, err
	case began != nil:
		s.log.ErrorContext(ctx, "app-wide failure begins", "provider", of.Provider, "service", of.Service, "kind",
			of.Kind, "until", began.PausedUntil)
	case paused != nil:
		s.log.WarnContext(ctx, "app-wide failure continues", "provider", of.Provider, "service", of.Service, "kind",
			of.Kind, "until", paused.PausedUntil)
	}
	return during, nil
}

// pause doubles the pause of i, for as long as i has lasted at most.
func (i *Incident) pause(now time.Time) {
	length := min(2*time.Duration(i.PausedSeconds)*time.Second, now.Sub(i.BeganAt), longestPause)
	length = max(length, firstPause)
	i.PausedSeconds, i.PausedUntil = int64(length/time.Second), now.Add(length)
}

// Succeeded ends the streaks and the incidents of a service that a success disproves. A
// read with a token shows that the provider is not closed as a whole: other incidents
// concern their services alone from then on. unmark is called before an incident ends.
func (s *Incidents) Succeeded(ctx context.Context, of Subject, unmark func()) error {
	if known, err := s.known(ctx, of.Provider); err != nil || !known {
		return err
	}
	ended, err := s.disproved(ctx, of)
	if err != nil {
		return err
	}
	if len(ended) > 0 {
		unmark()
	}
	err = s.alone(ctx, of.Provider, func(tx transaction) error { return tx.end(of) })
	for _, i := range ended {
		if err == nil {
			s.log.InfoContext(ctx, "app-wide failure ends", "provider", i.Provider, "service", i.Service, "kind",
				i.Kind, "began", i.BeganAt)
		}
	}
	return err
}

// kinds are those that a success of k disproves. A permission may be missing for a part of
// what the token reads.
func (k Kind) kinds() []Kind {
	if k == Permission {
		return []Kind{Permission}
	}
	return []Kind{k, App}
}
