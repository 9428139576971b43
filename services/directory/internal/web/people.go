package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// peopleView lists the people of the visitor's company, with the form for a new one.
type peopleView struct {
	Company string
	Found   []personView
	New     userView
}

// personView is a person of the list.
type personView struct {
	userView
	Removable bool
}

// people shows GET /konto/osoby.
func (h *Handlers) people(c echo.Context, v visitor) error {
	return h.showPeople(c, v, userView{User: account.User{Role: account.Member}})
}

func (h *Handlers) showPeople(c echo.Context, v visitor, added userView) error {
	ctx := c.Request().Context()
	users, err := h.Users.Colleagues(ctx, v.Actor)
	if err != nil {
		return err
	}
	own, err := h.Companies.ByID(ctx, *v.User.CompanyID)
	if err != nil {
		return err
	}
	view := peopleView{Company: own.Name, New: added}
	for _, u := range users {
		view.Found = append(view.Found, personView{newUserView(u, ""), u.Role < v.User.Role})
	}
	below := roleTexts[:0:0]
	for _, role := range roleTexts {
		if role.Role < v.User.Role && role.Role > account.Unaffiliated {
			below = append(below, role)
		}
	}
	view.New.Roles = below
	return h.showForm(c, page{name: "people", title: "Osoby", visitor: v, data: view}, added.Problem)
}

// invitePerson answers POST /konto/osoby.
func (h *Handlers) invitePerson(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	u := account.User{Email: form.Get("email"), Name: form.Get("nazwa")}
	var link *account.Link
	if u.Role, err = account.ParseRole(form.Get("rola")); err == nil {
		link, err = h.Passwords.InviteColleague(c.Request().Context(), v.Actor, &u)
	} else {
		err = httpapi.CodeInvalidField.Of("rola")
	}
	if text, ok := problemOf(err); ok {
		return h.showPeople(c, v, userView{User: u, Problem: text})
	}
	if err != nil {
		return h.refused(c, peoplePath, err)
	}
	return h.showLink(c, v, u, link, peoplePath)
}

// removePerson answers POST /konto/osoby/{id}/usun.
func (h *Handlers) removePerson(c echo.Context, v visitor) error {
	id, ok := httpapi.PathID(c)
	if !ok {
		return account.CodeNoUser.Fault()
	}
	if err := h.Users.RemoveColleague(c.Request().Context(), v.Actor, id); err != nil {
		return h.refused(c, peoplePath, err)
	}
	return h.redirect(c, peoplePath, "person_removed")
}

// ownView are the visitor's own data in their forms.
type ownView struct {
	Name, Email       string // as they are
	NewName, NewEmail string // as they were typed
	Problem           string // of the form of the e-mail address
	NameProblem       string
	Mails             bool
	Notified          bool // gets e-mails about the company
}

// own shows GET /konto/dane.
func (h *Handlers) own(c echo.Context, v visitor) error { return h.showOwn(c, v, ownView{}) }

func (h *Handlers) showOwn(c echo.Context, v visitor, view ownView) error {
	view.Name = v.User.Name
	view.Email = v.User.Email
	view.Mails, view.Notified = h.Passwords.Mails(), !v.User.Silent
	if view.NameProblem == "" {
		view.NewName = view.Name
	}
	return h.showForm(c, page{name: "own", title: "Twoje dane", visitor: v, data: view}, view.Problem+view.NameProblem)
}

// rename answers POST /konto/dane.
func (h *Handlers) rename(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	err = h.Users.Rename(c.Request().Context(), v.Actor, form.Get("nazwa"))
	if text, ok := problemOf(err); ok {
		return h.showOwn(c, v, ownView{NewName: form.Get("nazwa"), NameProblem: text})
	}
	if err != nil {
		return err
	}
	return h.redirect(c, profilePath, "user_changed")
}

// silence answers POST /konto/dane/powiadomienia.
func (h *Handlers) silence(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if err := h.Users.Silence(c.Request().Context(), v.Actor, form.Get("wysylaj") == ""); err != nil {
		return err
	}
	return h.redirect(c, profilePath, "user_changed")
}

// requestEmail answers POST /konto/dane/adres.
func (h *Handlers) requestEmail(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	address := h.Guard.ClientIP(c.Request())
	err = h.Passwords.RequestEmail(c.Request().Context(), v.Actor, form.Get("email"), form.Get("obecne"), address)
	if text, ok := problemOf(err); ok {
		return h.showOwn(c, v, ownView{NewEmail: form.Get("email"), Problem: text})
	}
	if err != nil {
		return err
	}
	return h.redirect(c, profilePath, "email_requested")
}

// newEmailForm shows GET /konto/nowy-adres?token=. It does not use the link up: programs that
// check e-mails open addresses, too.
func (h *Handlers) newEmailForm(c echo.Context) error {
	v, err := h.visitor(c)
	if err != nil {
		return err
	}
	shown := page{name: "new-email", title: "Nowy adres e-mail", visitor: v,
		data: formView{Token: c.QueryParam("token")}}
	return h.show(c, http.StatusOK, shown)
}

// confirmEmail answers POST /konto/nowy-adres.
func (h *Handlers) confirmEmail(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	v, err := h.visitor(c)
	if err != nil {
		return err
	}
	err = h.Passwords.ConfirmEmail(c.Request().Context(), form.Get("token"), httpx.RequestID(c))
	if fault.From(err) != nil && fault.From(err).Kind == fault.Invalid {
		shown := page{
			name:    "new-email",
			title:   "Nowy adres e-mail",
			visitor: v,
			data:    formView{Problem: fault.From(err).Message},
		}
		return h.show(c, http.StatusNotFound, shown)
	}
	if err != nil {
		return err
	}
	if v.LoggedIn {
		return h.redirect(c, profilePath, "email_changed")
	}
	return h.redirect(c, loginPath, "email_changed")
}
