package web

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/internal/kit/fault"
)

func (h *Handlers) loginForm(c echo.Context, v visitor) error {
	target := ownPath(c.QueryParam("powrot"))
	if v.LoggedIn {
		return c.Redirect(http.StatusSeeOther, target)
	}
	return h.showLogin(c, v, formView{Return: target})
}

func (h *Handlers) showLogin(c echo.Context, v visitor, view formView) error {
	return h.showForm(c, v, "login", "Logowanie", view, view.Problem)
}

func (h *Handlers) login(c echo.Context) error {
	form, address := c.Request().PostForm, h.Guard.ClientIP(c.Request())
	view := formView{Email: form.Get("email"), Return: ownPath(form.Get("powrot"))}
	user, err := h.Logins.Login(c.Request().Context(), view.Email, form.Get("password"), address)
	if fault.Is(err, account.CodeInvalidLogin) {
		view.Problem = fault.From(err).Message
		return h.showLogin(c, visitor{}, view)
	}
	if err != nil {
		return err
	}
	if err := h.Guard.Sessions.Begin(c.Response(), c.Request(), user.ID); err != nil {
		return err
	}
	target := view.Return
	if target == overviewPath {
		target = visitor{Actor: account.Actor{User: user}}.landing()
	}
	return c.Redirect(http.StatusSeeOther, target)
}

func (h *Handlers) logout(c echo.Context) error {
	if err := h.Guard.Sessions.End(c.Response(), c.Request()); err != nil {
		return err
	}
	return h.redirect(c, loginPath, "logged_out")
}

// ownPath returns the address of a page of ours with its query, and the overview's for any
// other: a link to the login must not lead to another site.
func ownPath(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return overviewPath
	}
	if path.Clean(u.Path) != u.Path {
		return overviewPath
	}
	if !strings.HasPrefix(u.Path, "/konto/") && !strings.HasPrefix(u.Path, "/audyt/") {
		return overviewPath
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}
