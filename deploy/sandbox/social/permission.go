package social

import (
	"slices"
	"strings"
	"time"

	"backend.example/deploy/sandbox/internal/oauth"
	"backend.example/deploy/sandbox/social/tokens"
)

// The permissions that decide what the Graph API answers
// (https://developers.facebook.com/docs/permissions).
const (
	listPages      = "pages_show_list"
	readPages      = "pages_read_engagement"
	readInsights   = "read_insights"
	manageBusiness = "business_management"
	photoBasic     = "instagram_basic"
	photoInsights  = "instagram_manage_insights"
)

// permissions lists those that an app can ask for, in Polish for the dialog.
func permissions() []oauth.Scope {
	return []oauth.Scope{
		{Name: "public_profile", Text: "Imię i nazwisko", Fixed: true},
		{Name: "email", Text: "Adres e-mail"},
		{Name: listPages, Text: "Lista stron, którymi zarządzasz"},
		{Name: readPages, Text: "Odczyt treści i danych tych stron"},
		{Name: readInsights, Text: "Odczyt statystyk tych stron"},
		{Name: manageBusiness, Text: "Dostęp do portfolio firmowego i jego stron"},
		{Name: photoBasic, Text: "Profil i zdjęcia konta firmowego w serwisie ze zdjęciami"},
		{Name: photoInsights, Text: "Odczyt statystyk tego konta"},
	}
}

// readScope reads the scope parameter: names between commas. public_profile is always
// among the result. unknown holds what no app can ask for.
func readScope(text string) (asked []oauth.Scope, unknown []string) {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	for _, name := range names {
		if !slices.Contains(namesOf(permissions()), name) {
			unknown = append(unknown, name)
		}
	}
	for _, p := range permissions() {
		if p.Fixed || slices.Contains(names, p.Name) {
			asked = append(asked, p)
		}
	}
	return asked, unknown
}

func namesOf(scopes []oauth.Scope) []string {
	names := make([]string, 0, len(scopes))
	for _, scope := range scopes {
		names = append(names, scope.Name)
	}
	return names
}

// grantee returns the id of the person whose permissions the path means: the caller,
// or anybody who granted the app something when it asks in its own name.
func (s *site) grantee(c *call) (string, *refusal) {
	id := c.PathValue("node")
	if c.token.Kind == tokens.Page && (id == me || id == c.token.Page) {
		return "", badParameter("Tried accessing nonexisting field (permissions) on node type (Page)")
	}
	if id == me {
		id = c.token.Account
	}
	allowed := c.token.Kind == tokens.App || c.token.Kind == tokens.User && id == c.token.Account
	if !allowed || s.tokens.Permissions(id) == nil {
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
	return map[string][]tokens.Permission{"data": s.tokens.Permissions(id)}, nil
}

// withdraw takes all that a person granted from the app, with all its tokens.
func (s *site) withdraw(c *call) (any, *refusal) {
	id, refused := s.grantee(c)
	if refused != nil {
		return nil, refused
	}
	s.tokens.End(id, tokens.AppRemoved)
	return map[string]bool{"success": true}, nil
}

// debugToken tells an app about a token of somebody
// (https://developers.facebook.com/docs/graph-api/reference/debug_token): here alone
// until when the app may read that person's data.
func (s *site) debugToken(c *call) (any, *refusal) {
	if c.token.Kind != tokens.App {
		return nil, badParameter("You must provide an app access token, or a user access token that is an owner or developer of the app")
	}
	t, err := s.check(c.Form.Get("input_token"))
	data := map[string]any{"type": t.Kind, "is_valid": err == nil, "user_id": t.Account, "scopes": t.Scopes}
	if err == nil {
		data["data_access_expires_at"] = c.now.Add(dataAccess).Unix()
	}
	return map[string]any{"data": data}, nil
}

// dataAccess is how long an app may read somebody's data after a login.
const dataAccess = 90 * 24 * time.Hour
