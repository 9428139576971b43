package web

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

type formView struct {
	Problem string // Polish; may be empty
	Email   string
	Token   string // of a link
	Mails   bool   // links can be sent by e-mail
	Return  string // where the login leads
}

const textTwoPasswords = "Hasła nie są takie same." // #nosec G101 -- a text

func problemOf(err error) string {
	if f := fault.From(err); f != nil && f.Kind == fault.Invalid {
		return f.Message
	}
	return ""
}

func (h *Handlers) passwordForm(c echo.Context, v visitor) error { return h.showPassword(c, v, "") }

func (h *Handlers) showPassword(c echo.Context, v visitor, problem string) error {
	view := formView{Problem: problem, Email: v.User.Email}
	return h.showForm(c, v, "password", "Zmiana hasła", view, problem)
}

func (h *Handlers) changePassword(c echo.Context, v visitor) error {
	form, address := c.Request().PostForm, h.Guard.ClientIP(c.Request())
	if form.Get("nowe") != form.Get("powtorzone") {
		return h.showPassword(c, v, textTwoPasswords)
	}
	err := h.Passwords.Change(c.Request().Context(), v.Actor, form.Get("obecne"), form.Get("nowe"), address)
	if problem := problemOf(err); problem != "" {
		return h.showPassword(c, v, problem)
	}
	if err != nil {
		return err
	}
	if err := h.Guard.Sessions.Begin(c.Response(), c.Request(), v.User.ID); err != nil {
		return err
	}
	return h.redirect(c, passwordPath, "password_changed")
}

func (h *Handlers) resetForm(c echo.Context, v visitor) error {
	return h.show(c, v, "reset", "Nowe hasło", formView{Mails: h.Passwords.Mails()})
}

func (h *Handlers) requestReset(c echo.Context) error {
	email, address := c.Request().PostForm.Get("email"), h.Guard.ClientIP(c.Request())
	if err := h.Passwords.Request(c.Request().Context(), email, address); err != nil {
		return err
	}
	return h.redirect(c, loginPath, "reset_requested")
}

// newPasswordForm does not use up the link, because programs that check e-mails open every address in them.
func (h *Handlers) newPasswordForm(c echo.Context, v visitor) error {
	return h.showNewPassword(c, v, c.QueryParam("token"), "")
}

func (h *Handlers) showNewPassword(c echo.Context, v visitor, token, problem string) error {
	const name, title = "new-password", "Ustaw hasło"
	err := h.Passwords.CheckLink(c.Request().Context(), token)
	if fault.Is(err, account.CodeInvalidLink) {
		view := formView{Problem: fault.From(err).Message}
		return h.write(c, v, page{name: name, title: title, data: view, status: http.StatusNotFound})
	}
	if err != nil {
		return err
	}
	return h.showForm(c, v, name, title, formView{Problem: problem, Token: token}, problem)
}

// setNewPassword also logs in a person who was invited.
func (h *Handlers) setNewPassword(c echo.Context, v visitor) error {
	form, address := c.Request().PostForm, h.Guard.ClientIP(c.Request())
	token, password := form.Get("token"), form.Get("nowe")
	if password != form.Get("powtorzone") {
		return h.showNewPassword(c, v, token, textTwoPasswords)
	}
	user, err := h.Passwords.Redeem(c.Request().Context(), token, password, address, httpx.RequestID(c))
	if problem := problemOf(err); problem != "" {
		return h.showNewPassword(c, v, token, problem)
	}
	if err != nil {
		return err
	}
	if user.PasswordHash != "" {
		return h.redirect(c, loginPath, "password_set")
	}
	if err := h.Guard.Sessions.Begin(c.Response(), c.Request(), user.ID); err != nil {
		return err
	}
	return h.redirect(c, overviewPath, "")
}

type sessionsView struct {
	Action   string
	Sessions []account.ListedSession
	Others   bool // there are sessions besides the visitor's own
}

func (h *Handlers) sessions(c echo.Context, v visitor) error {
	sessions, err := h.Sessions.Of(c.Request().Context(), v.User.ID)
	if err != nil {
		return err
	}
	view := sessionsView{
		Action: sessionsPath, Sessions: account.Listed(sessions, h.Guard.Sessions.Current(c.Request())),
	}
	for _, s := range view.Sessions {
		view.Others = view.Others || !s.Current
	}
	return h.show(c, v, "sessions", "Zalogowane przeglądarki", view)
}

func (h *Handlers) endSessions(c echo.Context, v visitor) error {
	return h.endSessionsOf(c, v, v.User, h.Guard.Sessions.Current(c.Request()), sessionsPath)
}

// endSessionsOf ends the session that the form names, or all of a user but the current one.
func (h *Handlers) endSessionsOf(c echo.Context, v visitor, u account.User, current, back string) error {
	_, err := h.Sessions.EndOf(c.Request().Context(), v.Actor, u, c.Request().PostForm.Get("sesja"), current)
	if err != nil && !fault.Is(err, account.CodeUnknownSession) { // which has ended by itself
		return err
	}
	return h.redirect(c, back, "sessions_ended")
}

type linkView struct {
	Email     string
	URL       string // empty if it was sent by e-mail
	ExpiresAt time.Time
	Back      string
}

func (h *Handlers) showLink(c echo.Context, v visitor, u account.User, link *account.Link, back string) error {
	view := linkView{Email: u.Email, Back: back}
	if link != nil {
		view.URL, view.ExpiresAt = link.URL, link.ExpiresAt
	}
	return h.show(c, v, "link", "Link do ustawienia hasła", view)
}

type ownView struct {
	Name, Email       string // as they are
	NewName, NewEmail string // as they were typed
	Problem           string // of the form of the e-mail address
	NameProblem       string
	Mails             bool
	Notified          bool // gets e-mails about the company
}

func (h *Handlers) own(c echo.Context, v visitor) error {
	return h.showOwn(c, v, ownView{NewName: v.User.Name})
}

func (h *Handlers) showOwn(c echo.Context, v visitor, view ownView) error {
	view.Name, view.Email = v.User.Name, v.User.Email
	view.Mails, view.Notified = h.Passwords.Mails(), !v.User.Silent
	return h.showForm(c, v, "own", "Twoje dane", view, view.Problem+view.NameProblem)
}

func (h *Handlers) rename(c echo.Context, v visitor) error {
	name := c.Request().PostForm.Get("nazwa")
	err := h.Users.Rename(c.Request().Context(), v.Actor, name)
	if problem := problemOf(err); problem != "" {
		return h.showOwn(c, v, ownView{NewName: name, NameProblem: problem})
	}
	if err != nil {
		return err
	}
	return h.redirect(c, profilePath, "user_changed")
}

func (h *Handlers) silence(c echo.Context, v visitor) error {
	silent := c.Request().PostForm.Get("wysylaj") == ""
	if err := h.Users.Silence(c.Request().Context(), v.Actor, silent); err != nil {
		return err
	}
	return h.redirect(c, profilePath, "user_changed")
}

func (h *Handlers) requestEmail(c echo.Context, v visitor) error {
	form, address := c.Request().PostForm, h.Guard.ClientIP(c.Request())
	err := h.Passwords.RequestEmail(c.Request().Context(), v.Actor, form.Get("email"), form.Get("obecne"), address)
	if problem := problemOf(err); problem != "" {
		return h.showOwn(c, v, ownView{NewName: v.User.Name, NewEmail: form.Get("email"), Problem: problem})
	}
	if err != nil {
		return err
	}
	return h.redirect(c, profilePath, "email_requested")
}

// newEmailForm does not use up the link either, see newPasswordForm.
func (h *Handlers) newEmailForm(c echo.Context, v visitor) error {
	return h.showNewEmail(c, v, http.StatusOK, formView{Token: c.QueryParam("token")})
}

func (h *Handlers) showNewEmail(c echo.Context, v visitor, status int, view formView) error {
	return h.write(c, v, page{name: "new-email", title: "Nowy adres e-mail", status: status, data: view})
}

func (h *Handlers) confirmEmail(c echo.Context, v visitor) error {
	token := c.Request().PostForm.Get("token")
	err := h.Passwords.ConfirmEmail(c.Request().Context(), token, httpx.RequestID(c))
	if problem := problemOf(err); problem != "" {
		return h.showNewEmail(c, v, http.StatusNotFound, formView{Problem: problem})
	}
	if err != nil {
		return err
	}
	if v.LoggedIn {
		return h.redirect(c, profilePath, "email_changed")
	}
	return h.redirect(c, loginPath, "email_changed")
}

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
