// Package request answers what the API and the pages ask of every request alike:
// who sends it, and whether a page of another site made the browser send it. What
// follows from the answers is theirs.
package request

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/httpx"
)

// Sessions keeps who is logged in at a browser, and the authorization that the
// browser has under way. It is an interface because package session is a sibling,
// which only the root may know.
type Sessions interface {
	// User is who is logged in; nil is nobody.
	User(r *http.Request) (*directory.User, error)
	Begin(w http.ResponseWriter, r *http.Request, userID int64) error
	End(w http.ResponseWriter, r *http.Request) error
	// Keep answers the fault no_session when the login has ended.
	Keep(w http.ResponseWriter, r *http.Request, p *directory.Pending) error
	// Take removes the authorization; nil says that there is none.
	Take(w http.ResponseWriter, r *http.Request) (*directory.Pending, error)
	// Tell lets the next page tell the outcome of a request, which Told takes, once;
	// empty: there is none.
	Tell(w http.ResponseWriter, outcome string) error
	Told(w http.ResponseWriter, r *http.Request) string
}

// Guard looks at requests before they are answered.
type Guard struct {
	Sessions Sessions
	// CrossOrigin refuses requests of other sites' pages; it trusts the origins
	// that were added to it.
	CrossOrigin http.CrossOriginProtection
	// ClientIP tells the network address of the client, past trusted proxies.
	ClientIP func(*http.Request) string
}

// Actor is the user of the request's session. The fault not_logged_in says that
// nobody is; the actor has the request's id all the same.
func (g *Guard) Actor(c echo.Context) (directory.Actor, error) {
	actor := directory.Actor{RequestID: httpx.RequestID(c)}
	user, err := g.Sessions.User(c.Request())
	if err != nil {
		return actor, err
	}
	if user == nil {
		return actor, directory.CodeNotLoggedIn.Fault()
	}
	actor.User = *user
	return actor, nil
}

// SameSite refuses, with text, what a page of another site makes a browser send.
func (g *Guard) SameSite(text string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := g.CrossOrigin.Check(c.Request()); err != nil {
				refused := directory.CodeOtherSite.Wrap(err)
				refused.Message = text
				return refused
			}
			return next(c)
		}
	}
}

// AsUser passes requests of logged-in users to next; others get the fault not_logged_in.
func (g *Guard) AsUser(next func(echo.Context, directory.Actor) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		actor, err := g.Actor(c)
		if err != nil {
			return err
		}
		return next(c, actor)
	}
}
