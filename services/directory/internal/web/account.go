package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// formView is a form of an account as it is shown.
type formView struct {
	Problem string // Polish; empty: none
	Email   string
	Token   string // of a link
	Mails   bool   // links can be sent by e-mail
}

// textTwoPasswords is the problem of a password that was not repeated.
const textTwoPasswords = "Hasła nie są takie same." // #nosec G101 -- a text

// showForm writes a page with a form; a problem is in the title, too.
func (h *Handlers) showForm(c echo.Context, shown page, problem string) error {
	status := http.StatusOK
	if problem != "" {
		status, shown.title = http.StatusUnprocessableEntity, problem+" – "+shown.title
	}
	return h.show(c, status, shown)
}

// problemOf returns the text of an error that the person can correct in the form.
func problemOf(err error) (text string, ok bool) {
	if f := fault.From(err); f != nil && f.Kind == fault.Invalid {
		return f.Message, true
	}
	return "", false
}

// passwordForm shows GET /konto/haslo.
func (h *Handlers) passwordForm(c echo.Context, v visitor) error { return h.showPassword(c, v, "") }

func (h *Handlers) showPassword(c echo.Context, v visitor, problem string) error {
	view := formView{Problem: problem, Email: v.User.Email}
	return h.showForm(c, page{name: "password", title: "Zmiana hasła", visitor: v, data: view}, problem)
}

// changePassword answers POST /konto/haslo.
func (h *Handlers) changePassword(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if form.Get("nowe") != form.Get("powtorzone") {
		return h.showPassword(c, v, textTwoPasswords)
	}
	err = h.Passwords.Change(
		c.Request().Context(),
		v.Actor,
		form.Get("obecne"),
		form.Get("nowe"),
		h.Guard.ClientIP(c.Request()),
	)
	if text, ok := problemOf(err); ok {
		return h.showPassword(c, v, text)
	}
	if err != nil {
		return err
	}
	if err := h.Guard.Sessions.Begin(c.Response(), c.Request(), v.User.ID); err != nil {
		return err
	}
	return h.redirect(c, passwordPath, "password_changed")
}

// resetForm shows GET /konto/reset.
func (h *Handlers) resetForm(c echo.Context) error {
	v, err := h.visitor(c)
	if err != nil {
		return err
	}
	return h.show(
		c,
		http.StatusOK,
		page{name: "reset", title: "Nowe hasło", visitor: v, data: formView{Mails: h.Passwords.Mails()}},
	)
}

// requestReset answers POST /konto/reset.
func (h *Handlers) requestReset(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if err := h.Passwords.Request(c.Request().Context(), form.Get("email"), h.Guard.ClientIP(c.Request())); err != nil {
		return err
	}
	return h.redirect(c, loginPath, "reset_requested")
}

// newPasswordForm shows GET /konto/nowe-haslo?token=. It does not use the link up: programs
// that check e-mails open addresses, too.
func (h *Handlers) newPasswordForm(c echo.Context) error {
	return h.showNewPassword(c, c.QueryParam("token"), "")
}

func (h *Handlers) showNewPassword(c echo.Context, token, problem string) error {
	v, err := h.visitor(c)
	if err != nil {
		return err
	}
	shown := page{name: "new-password", title: "Ustaw hasło", visitor: v,
		data: formView{Problem: problem, Token: token}}
	err = h.Passwords.CheckLink(c.Request().Context(), token)
	if fault.Is(err, account.CodeInvalidLink) {
		shown.data = formView{Problem: fault.From(err).Message}
		return h.show(c, http.StatusNotFound, shown)
	}
	if err != nil {
		return err
	}
	return h.showForm(c, shown, problem)
}

// setNewPassword answers POST /konto/nowe-haslo.
func (h *Handlers) setNewPassword(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	token, password := form.Get("token"), form.Get("nowe")
	if password != form.Get("powtorzone") {
		return h.showNewPassword(c, token, textTwoPasswords)
	}
	user, err := h.Passwords.Redeem(
		c.Request().Context(),
		token,
		password,
		h.Guard.ClientIP(c.Request()),
		httpx.RequestID(c),
	)
	if text, ok := problemOf(err); ok {
		return h.showNewPassword(c, token, text)
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
	return h.redirect(c, overviewPath, "") // an invitation
}

// sessionsView are a user's sessions with the addresses of their forms.
type sessionsView struct {
	Action   string
	Sessions []account.ListedSession
	Others   bool // there are sessions besides the visitor's own
}

// sessions shows GET /konto/sesje.
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
	return h.show(c, http.StatusOK, page{name: "sessions", title: "Zalogowane przeglądarki", visitor: v, data: view})
}

// endSessions answers POST /konto/sesje.
func (h *Handlers) endSessions(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	current := h.Guard.Sessions.Current(c.Request())
	_, err = h.Sessions.EndOf(c.Request().Context(), v.Actor, v.User, form.Get("sesja"), current)
	if err != nil && !fault.Is(err, account.CodeUnknownSession) { // which has ended by itself
		return err
	}
	return h.redirect(c, sessionsPath, "sessions_ended")
}

// linkView is the page that shows a link, once.
type linkView struct {
	Email     string
	URL       string // empty: it was sent by e-mail
	ExpiresAt time.Time
	Back      string
}

// showLink shows what Invite has returned.
func (h *Handlers) showLink(c echo.Context, v visitor, u account.User, link *account.Link, back string) error {
	view := linkView{Email: u.Email, Back: back}
	if link != nil {
		view.URL, view.ExpiresAt = link.URL, link.ExpiresAt
	}
	return h.show(c, http.StatusOK, page{name: "link", title: "Link do ustawienia hasła", visitor: v, data: view})
}
