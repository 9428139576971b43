package connection

import (
	"context"
	"errors"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// choiceLimit bounds the look-up: a provider that hangs must not cost the new grant.
const choiceLimit = 10 * time.Second

// keepChoice looks up the choice of before with the new grant of c, and returns a
// function that brings it over: a page or location within the grant's reach stays
// chosen, with the page's new token; another one is lost. If it could not be looked up,
// it stays chosen, without a token if it is a page; the next use reads the token.
func (s *Service) keepChoice(ctx context.Context, before, c Connection) func(before Connection, c *Connection) {
	var found *provider.Choice
	var err error
	if before.Chosen != ChosenNothing {
		limited, cancel := context.WithTimeout(ctx, choiceLimit)
		defer cancel()
		found, err = s.reach(limited, c, before.AccountID)
	}
	if err != nil {
		s.log.WarnContext(ctx, "choice not looked up", "company", c.CompanyID, "pair", c.Pair.String(), "error", err)
	}
	return func(now Connection, c *Connection) {
		c.Property = now.Property
		switch {
		case now.Chosen == ChosenNothing:
		case err != nil || now.Chosen != before.Chosen || now.AccountID != before.AccountID:
			c.Choose(now.Chosen, provider.Choice{ID: now.AccountID, Name: now.AccountName, Address: now.AccountAddress,
				PlaceID: now.PlaceID})
		case found == nil:
			c.lose(now.AccountName)
		default:
			c.Choose(now.Chosen, *found)
		}
	}
}

// reach looks for a choice with the grant of c; it is nil if it is out of reach. A
// refusal does not say so while the grant lacks a scope, or during an app-wide failure.
func (s *Service) reach(ctx context.Context, c Connection, id string) (*provider.Choice, error) {
	found, err := s.findChoice(ctx, c, id)
	switch {
	case fault.Is(err, provider.CodeGone):
		return nil, nil
	case fault.Is(err, provider.CodePermission) && !s.lacksScope(c):
		open, openErr := s.incidents.Open(ctx, c.Pair.Provider)
		if open || openErr != nil {
			return nil, errors.Join(provider.AppWide(c.Pair.Provider, err), openErr)
		}
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &found, nil
}

// findChoice reads a choice with the user's token of c, which is renewed if a page is chosen.
func (s *Service) findChoice(ctx context.Context, c Connection, id string) (provider.Choice, error) {
	client := s.providers[c.Pair.Provider]
	if c.Pair != provider.PagesPair {
		return client.FindChoice(ctx, c.AccessToken, id)
	}
	return UseAsUser(ctx, s, c, func(ctx context.Context, userToken string) (provider.Choice, error) {
		return client.FindChoice(ctx, userToken, id)
	})
}

// regainPage reads the token of the chosen page that could not be read when the
// connection was replaced. A page out of reach is the fault no_page.
func (s *Service) regainPage(ctx context.Context, c Connection) (Connection, error) {
	found, err := s.reach(ctx, c, c.AccountID)
	if fault.Is(err, provider.CodeReconnect) {
		s.markRevoked(ctx, c, fault.From(err).Message)
	}
	if err != nil {
		return c, err
	}
	c, err = s.store.Change(ctx, c.CompanyID, c.Pair, func(_ context.Context, now *Connection) (*trail.Entry, error) {
		entry := &trail.Entry{At: s.now(), CompanyID: c.CompanyID, Action: "select_page", Pair: c.Pair,
			Detail: now.AccountID}
		switch {
		case !now.Active:
			return nil, CodeNoConnection.Fault()
		case !now.awaitsPage() || now.AccountID != c.AccountID || !now.sameGrant(&c):
			return nil, nil // another choice was made
		case found == nil:
			now.lose(now.AccountName)
			entry.Action = "lose_page"
		default:
			now.Choose(ChosenPage, *found)
		}
		return entry, nil
	})
	switch {
	case err != nil:
	case c.ReconnectReason != "": // was marked meanwhile
		err = provider.Revoked(nil, c.ReconnectReason)
	case c.Chosen != ChosenPage || c.awaitsPage():
		err = CodeNoPage.Fault()
	}
	return c, err
}
