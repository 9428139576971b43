package connection

import (
	"context"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// State is whether a connection works, as far as it is stored.
type State string

// The states.
const (
	StateOK         State = "ok"
	StateReconnect  State = "reconnect"  // marked: the credential is lost
	StatePermission State = "permission" // marked: a permission is missing
	StateChoice     State = "choice"     // the chosen page or location is out of reach
	StateEnded      State = "ended"      // disconnected
)

// States lists the states.
func States() []State {
	return []State{StateOK, StateReconnect, StatePermission, StateChoice, StateEnded}
}

// Listed is a connection in a list of those of all companies, without its secrets.
type Listed struct {
	ID        int64
	CompanyID int64
	Slug      string // of the company
	Pair      provider.Pair
	State     State
	Reason    string // in Polish; empty if nobody has to act
	UpdatedAt time.Time
}

// Query selects connections; zero fields do not restrict it.
type Query struct {
	State       State
	Provider    provider.Name
	CompanyID   int64
	CompanyIDs  []int64
	MarkedSince time.Time // was marked since, according to the trail
}

// List lists the connections that q selects.
func (s *Service) List(ctx context.Context, q Query) (list []Listed, err error) {
	err = s.store.Each(ctx, q, func(l Listed) error {
		list = append(list, l)
		return nil
	})
	return list, err
}

// Broken lists the companies with a connection whose credential is lost, by their number: up
// to n, after the company with the number after.
func (s *Service) Broken(ctx context.Context, after int64, n int) ([]int64, error) {
	return s.store.brokenCompanies(ctx, after, n)
}

// Unmark removes the marks of the connections that q selects, each with a line of the
// trail, and returns how many had one. What is really lost is marked again at its next
// use. A lost choice stays lost.
func (s *Service) Unmark(ctx context.Context, by trail.Entry, q Query) (n int, err error) {
	err = s.store.Each(ctx, q, func(l Listed) error {
		if l.State != StateReconnect && l.State != StatePermission {
			return nil
		}
		changed := false
		_, err := s.store.Change(ctx, l.CompanyID, l.Pair,
			func(_ context.Context, c *Connection) (*trail.Entry, error) {
				if changed = c.Active && (c.ReconnectReason != "" || len(c.Denied) > 0); !changed {
					return nil, nil
				}
				c.ReconnectReason, c.Denied = "", nil
				entry := by
				entry.At = s.now()
				entry.CompanyID = c.CompanyID
				entry.Action = "connection unmark"
				entry.Pair = c.Pair
				return &entry, nil
			})
		if err == nil && changed {
			n++
		}
		return err
	})
	return n, err
}
