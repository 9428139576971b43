package social

import (
	"backend.example/deploy/sandbox/social/ledger"
)

// grantee returns the id of the person whose permissions the path means: the
// caller, or anybody who granted the app something when it asks in its own name.
func (s *site) grantee(c *call) (string, *refusal) {
	id := c.PathValue("node")
	if c.token.Kind == ledger.Page && (id == me || id == c.token.Page) {
		return "", badParameter("Tried accessing nonexisting field (permissions) on node type (Page)")
	}
	if id == me {
		id = c.token.Account
	}
	_, known := s.network.Person(id)
	allowed := c.token.Kind == ledger.App || c.token.Kind == ledger.User && id == c.token.Account
	if !known || !allowed || s.ledger.Permissions(id) == nil {
		return "", unknownObject(c.Method, c.PathValue("node"))
	}
	return id, nil
}

// listPermissions answers what a person was asked for
// (https://developers.facebook.com/docs/graph-api/reference/user/permissions).
func (s *site) listPermissions(c *call) (any, *refusal) {
	id, refused := s.grantee(c)
	if refused != nil {
		return nil, refused
	}
	return map[string][]ledger.Permission{"data": s.ledger.Permissions(id)}, nil
}

// done is the answer to a change.
type done struct {
	Success bool `json:"success"`
}

// withdraw takes all that a person granted from the app, with all its tokens.
func (s *site) withdraw(c *call) (any, *refusal) {
	id, refused := s.grantee(c)
	if refused != nil {
		return nil, refused
	}
	return done{s.ledger.Withdraw(id)}, nil
}

// withdrawOne takes one permission.
func (s *site) withdrawOne(c *call) (any, *refusal) {
	id, refused := s.grantee(c)
	if refused != nil {
		return nil, refused
	}
	if name := c.PathValue("permission"); !s.ledger.WithdrawPermission(id, name) {
		return nil, badParameter("The permission %s is not granted", name)
	}
	return done{true}, nil
}
