package pages

import (
	"errors"
	"net/http"
	"net/url"

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
}

// visitor is who looks at a page.
type visitor struct {
	directory.Actor
	LoggedIn bool
}

// MayEdit reports whether the visitor may sync and audit the company.
func (v visitor) MayEdit(companyID int64) bool {
	return v.LoggedIn && v.User.CanEditCompany(companyID)
}

// visitor returns the user of the request's session, or nobody.
func (p *Pages) visitor(c echo.Context) (visitor, error) {
	v := visitor{Actor: directory.Actor{RequestID: requestID(c)}}
	user, err := p.Sessions.User(c.Request())
	if err != nil || user == nil {
		return v, err
	}
	v.User, v.LoggedIn = *user, true
	return v, nil
}

// requestID is the id under which the request's lines stand in the log.
func requestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }

// asUser admits logged-in users to next, and sends others to the login. A page
// that was asked for comes after it; a form has to be sent anew.
func (p *Pages) asUser(next func(echo.Context, visitor) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := p.visitor(c)
		if err != nil {
			return err
		}
		if v.LoggedIn {
			return next(c, v)
		}
		target := loginPath
		if r := c.Request(); r.Method != http.MethodPost {
			target += "?powrot=" + url.QueryEscape(r.URL.RequestURI())
		}
		return c.Redirect(http.StatusSeeOther, target)
	}
}

// sameSite refuses a form that a page of another site makes a browser send.
func (p *Pages) sameSite(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := p.CrossOrigin.Check(c.Request()); err != nil {
			return fault.Wrap(err, fault.Forbidden, "other_site", "Formularz z innej witryny został odrzucony.")
		}
		return next(c)
	}
}

// readForm reads the form that was sent. A body over its limit is left to the
// error handler.
func readForm(c echo.Context) (url.Values, error) {
	if err := c.Request().ParseForm(); err != nil {
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return nil, err
		}
		return nil, fault.Wrap(err, fault.Invalid, "unreadable_form", "Nie udało się odczytać formularza.")
	}
	return c.Request().PostForm, nil
}
