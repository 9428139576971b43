package connection

import (
	"context"
	"slices"

	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// requireReconnect marks c as one that only its user can renew.
func (s *Service) requireReconnect(c *Connection, reason string) *trail.Entry {
	c.ReconnectReason = reason
	return &trail.Entry{CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair, Detail: reason}
}

// markRevoked marks c unless its access token has been replaced.
func (s *Service) markRevoked(ctx context.Context, c Connection, reason string) {
	if err := s.mark(ctx, c, reason); err != nil {
		s.Log.ErrorContext(ctx, "reconnection not marked", "company", c.CompanyID, "pair", c.Pair.String(),
			"error", err)
	}
}

func (s *Service) mark(ctx context.Context, c Connection, reason string) error {
	held, err := s.Store.Hold(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return err
	}
	defer held.Release()
	if held.AccessToken != c.AccessToken || held.ReconnectReason != "" {
		return nil
	}
	return held.Save(s.requireReconnect(&held.Connection, reason))
}

// NoteDenial marks c for reconnection if err says that a permission to read service is
// missing, and removes the mark once service was read in full or there is nothing to read.
// Unlike a lost token it stops nothing: what is permitted is still read. Another grant or
// another choice is not marked; a renewal at the beginning of the read does not matter. It
// returns err, or what it means during an app-wide failure.
func (s *Service) NoteDenial(ctx context.Context, c Connection, service provider.Service, err error) error {
	denied := fault.Is(err, provider.CodePermission)
	permitted := err == nil || fault.Is(err, provider.CodeGone) || fault.From(err).Kind == fault.NotFound
	permission := incident.Subject{Provider: c.Pair.Provider, Service: service, Kind: incident.Permission}
	if permitted {
		s.succeeded(ctx, permission)
	}
	if slices.Contains(c.Denied, service) == denied || !denied && !permitted {
		return err
	}
	if denied {
		if err = s.judge(ctx, c, permission, err); !fault.Is(err, provider.CodePermission) {
			return err
		}
	}
	if setErr := s.setDenied(ctx, c, service, denied); setErr != nil {
		s.Log.ErrorContext(ctx, "missing permission not noted",
			"company", c.CompanyID, "pair", c.Pair.String(), "error", setErr)
	}
	return err
}

func (s *Service) setDenied(ctx context.Context, c Connection, service provider.Service, denied bool) error {
	held, err := s.Store.Hold(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return err
	}
	defer held.Release()
	isOther := !held.sameGrant(&c) || held.AccountID != c.AccountID
	if isOther || slices.Contains(held.Denied, service) == denied {
		return nil
	}
	if !denied {
		held.permit(service)
		return held.Save(nil)
	}
	held.Denied = append(slices.Clip(held.Denied), service)
	return held.Save(&trail.Entry{CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair,
		Detail: provider.CodePermission.Text})
}

// permit takes back that a permission to read service is missing.
func (c *Connection) permit(service provider.Service) {
	c.Denied = slices.DeleteFunc(slices.Clone(c.Denied), func(other provider.Service) bool { return other == service })
}

// judge counts a failure of a call with c, if it is a refusal. It returns err, or what it means
// during an app-wide failure: nothing is marked then, and what the streak has marked is unmarked.
func (s *Service) judge(ctx context.Context, c Connection, of incident.Subject, err error) error {
	isRefusal := fault.Is(err, provider.CodeReconnect) || fault.Is(err, provider.CodeOperator)
	if !isRefusal && of.Kind != incident.Permission {
		return err
	}
	err = s.refused(ctx, c, of, err)
	if fault.Is(err, provider.CodeOperator) {
		s.unmarkIncident(ctx, c.Pair.Provider)
	}
	return err
}

// refused counts a refusal of c. It returns err, or the fault of an app-wide failure.
func (s *Service) refused(ctx context.Context, c Connection, of incident.Subject, err error) error {
	detail := fault.From(err).Message
	switch {
	case fault.Is(err, provider.CodeOperator):
		of.Kind, detail = incident.App, ""
	case of.Kind == incident.Permission:
		detail = string(of.Service)
	}
	during, countErr := s.Incidents.Refused(ctx, of, c.ID, detail)
	if countErr != nil {
		s.Log.ErrorContext(ctx, "refusal not counted", "company", c.CompanyID, "pair", c.Pair.String(),
			"error", countErr)
	}
	if !during || of.Kind == incident.App {
		return err
	}
	s.suppressed(c.Pair)
	return provider.AppWide(c.Pair.Provider, err)
}

func (s *Service) suppressed(p provider.Pair) {
	s.Metrics.MarkSuppressed(p)
}

func (s *Service) succeeded(ctx context.Context, of incident.Subject) {
	err := s.Incidents.Succeeded(ctx, of, func() { s.unmarkIncident(ctx, of.Provider) })
	if err != nil {
		s.Log.ErrorContext(ctx, "success not counted", "provider", of.Provider, "error", err)
	}
}

// unmarkIncident unmarks what the streaks before the incidents of a provider have marked.
// What fails is repeated at the next refusal, and before the incident ends.
func (s *Service) unmarkIncident(ctx context.Context, p provider.Name) {
	marks, err := s.Incidents.Marked(ctx, p)
	for _, m := range marks {
		var changed bool
		changed, err = s.unmark(ctx, m, trail.Entry{Detail: "app-wide failure"})
		if err != nil {
			break
		}
		if changed {
			s.suppressed(m.Pair)
		}
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "connections not unmarked", "provider", p, "error", err)
	}
}

// unmark removes a mark, with a line of the trail, if the connection has it.
func (s *Service) unmark(ctx context.Context, m incident.Mark, by trail.Entry) (changed bool, err error) {
	held, err := s.Store.Hold(ctx, m.CompanyID, m.Pair)
	if err != nil {
		return false, err
	}
	defer held.Release()
	if !held.unmark(m) {
		return false, nil
	}
	by.CompanyID = m.CompanyID
	by.Action = "unmark"
	by.Pair = m.Pair
	err = held.Save(&by)
	return err == nil, err
}

func (c *Connection) unmark(m incident.Mark) bool {
	service := provider.Service(m.Detail)
	switch {
	case !c.Active:
		return false
	case m.Kind == incident.Permission && slices.Contains(c.Denied, service):
		c.permit(service)
		return true
	case m.Kind != incident.Permission && c.ReconnectReason == m.Detail && m.Detail != "":
		c.ReconnectReason = ""
		return true
	}
	return false
}
