package connection

import (
	"context"
	"errors"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// choiceLimit bounds the look-up, so that a provider that hangs does not cost the new grant.
const choiceLimit = 10 * time.Second

// keptChoice is what the look-up of a choice with a new grant has found.
type keptChoice struct {
	chosen     Chosen
	id         string
	found      *provider.Choice // nil if the new grant does not reach it
	isLookedUp bool             // false: the look-up failed, and found says nothing
}

// keepChoice looks up the choice of the connection before with the new grant of c.
func (s *Service) keepChoice(ctx context.Context, before, c Connection) *keptChoice {
	kept := &keptChoice{chosen: before.Chosen, id: before.AccountID}
	if before.Chosen == ChosenNothing {
		return kept
	}
	limited, cancel := context.WithTimeout(ctx, choiceLimit)
	defer cancel()
	found, err := s.reach(limited, c, before.AccountID)
	if err != nil {
		s.Log.WarnContext(ctx, "choice not looked up", "company", c.CompanyID, "pair", c.Pair.String(), "error", err)
		return kept
	}
	kept.found, kept.isLookedUp = found, true
	return kept
}

// bring takes the choice of the connection before over to c, which replaces it. A choice that the new
// grant reaches stays chosen, with a page's new token; one that it does not reach is lost. A choice
// that was not looked up, or was made during the look-up, stays chosen, and the next use reads the
// token of a page.
func (k *keptChoice) bring(before Connection, c *Connection) {
	if k == nil {
		return
	}
	c.Property = before.Property
	sameChoice := k.chosen == before.Chosen && k.id == before.AccountID
	switch {
	case before.Chosen == ChosenNothing: // there is nothing to bring
	case !k.isLookedUp || !sameChoice:
		c.Choose(before.Chosen, provider.Choice{ID: before.AccountID, Name: before.AccountName,
			Address: before.AccountAddress, PlaceID: before.PlaceID})
	case k.found == nil:
		c.lose(before.AccountName)
	default:
		c.Choose(before.Chosen, *k.found)
	}
}

// reach reads a choice with the grant of c; it returns nil if the grant does not reach it. A refusal
// is returned as an error if the grant lacks a scope, or during an app-wide failure, because then
// it says nothing about the choice.
func (s *Service) reach(ctx context.Context, c Connection, id string) (*provider.Choice, error) {
	found, err := s.findChoice(ctx, c, id)
	switch {
	case fault.Is(err, provider.CodeGone):
		return nil, nil
	case fault.Is(err, provider.CodePermission) && !s.lacksScope(c):
		open, openErr := s.Incidents.Open(ctx, c.Pair.Provider)
		if open || openErr != nil {
			return nil, errors.Join(provider.AppWide(c.Pair.Provider, err), openErr)
		}
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &found, nil
}

func (s *Service) findChoice(ctx context.Context, c Connection, id string) (provider.Choice, error) {
	client := s.Providers[c.Pair.Provider]
	if c.Pair != provider.PagesPair {
		return client.FindChoice(ctx, c.AccessToken, id)
	}
	return UseAsUser(ctx, s, c, func(ctx context.Context, userToken string) (provider.Choice, error) {
		return client.FindChoice(ctx, userToken, id)
	})
}

// regainPage reads the token of the page that could not be read when the connection was replaced.
func (s *Service) regainPage(ctx context.Context, c Connection) (Connection, error) {
	found, err := s.reach(ctx, c, c.AccountID)
	if fault.Is(err, provider.CodeReconnect) {
		s.markRevoked(ctx, c, fault.From(err).Message)
	}
	if err != nil {
		return c, err
	}
	held, err := s.Store.Hold(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return c, err
	}
	defer held.Release()
	if !held.Active {
		return c, CodeNoConnection.Fault()
	}
	isSame := held.AccountID == c.AccountID && held.sameGrant(&c)
	if held.awaitsPage() && isSame { // otherwise another choice was made
		entry := held.entry("select_page", held.AccountID)
		if found == nil {
			held.lose(held.AccountName)
			entry.Action = "lose_page"
		} else {
			held.Choose(ChosenPage, *found)
		}
		if err := held.Save(entry); err != nil {
			return c, err
		}
	}
	switch c = held.Connection; {
	case c.ReconnectReason != "": // was marked meanwhile
		return c, provider.Revoked(nil, c.ReconnectReason)
	case c.Chosen != ChosenPage || c.awaitsPage():
		return c, CodeNoPage.Fault()
	}
	return c, nil
}
