package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/httpx"
)

// BrowserSessions are the steps of Sessions that handlers use.
type BrowserSessions interface {
	User(r *http.Request) (*User, error)
	Begin(w http.ResponseWriter, r *http.Request, userID int64) error
	End(w http.ResponseWriter, r *http.Request) error
	Put(w http.ResponseWriter, r *http.Request, name, value string) error
	Take(w http.ResponseWriter, r *http.Request, name string) (string, error)
	SetOutcome(w http.ResponseWriter, outcome string) error
	TakeOutcome(w http.ResponseWriter, r *http.Request) string
}

// Guard checks requests before handlers run.
type Guard struct {
	Sessions BrowserSessions
	// CrossOrigin rejects requests from pages of other origins, except those that were
	// added to it.
	CrossOrigin http.CrossOriginProtection
	// ClientIP returns the network address of the client, past trusted proxies.
	ClientIP func(*http.Request) string
}

// Actor returns the user of the request's session, or CodeNotLoggedIn together with an
// actor that has only the request's id.
func (g *Guard) Actor(c echo.Context) (Actor, error) {
	actor := Actor{RequestID: httpx.RequestID(c)}
	user, err := g.Sessions.User(c.Request())
	if err != nil {
		return actor, err
	}
	if user == nil {
		return actor, CodeNotLoggedIn.Fault()
	}
	actor.User = *user
	return actor, nil
}

// SameSite rejects, with text, requests that a page of another site makes a browser send.
func (g *Guard) SameSite(text string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := g.CrossOrigin.Check(c.Request()); err != nil {
				refused := CodeOtherSite.Wrap(err)
				refused.Message = text
				return refused
			}
			return next(c)
		}
	}
}

// AsUser passes requests of logged-in users to next; others get CodeNotLoggedIn.
func (g *Guard) AsUser(next func(echo.Context, Actor) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		actor, err := g.Actor(c)
		if err != nil {
			return err
		}
		return next(c, actor)
	}
}
