package provider

import (
	"context"
	"errors"
	"net/url"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// node is a thing of the graph with its name.
type node struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// me is the owner of the token.
func (c *caller) me(ctx context.Context) (node, error) {
	var me node
	err := c.get(ctx, "me", url.Values{"fields": {"id,name"}}, &me)
	if err == nil && !graphID.MatchString(me.ID) {
		err = directory.Unreadable(errors.New("me: no id"))
	}
	return me, err
}

// Account names the person who granted; a page is chosen later.
func (s *Social) Account(ctx context.Context, _ directory.Service, token directory.Token) (id, name string, err error) {
	me, err := s.graph.with(token.AccessToken).me(ctx)
	return me.ID, me.Name, err
}

// Revoke withdraws all that the user granted to the app, in the app's own name:
// after a page was chosen the connection's token is the page's, which may not.
func (s *Social) Revoke(ctx context.Context, c directory.Connection) error {
	user, token := c.ProviderUserID, s.options.ClientID+"|"+s.options.ClientSecret
	if user == "" {
		user, token = "me", c.UserToken()
	}
	err := s.graph.with(token).remove(ctx, url.PathEscape(user)+"/permissions")
	if withdrawn(err) {
		return nil
	}
	return err
}

// withdrawn reports whether err says that there is no grant any more: an unknown
// user, or one who removed the app.
func withdrawn(err error) bool {
	var refused *graphError
	return fault.Is(err, directory.CodeGone) || errors.As(err, &refused) && refused.Code == 190 && refused.Subcode == 458
}
