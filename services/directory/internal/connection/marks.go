package connection

import (
	"context"
	"time"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
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
	err = s.Store.Each(ctx, q, func(l Listed) error {
		list = append(list, l)
		return nil
	})
	return list, err
}

// Broken lists the companies with a connection whose credential is lost, by their number: up
// to n, after the company with the number after.
func (s *Service) Broken(ctx context.Context, after int64, n int) ([]int64, error) {
	var ids []int64 // from the small index of lost credentials
	err := s.Store.Read(ctx).Model(&row{}).Distinct("company_id").
		Where("is_active AND reconnect_reason <> '' AND company_id > ?", after).
		Order("company_id").Limit(n).Pluck("company_id", &ids).Error
	return ids, err
}

// Unmark removes the marks of the connections that q selects, each with a line of the
// trail, and returns how many had one. What is really lost is marked again at its next
// use. A lost choice stays lost.
func (s *Service) Unmark(ctx context.Context, by trail.Entry, q Query) (n int, err error) {
	err = s.Store.Each(ctx, q, func(l Listed) error {
		if l.State != StateReconnect && l.State != StatePermission {
			return nil
		}
		changed, err := s.unmarkListed(ctx, by, l)
		if changed {
			n++
		}
		return err
	})
	return n, err
}

func (s *Service) unmarkListed(ctx context.Context, by trail.Entry, l Listed) (changed bool, err error) {
	held, err := s.Store.Hold(ctx, l.CompanyID, l.Pair)
	if err != nil {
		return false, err
	}
	defer held.Release()
	isMarked := held.ReconnectReason != "" || len(held.Denied) > 0
	if !held.Active || !isMarked {
		return false, nil
	}
	held.ReconnectReason, held.Denied = "", nil
	by.CompanyID = l.CompanyID
	by.Action = "connection unmark"
	by.Pair = l.Pair
	err = held.Save(&by)
	return err == nil, err
}

// listBatch is how many connections Each reads at once.
const listBatch = 500

// Each calls do with the connections that q selects, by their number. do may change them.
func (s *Store) Each(ctx context.Context, q Query, do func(Listed) error) error {
	for after := int64(0); ; {
		rows, err := s.listed(ctx, q, after)
		if err != nil {
			return err
		}
		for _, l := range rows {
			after = l.ID
			if q.State != "" && l.State != q.State {
				continue
			}
			if err := do(l); err != nil {
				return err
			}
		}
		if len(rows) < listBatch {
			return nil
		}
	}
}

// listed returns a batch of what q selects, whatever the state, after a number.
func (s *Store) listed(ctx context.Context, q Query, after int64) ([]Listed, error) {
	query := s.Read(ctx).Where("id > ?", after)
	if q.Provider != "" {
		query = query.Where("provider = ?", q.Provider)
	}
	if q.CompanyID != 0 {
		query = query.Where("company_id = ?", q.CompanyID)
	}
	if q.CompanyIDs != nil {
		query = query.Where("company_id IN ?", q.CompanyIDs)
	}
	if !q.MarkedSince.IsZero() {
		query = query.Where("EXISTS (SELECT 1 FROM "+trail.Entry{}.TableName()+" a WHERE "+
			"a.company_id = oauth_tokens.company_id AND a.provider = oauth_tokens.provider AND "+
			"a.service = oauth_tokens.service AND a.action = 'reconnect_required' AND a.at >= ?)",
			database.Instant(q.MarkedSince))
	}
	var rows []row
	if err := query.Omit("access_token", "refresh_token").Order("id").Limit(listBatch).Find(&rows).Error; err != nil {
		return nil, err
	}
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.CompanyID
	}
	companies, err := company.New(s.DB).Numbered(ctx, ids)
	if err != nil {
		return nil, err
	}
	slugs := map[int64]string{}
	for _, c := range companies {
		slugs[c.ID] = c.Slug
	}
	list := make([]Listed, len(rows))
	for i, r := range rows {
		c := r.Connection
		c.Metadata = r.MetadataJSON
		list[i] = Listed{ID: c.ID, CompanyID: c.CompanyID, Slug: slugs[c.CompanyID], Pair: c.Pair, State: c.state(),
			Reason: c.reason(), UpdatedAt: c.UpdatedAt.UTC()}
	}
	return list, nil
}

func (c *Connection) state() State {
	switch {
	case !c.Active:
		return StateEnded
	case c.ReconnectReason != "":
		return StateReconnect
	case c.LostChoice != "":
		return StateChoice
	case len(c.Denied) > 0:
		return StatePermission
	}
	return StateOK
}
