package connection

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

const (
	// renewBefore is how long before its expiry a token is renewed on use.
	renewBefore = 5 * time.Minute
	// renewEarly is how long before its expiry the scan renews a token that is renewed with
	// itself: once expired, it cannot be renewed any more.
	renewEarly = 10 * 24 * time.Hour
	// renewIdle is how long after its expiry the scan renews a token that has a refresh token.
	// Usually it is renewed on use by then; a refresh token that is never used would expire.
	renewIdle = 24 * time.Hour
	// renewLimit bounds a renewal including the wait for its turn.
	renewLimit = 30 * time.Second
)

// Use reads with a fresh access token and the account of c. A token that is refused all the same
// is renewed once, if it can be. If it is still refused, c is marked for reconnection.
func Use[T any](ctx context.Context, s *Service, c Connection,
	read func(ctx context.Context, token, account string) (T, error)) (T, error) {
	return use(ctx, s, c, read, false)
}

// UseOptional is Use for an API without which the service works: only a refused token is counted.
func UseOptional[T any](ctx context.Context, s *Service, c Connection,
	read func(ctx context.Context, token, account string) (T, error)) (T, error) {
	return use(ctx, s, c, read, true)
}

func use[T any](ctx context.Context, s *Service, c Connection,
	read func(ctx context.Context, token, account string) (T, error), optional bool) (data T, err error) {
	switch {
	case c.ReconnectReason != "":
		return data, provider.Revoked(nil, c.ReconnectReason)
	case c.awaitsPage():
		c, err = s.regainPage(ctx, c)
	case c.Chosen != ChosenPage: // the token of a page never expires
		c, err = s.renewDue(ctx, c, renewBefore)
	}
	if err != nil {
		return data, err
	}
	data, err = read(ctx, c.AccessToken, c.AccountID)
	if c.RefreshToken != "" && fault.Is(err, provider.CodeReconnect) {
		refused := c.AccessToken
		c, err = s.renew(ctx, c, func(c *Connection) bool { return c.AccessToken == refused })
		if err != nil {
			return data, err
		}
		data, err = read(ctx, c.AccessToken, c.AccountID)
	}
	if optional && !fault.Is(err, provider.CodeReconnect) {
		return data, err
	}
	of := incident.Subject{Provider: c.Pair.Provider, Service: c.Pair.Service, Kind: incident.Token}
	if err != nil {
		if err = s.judge(ctx, c, of, err); fault.Is(err, provider.CodeReconnect) {
			s.markRevoked(ctx, c, fault.From(err).Message)
		}
		return data, err
	}
	s.succeeded(ctx, of)
	return data, nil
}

// UseAsUser is Use for what is read with the user's token. Once a page is chosen, either of the
// two tokens may be lost while the other stays valid: then the loss of the user's marks nothing,
// and a mark does not stop its use.
func UseAsUser[T any](ctx context.Context, s *Service, c Connection,
	read func(ctx context.Context, userToken string) (T, error)) (data T, err error) {
	if c.Chosen != ChosenPage {
		return Use(ctx, s, c, func(ctx context.Context, token, _ string) (T, error) { return read(ctx, token) })
	}
	if c.UserToken() == "" {
		return data, provider.Revoked(nil, c.ReconnectReason)
	}
	if c, err = s.renewDue(ctx, c, renewBefore); err != nil {
		return data, err
	}
	return read(ctx, c.UserToken())
}

// RenewEarly is for the scan. It renews the user's token long before it expires if it could not
// be renewed afterwards, otherwise if nothing else has renewed it for a day.
func (s *Service) RenewEarly(ctx context.Context, c Connection) (Connection, error) {
	if c.dataAccessExpired(s.Store.Now().Add(dataAccessWarning)) {
		s.Log.WarnContext(ctx, "data access of a connection ends", "company", c.CompanyID, "pair", c.Pair.String(),
			"at", c.DataAccessExpiresAt)
	}
	if c.RefreshToken == "" {
		return s.renewDue(ctx, c, renewEarly)
	}
	return s.renewDue(ctx, c, -renewIdle)
}

func (s *Service) renewDue(ctx context.Context, c Connection, within time.Duration) (Connection, error) {
	return s.renew(ctx, c, func(c *Connection) bool { return c.due(s.Store.Now().Add(within)) })
}

// renew renews the user's token of c if due returns true for the connection as it is now. Of several
// callers at once, over all replicas, the first one renews it; the others find it renewed. A renewal
// that has begun is finished although the caller leaves: the provider may have replaced the refresh
// token already.
func (s *Service) renew(ctx context.Context, c Connection, due func(*Connection) bool) (Connection, error) {
	client := s.Providers[c.Pair.Provider]
	if client == nil || !due(&c) {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLimit)
	defer cancel()
	renewal := incident.Subject{Provider: c.Pair.Provider, Kind: incident.Renewal}
	held, renewed, err := s.renewHeld(ctx, client, c, renewal, due)
	if fault.Is(err, provider.CodeOperator) {
		s.unmarkIncident(ctx, c.Pair.Provider)
	}
	if err != nil {
		return Connection{}, err
	}
	if renewed {
		s.succeeded(ctx, renewal)
		s.shareRefreshToken(ctx, held.Connection, held.before.RefreshToken)
	}
	return held.Connection, nil
}

// renewHeld renews the token while it holds the connection. The returned connection is released.
func (s *Service) renewHeld(ctx context.Context, client provider.Client, c Connection, renewal incident.Subject,
	due func(*Connection) bool,
) (held *Held, renewed bool, err error) {
	held, err = s.Store.HoldSlowly(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return nil, false, err
	}
	defer held.Release()
	hasUserTokenOfPage := held.Chosen == ChosenPage && held.UserAccessToken != ""
	switch {
	case !held.Active:
		return nil, false, CodeNoConnection.Fault()
	case held.ReconnectReason != "" && !hasUserTokenOfPage:
		return nil, false, provider.Revoked(nil, held.ReconnectReason)
	case !due(&held.Connection):
		return held, false, nil
	}
	token, err := client.Refresh(ctx, held.grant())
	if err != nil {
		return nil, false, s.notRenewed(ctx, held, renewal, err)
	}
	held.replaceToken(token)
	if err := held.Save(held.entry("refresh", "")); err != nil {
		return nil, false, err
	}
	return held, true, nil
}

// notRenewed marks held if its credential is lost, and returns what err means during an app-wide
// failure. The token of a page stays valid.
func (s *Service) notRenewed(ctx context.Context, held *Held, renewal incident.Subject, err error) error {
	lost := fault.Is(err, provider.CodeReconnect) && held.Chosen != ChosenPage
	if lost || fault.Is(err, provider.CodeOperator) {
		err = s.refused(ctx, held.Connection, renewal, err)
	}
	if !lost || !fault.Is(err, provider.CodeReconnect) {
		return err
	}
	if err := held.requireReconnect(fault.From(err).Message); err != nil {
		return err
	}
	return err
}

// shareWithPerson gives the refresh token of a new grant to the other connections of its
// person, of all companies, if its scopes suffice for them: the provider keeps 100 refresh
// tokens of a person and ends the oldest without notice.
func (s *Service) shareWithPerson(ctx context.Context, name provider.Name, token provider.Token) {
	if token.RefreshToken == "" || token.ProviderUserID == "" {
		return
	}
	person := Connection{Pair: provider.Pair{Provider: name}, ProviderUserID: token.ProviderUserID}
	s.share(ctx, person, token.RefreshToken, func(other Connection) bool {
		other.Scopes = token.Scopes
		return other.ReconnectReason == "" && !s.lacksScope(other)
	})
}

// shareRefreshToken gives the refresh token of c to the other connections that have the spent
// one: a provider that replaces refresh tokens accepts each of them once.
func (s *Service) shareRefreshToken(ctx context.Context, c Connection, spent string) {
	if spent == "" || c.RefreshToken == spent {
		return
	}
	s.share(ctx, c, c.RefreshToken, func(other Connection) bool {
		return other.ID != c.ID && other.RefreshToken == spent
	})
}

// share gives a refresh token to those connections related to c that may have it.
func (s *Service) share(ctx context.Context, c Connection, token string, mayHave func(Connection) bool) {
	others, err := s.Store.related(ctx, c)
	if err != nil {
		s.Log.ErrorContext(ctx, "related connections not read", "provider", c.Pair.Provider, "company", c.CompanyID,
			"error", err)
	}
	for _, other := range others {
		if !mayHave(other) {
			continue
		}
		if err := s.replaceRefreshToken(ctx, other, token); err != nil {
			s.Log.ErrorContext(ctx, "refresh token not shared", "company", other.CompanyID,
				"pair", other.Pair.String(), "error", err)
		}
	}
}

func (s *Service) replaceRefreshToken(ctx context.Context, c Connection, token string) error {
	held, err := s.Store.Hold(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return err
	}
	defer held.Release()
	isSame := held.RefreshToken == c.RefreshToken && held.ProviderUserID == c.ProviderUserID
	if !held.Active || !isSame {
		return nil
	}
	held.RefreshToken = token
	return held.Save(nil)
}

func (h *Held) requireReconnect(reason string) error {
	h.ReconnectReason = reason
	return h.Save(h.entry("reconnect_required", reason))
}

func (c *Connection) entry(action, detail string) *trail.Entry {
	return &trail.Entry{CompanyID: c.CompanyID, Pair: c.Pair, Action: action, Detail: detail}
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
	return held.requireReconnect(reason)
}

// NoteDenial marks c if err says that a permission to read service is missing, and removes the
// mark once service was read in full or there is nothing to read. The mark does not stop the
// reading of what is permitted. A connection that has another grant or another choice by now is
// not marked. NoteDenial returns err, or what it means during an app-wide failure.
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
	return held.Save(held.entry("reconnect_required", provider.CodePermission.Text))
}

func (c *Connection) permit(service provider.Service) {
	c.Denied = slices.DeleteFunc(slices.Clone(c.Denied), func(other provider.Service) bool { return other == service })
}

// judge counts err if it is a refusal, and returns what it means during an app-wide failure:
// nothing is marked then, and what the streak has marked is unmarked.
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
	s.Metrics.MarkSuppressed(c.Pair)
	return provider.AppWide(c.Pair.Provider, err)
}

func (s *Service) succeeded(ctx context.Context, of incident.Subject) {
	err := s.Incidents.Succeeded(ctx, of, func() { s.unmarkIncident(ctx, of.Provider) })
	if err != nil {
		s.Log.ErrorContext(ctx, "success not counted", "provider", of.Provider, "error", err)
	}
}

// NoteRead stores that a service was read with c, or why not. of names what was read. Nothing is
// stored if c has been replaced or reads something else by now, if the caller has left, or if the
// failure is our own.
func (s *Service) NoteRead(ctx context.Context, c Connection, service provider.Service, of string, err error) {
	r := Reading{At: s.Store.Now(), Of: of}
	if err != nil {
		failure := fault.From(err)
		isOurs := failure.Code == "internal" || failure.Code == CodeConnectionChanged.Name
		if isOurs || errors.Is(err, context.Canceled) {
			return
		}
		r = Reading{FailedAt: s.Store.Now(), Code: failure.Code, Reason: failure.Message}
	}
	ctx = context.WithoutCancel(ctx)
	err = s.setReading(ctx, c, service, r)
	if err == nil || fault.Is(err, CodeNoConnection) || fault.Is(err, provider.CodeReconnect) {
		return
	}
	s.Log.WarnContext(ctx, "reading not noted", "company", c.CompanyID, "service", string(service), "error", err)
}

func (s *Service) setReading(ctx context.Context, c Connection, service provider.Service, r Reading) error {
	held, err := s.Store.Hold(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return err
	}
	defer held.Release()
	if !held.sameGrant(&c) || !held.sameChoice(&c) {
		return nil
	}
	if !r.FailedAt.IsZero() { // the newest success is still known
		before := held.Readings[service]
		r.At, r.Of = before.At, before.Of
	}
	readings := map[provider.Service]Reading{}
	maps.Copy(readings, held.Readings)
	readings[service] = r
	held.Readings = readings
	return held.Save(nil)
}
