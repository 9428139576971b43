package directory

import (
	"context"
	"time"

	"backend.example/services/internal/kit/fault"
)

// reached is a chosen page or location as the newest grant reaches it. A location has
// no token.
type reached struct{ id, name, token string }

// choiceLimit bounds the look-up: a provider that hangs must not cost the new grant.
const choiceLimit = 10 * time.Second

// keepChoice looks up what was chosen on before with the new grant of c, and returns
// what brings it over: a page or location that the grant reaches stays chosen, with
// the page's new token; one that it does not reach is lost. What could not be looked
// up stays chosen, without a token if it is a page; the next use reads that.
func (o *OAuth) keepChoice(ctx context.Context, before, c Connection) func(before Connection, c *Connection) {
	limited, cancel := context.WithTimeout(ctx, choiceLimit)
	defer cancel()
	found, err := o.reach(limited, before, c)
	if err != nil {
		o.log.WarnContext(ctx, "choice not looked up", "company", c.CompanyID, "pair", c.Pair.String(), "error", err)
	}
	return func(now Connection, c *Connection) {
		switch {
		case now.Chosen == ChosenNothing:
		case err != nil || now.Chosen != before.Chosen || now.AccountID != before.AccountID:
			c.choose(now.Chosen, now.AccountID, now.AccountName, "")
		case found == nil:
			c.lose(now.AccountName)
		default:
			c.choose(now.Chosen, found.id, found.name, found.token)
		}
	}
}

// reach looks for what was chosen on before with the grant of c; nil is out of reach.
func (o *OAuth) reach(ctx context.Context, before, c Connection) (*reached, error) {
	switch before.Chosen {
	case ChosenPage:
		return o.reachPage(ctx, before.AccountID, c)
	case ChosenLocation:
		return o.reachLocation(ctx, before, c)
	}
	return nil, nil
}

func (o *OAuth) reachPage(ctx context.Context, id string, c Connection) (*reached, error) {
	find := o.providers[c.Pair.Provider].FindPage
	if find == nil {
		return nil, cannot(c.Pair.Provider, "find a page")
	}
	page, err := useAsUser(ctx, o, c, func(ctx context.Context, userToken string) (Page, error) { return find(ctx, userToken, id) })
	switch {
	case o.outOfReach(c, err), err == nil && !page.Selectable():
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &reached{page.ID, page.Name, page.AccessToken}, nil
}

// outOfReach reports whether err says that the grant of c does not reach what was
// asked for. Without all scopes a refusal does not tell.
func (o *OAuth) outOfReach(c Connection, err error) bool {
	return fault.Is(err, CodeGone) || fault.Is(err, CodePermission) && !o.lacksScope(c)
}

func (o *OAuth) reachLocation(ctx context.Context, before, c Connection) (*reached, error) {
	read := o.providers[c.Pair.Provider].ReadLocation
	if read == nil {
		return nil, cannot(c.Pair.Provider, "read locations")
	}
	location, err := read(ctx, c.AccessToken, before.AccountID)
	switch {
	case o.outOfReach(c, err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &reached{id: before.AccountID, name: location.Name}, nil
}

// regainPage reads the token of the chosen page that could not be read when the
// connection was made anew. A page out of reach is the fault no_page.
func (o *OAuth) regainPage(ctx context.Context, c Connection) (Connection, error) {
	found, err := o.reachPage(ctx, c.AccountID, c)
	if fault.Is(err, CodeReconnect) {
		o.markRevoked(ctx, c, fault.From(err).Message)
	}
	if err != nil {
		return c, err
	}
	c, err = o.store.LockConnection(ctx, c.CompanyID, c.Pair, func(_ context.Context, now *Connection) (*Entry, error) {
		entry := &Entry{At: o.now(), CompanyID: c.CompanyID, Action: "select_page", Pair: c.Pair, Detail: now.AccountID}
		switch {
		case !now.Active:
			return nil, CodeNoConnection.Fault()
		case !now.awaitsPage() || now.AccountID != c.AccountID || !now.sameGrant(&c):
			return nil, nil // somebody else chose
		case found == nil:
			now.lose(now.AccountName)
			entry.Action = "lose_page"
		default:
			now.choose(ChosenPage, found.id, found.name, found.token)
		}
		return entry, nil
	})
	if err == nil && (c.Chosen != ChosenPage || c.awaitsPage()) {
		err = CodeNoPage.Fault()
	}
	return c, err
}
