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
	return &trail.Entry{At: s.now(), CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair, Detail: reason}
}

// markRevoked marks c unless its access token has been replaced.
func (s *Service) markRevoked(ctx context.Context, c Connection, reason string) {
	if err := s.mark(ctx, c, reason); err != nil {
		s.log.ErrorContext(ctx, "reconnection not marked", "pair", c.Pair.String(), "error", err)
	}
}

func (s *Service) mark(ctx context.Context, c Connection, reason string) error {
	held, err := s.store.Hold(ctx, c.CompanyID, c.Pair)
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
		s.log.ErrorContext(ctx, "missing permission not noted", "pair", c.Pair.String(), "error", setErr)
	}
	return err
}

func (s *Service) setDenied(ctx context.Context, c Connection, service provider.Service, denied bool) error {
	held, err := s.store.Hold(ctx, c.CompanyID, c.Pair)
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
	return held.Save(&trail.Entry{At: s.now(), CompanyID: c.CompanyID, Action: "reconnect_required", Pair: c.Pair,
		Detail: provider.CodePermission.Text})
}

// permit takes back that a permission to read service is missing.
func (c *Connection) permit(service provider.Service) {
	c.Denied = slices.DeleteFunc(slices.Clone(c.Denied), func(other provider.Service) bool { return other == service })
}
