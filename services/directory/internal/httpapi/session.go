package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// Sessions keeps who is logged in at a browser, and the authorization that the
// browser has under way.
type Sessions interface {
	// User is who is logged in; nil is nobody.
	User(r *http.Request) (*directory.User, error)
	Begin(w http.ResponseWriter, r *http.Request, userID int64) error
	End(w http.ResponseWriter, r *http.Request) error
	// Keep answers the fault no_session when the login has ended.
	Keep(w http.ResponseWriter, r *http.Request, p *directory.Pending) error
	// Take removes the authorization; nil says that there is none.
	Take(w http.ResponseWriter, r *http.Request) (*directory.Pending, error)
}

func notLoggedIn() error {
	return fault.New(fault.Unauthenticated, "not_logged_in", "Zaloguj się, aby kontynuować.")
}

// asUser admits requests of logged-in users to next.
func (a *API) asUser(next func(echo.Context, directory.Actor) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		actor, err := a.actor(c)
		if err != nil {
			return err
		}
		return next(c, actor)
	}
}

// actor returns the user of the request's session, or the fault not_logged_in.
func (a *API) actor(c echo.Context) (directory.Actor, error) {
	actor := directory.Actor{RequestID: requestID(c)}
	user, err := a.Sessions.User(c.Request())
	if err != nil {
		return actor, err
	}
	if user == nil {
		return actor, notLoggedIn()
	}
	actor.User = *user
	return actor, nil
}

// requestID is the id under which the request's lines stand in the log.
func requestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }

// sameSite refuses what a page of another site makes a browser send.
func (a *API) sameSite(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := a.CrossOrigin.Check(c.Request()); err != nil {
			return fault.Wrap(err, fault.Forbidden, "other_site", "Żądanie z innej witryny zostało odrzucone.")
		}
		return next(c)
	}
}

// mayEdit answers a user who may not edit the company with the fault not_allowed.
func mayEdit(actor directory.Actor, companyID int64) error {
	if !actor.User.CanEditCompany(companyID) {
		return fault.New(fault.Forbidden, "not_allowed", "Brak uprawnień do edycji tej firmy.")
	}
	return nil
}
