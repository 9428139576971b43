package connection

import (
	"context"
	"reflect"
	"slices"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/incident"
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
	CompanyIDs  []int64
	MarkedSince time.Time // was marked since, according to the trail
}

const listBatch = 500

// List lists the connections that q selects, by their number.
func (s *Service) List(ctx context.Context, q Query) (list []Listed, err error) {
	query := s.Store.Read(ctx).Omit("access_token", "refresh_token")
	if q.Provider != "" {
		query = query.Where("provider = ?", q.Provider)
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
	err = query.FindInBatches(&rows, listBatch, func(*gorm.DB, int) error {
		batch, err := s.listed(ctx, rows)
		list = append(list, batch...)
		return err
	}).Error
	isOther := func(l Listed) bool { return q.State != "" && l.State != q.State }
	return slices.DeleteFunc(list, isOther), err
}

// Broken lists the companies with a connection whose credential is lost, by their number: up
// to n, after the company with the number after.
func (s *Service) Broken(ctx context.Context, after int64, n int) ([]int64, error) {
	var ids []int64
	err := s.Store.Read(ctx).Model(&row{}).Distinct("company_id").
		Where("is_active AND reconnect_reason <> '' AND company_id > ?", after). // a small index
		Order("company_id").Limit(n).Pluck("company_id", &ids).Error
	return ids, err
}

// Unmark removes the marks of the connections that q selects, each with a line of the
// trail, and returns how many had one. What is really lost is marked again at its next
// use. A lost choice stays lost.
func (s *Service) Unmark(ctx context.Context, by trail.Entry, q Query) (n int, err error) {
	by.Action = "connection unmark"
	list, err := s.List(ctx, q)
	if err != nil {
		return 0, err
	}
	remove := func(c *Connection) { c.ReconnectReason, c.Denied = "", nil }
	for _, l := range list {
		if l.State != StateReconnect && l.State != StatePermission {
			continue
		}
		changed, err := s.unmark(ctx, l.CompanyID, l.Pair, by, remove)
		if err != nil {
			return n, err
		}
		if changed {
			n++
		}
	}
	return n, nil
}

// unmarkIncident removes the marks from before the incidents of a provider. What fails is
// repeated at the next refusal, and before the incident ends.
func (s *Service) unmarkIncident(ctx context.Context, p provider.Name) {
	marks, err := s.Incidents.Marked(ctx, p)
	for _, m := range marks {
		by := trail.Entry{Action: "unmark", Detail: "app-wide failure"}
		var changed bool
		changed, err = s.unmark(ctx, m.CompanyID, m.Pair, by, func(c *Connection) { c.remove(m) })
		if err != nil {
			break
		}
		if changed {
			s.Metrics.MarkSuppressed(m.Pair)
		}
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "connections not unmarked", "provider", p, "error", err)
	}
}

func (c *Connection) remove(m incident.Mark) {
	switch {
	case m.Kind == incident.Permission:
		c.permit(provider.Service(m.Detail))
	case c.ReconnectReason == m.Detail:
		c.ReconnectReason = ""
	}
}

func (s *Service) unmark(ctx context.Context, companyID int64, p provider.Pair, by trail.Entry,
	remove func(c *Connection)) (changed bool, err error) {
	held, err := s.Store.Hold(ctx, companyID, p)
	if err != nil {
		return false, err
	}
	defer held.Release()
	remove(&held.Connection)
	if !held.Active || reflect.DeepEqual(held.Connection, held.before) {
		return false, nil
	}
	by.CompanyID, by.Pair = companyID, p
	if err := held.Save(&by); err != nil {
		return false, err
	}
	return true, nil
}

func (s *Service) listed(ctx context.Context, rows []row) ([]Listed, error) {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.CompanyID
	}
	companies, err := company.New(s.Store.DB).Numbered(ctx, ids)
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
