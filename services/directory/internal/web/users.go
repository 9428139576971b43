package web

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

// roleTexts are the roles as forms offer them, ascending.
var roleTexts = []struct {
	Role account.Role
	Text string
}{
	{account.Unaffiliated, "Bez uprawnień"}, {account.Member, "Członek"}, {account.Employee, "Pracownik"},
	{account.Manager, "Kierownik"}, {account.OfficeManager, "Kierownik biura"}, {account.Admin, "Administrator"},
}

// usersView is the list of the users, with the form for a new one.
type usersView struct {
	Search string
	Found  []userView
	More   string // address of the next page; empty: there is none
	Later  bool   // this is not the first page
	New    userView
}

// userView is a user of a list, or in a form.
type userView struct {
	account.User
	Action    string // its forms are below it
	State     grade
	RoleText  string
	Slug      string // of the company; empty: none
	Roles     any
	Companies []company.Found // to choose from
	Sessions  []account.ListedSession
	Problem   string // Polish; empty: none
}

// Ending are the user's sessions with the address where they are ended.
func (u userView) Ending() sessionsView {
	return sessionsView{Action: u.Action + "/sesje", Sessions: u.Sessions}
}

func userPath(id int64) string { return usersPath + "/" + strconv.FormatInt(id, 10) }

func newUserView(u account.User, slug string) userView {
	view := userView{User: u, Action: userPath(u.ID), Slug: slug, Roles: roleTexts}
	for _, role := range roleTexts {
		if role.Role == u.Role {
			view.RoleText = role.Text
		}
	}
	switch {
	case u.DisabledAt != nil:
		view.State = grade{Text: "Wyłączone"}
	case u.PasswordHash == "":
		view.State = grade{"Zaproszono", site.Warning}
	default:
		view.State = grade{"Aktywne", site.Good}
	}
	return view
}

// asAdmin admits administrators to next.
func (h *Handlers) asAdmin(next func(echo.Context, visitor) error) echo.HandlerFunc {
	return h.asUser(func(c echo.Context, v visitor) error {
		if err := v.Administers(); err != nil {
			return err
		}
		return next(c, v)
	})
}

// users shows GET /konto/uzytkownicy?szukaj=&za=&firma=; firma is the slug in the invitation.
func (h *Handlers) users(c echo.Context, v visitor) error {
	return h.showUsers(c, v, userView{User: account.User{Role: account.Member}, Slug: c.QueryParam("firma")})
}

func (h *Handlers) showUsers(c echo.Context, v visitor, added userView) error {
	after, _ := strconv.ParseInt(c.QueryParam("za"), 10, 64) // what is no number is the beginning
	view := usersView{Search: c.QueryParam("szukaj"), Later: after > 0, New: added}
	view.New.Roles = roleTexts
	var err error
	if view.New.Companies, err = h.Companies.Choice(c.Request().Context()); err != nil {
		return err
	}
	users, more, err := h.Users.Search(c.Request().Context(), view.Search, max(after, 0))
	if err != nil {
		return err
	}
	slugs := map[int64]string{}
	for _, u := range users {
		slug, err := h.slugOf(c.Request().Context(), u.CompanyID, slugs)
		if err != nil {
			return err
		}
		view.Found = append(view.Found, newUserView(u, slug))
	}
	if more {
		view.More = usersPath + "?" + url.Values{
			"szukaj": {view.Search},
			"za":     {strconv.FormatInt(users[len(users)-1].ID, 10)},
		}.Encode()
	}
	return h.showForm(c, page{name: "users", title: "Użytkownicy", visitor: v, data: view}, added.Problem)
}

// slugOf returns the slug of a company, which it keeps in known.
func (h *Handlers) slugOf(ctx context.Context, id *int64, known map[int64]string) (string, error) {
	if id == nil {
		return "", nil
	}
	if slug, ok := known[*id]; ok {
		return slug, nil
	}
	c, err := h.Companies.ByID(ctx, *id)
	if err != nil {
		return "", err
	}
	known[*id] = c.Slug
	return c.Slug, nil
}

// readUser reads the fields of a user from a form.
func (h *Handlers) readUser(ctx context.Context, form url.Values) (u account.User, err error) {
	u = account.User{Email: form.Get("email"), Name: form.Get("nazwa")}
	if u.Role, err = account.ParseRole(form.Get("rola")); err != nil {
		return u, httpapi.CodeInvalidField.Of("rola")
	}
	slug := strings.TrimSpace(form.Get("firma"))
	if slug == "" {
		return u, nil
	}
	c, err := h.Companies.BySlug(ctx, slug)
	u.CompanyID = &c.ID
	return u, err
}

// textNoCompany is the problem of a slug that no company has.
const textNoCompany = "Nie ma takiej firmy. Wybierz firmę z listy."

// problemOfUser is problemOf, with a text for a company that does not exist.
func problemOfUser(err error) (text string, ok bool) {
	if fault.Is(err, company.CodeNotFound) {
		return textNoCompany, true
	}
	return problemOf(err)
}

// inviteUser answers POST /konto/uzytkownicy.
func (h *Handlers) inviteUser(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	u, err := h.readUser(ctx, form)
	var link *account.Link
	if err == nil {
		link, err = h.Passwords.AddUser(ctx, v.Actor, &u)
	}
	if text, ok := problemOfUser(err); ok {
		return h.showUsers(c, v, userView{User: u, Slug: form.Get("firma"), Problem: text})
	}
	if err != nil {
		return err
	}
	return h.showLink(c, v, u, link, userPath(u.ID))
}

// onUser admits administrators to a page of one user.
func (h *Handlers) onUser(next func(echo.Context, visitor, account.User) error) echo.HandlerFunc {
	return h.asAdmin(func(c echo.Context, v visitor) error {
		id, ok := httpapi.PathID(c)
		if !ok {
			return account.CodeNoUser.Fault()
		}
		u, err := h.Users.ByID(c.Request().Context(), id)
		if err != nil {
			return err
		}
		return next(c, v, u)
	})
}

// user shows GET /konto/uzytkownicy/{id}.
func (h *Handlers) user(c echo.Context, v visitor, u account.User) error {
	slug, err := h.slugOf(c.Request().Context(), u.CompanyID, map[int64]string{})
	if err != nil {
		return err
	}
	return h.showUser(c, v, newUserView(u, slug))
}

func (h *Handlers) showUser(c echo.Context, v visitor, view userView) error {
	sessions, err := h.Sessions.Of(c.Request().Context(), view.ID)
	if err != nil {
		return err
	}
	view.Sessions = account.Listed(sessions, "")
	if view.Companies, err = h.Companies.Choice(c.Request().Context()); err != nil {
		return err
	}
	return h.showForm(c, page{name: "user", title: view.Email, visitor: v, data: view}, view.Problem)
}

// editUser answers POST /konto/uzytkownicy/{id}.
func (h *Handlers) editUser(c echo.Context, v visitor, u account.User) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	wanted, err := h.readUser(ctx, form)
	if err == nil {
		companyID := int64(0)
		if wanted.CompanyID != nil {
			companyID = *wanted.CompanyID
		}
		change := account.UserChange{
			Name:      &wanted.Name,
			Role:      &wanted.Role,
			CompanyID: &companyID,
			Disabled:  new(form.Get("wylaczone") != ""),
		}
		_, err = h.Users.Edit(ctx, u.ID, change, v.Actor)
	}
	if text, ok := problemOfUser(err); ok {
		view := newUserView(u, form.Get("firma"))
		view.Name = wanted.Name
		view.Role = wanted.Role
		view.Problem = text
		return h.showUser(c, v, view)
	}
	if err != nil {
		return err
	}
	return h.redirect(c, userPath(u.ID), "user_changed")
}

// endUserSessions answers POST /konto/uzytkownicy/{id}/sesje.
func (h *Handlers) endUserSessions(c echo.Context, v visitor, u account.User) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	_, err = h.Sessions.EndOf(c.Request().Context(), v.Actor, u, form.Get("sesja"), "")
	if err != nil && !fault.Is(err, account.CodeUnknownSession) {
		return err
	}
	return h.redirect(c, userPath(u.ID), "sessions_ended")
}

// linkUser answers POST /konto/uzytkownicy/{id}/link.
func (h *Handlers) linkUser(c echo.Context, v visitor, u account.User) error {
	link, err := h.Passwords.Invite(c.Request().Context(), v.Actor, u)
	if err != nil {
		return err
	}
	return h.showLink(c, v, u, link, userPath(u.ID))
}

// deleteUser answers POST /konto/uzytkownicy/{id}/usun.
func (h *Handlers) deleteUser(c echo.Context, v visitor, u account.User) error {
	if err := h.Erasures.User(c.Request().Context(), v.Actor, u); err != nil {
		return h.refused(c, userPath(u.ID), err)
	}
	return h.redirect(c, usersPath, "user_deleted")
}
