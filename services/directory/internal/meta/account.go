package meta

import (
	"context"
	"errors"
	"net/url"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// node is an object of the graph with its name.
type node struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// me reads the owner of the token.
func (c *graphClient) me(ctx context.Context) (node, error) {
	var me node
	err := c.get(ctx, "me", url.Values{"fields": {"id,name"}}, &me)
	if err == nil && !graphID.MatchString(me.ID) {
		err = provider.Unreadable(errors.New("me: no id"))
	}
	return me, err
}

// Account names the person who connected the account. A page is chosen later.
func (s *Client) Account(ctx context.Context, _ provider.Service, token provider.Token) (id, name string, err error) {
	me, err := s.graph.withToken(token.AccessToken).me(ctx)
	return me.ID, me.Name, err
}

// Revoke withdraws everything that the user granted to the app. It uses the app's own
// Token: once a page is chosen, the connection has the page's token, which may not
// revoke.
func (s *Client) Revoke(ctx context.Context, grant provider.Token) error {
	user, token := grant.ProviderUserID, s.options.ClientID+"|"+s.options.ClientSecret
	if user == "" {
		user, token = "me", grant.AccessToken
	}
	err := s.graph.withToken(token).delete(ctx, url.PathEscape(user)+"/permissions")
	if alreadyRevoked(err) {
		return nil
	}
	return err
}

// alreadyRevoked reports whether err says that the grant no longer exists: the user
// is unknown or has removed the app.
func alreadyRevoked(err error) bool {
	var refused *graphError
	return fault.Is(err, provider.CodeGone) || errors.As(err, &refused) && refused.Code == 190 && refused.Subcode == 458
}
