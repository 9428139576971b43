package web

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

type roleText struct {
	Role account.Role
	Text string
}

// roleTexts are all roles, ascending.
var roleTexts = []roleText{
	{account.Unaffiliated, "Bez uprawnień"}, {account.Member, "Członek"}, {account.Employee, "Pracownik"},
	{account.Manager, "Kierownik"}, {account.OfficeManager, "Kierownik biura"}, {account.Admin, "Administrator"},
}

type peopleView struct {
	Company string // whose people are listed; empty for all users
	Search  string
	Found   []personView
	More    string // address of the next page, if any
	Later   bool   // this is not the first page
	New     personView
}

type personView struct {
	account.User
	Action    string // its forms are below it
	State     grade
	RoleText  string
	Removable bool   // by the visitor, from the company
	Slug      string // of the company, if any
	Roles     []roleText
	Companies []company.Found // to choose from
	Sessions  []account.ListedSession
	Problem   string // Polish; may be empty
}

// Ending are the user's sessions with the address where they are ended.
func (u personView) Ending() sessionsView {
	return sessionsView{Action: u.Action + "/sesje", Sessions: u.Sessions}
}

func userPath(id int64) string { return fmt.Sprint(usersPath, "/", id) }

// personOf shows a user. slugs are those of companies, by id.
func personOf(u account.User, slugs map[int64]string) personView {
	view := personView{User: u, Action: userPath(u.ID), State: grade{"Aktywne", site.Good}, Roles: roleTexts}
	if i := slices.IndexFunc(roleTexts, func(r roleText) bool { return r.Role == u.Role }); i >= 0 {
		view.RoleText = roleTexts[i].Text
	}
	if u.CompanyID != nil {
		view.Slug = slugs[*u.CompanyID]
	}
	switch {
	case u.DisabledAt != nil:
		view.State = grade{Text: "Wyłączone"}
	case u.PasswordHash == "":
		view.State = grade{"Zaproszono", site.Warning}
	}
	return view
}

func (h *Handlers) personIn(ctx context.Context, form url.Values) (u account.User, err error) {
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

func (h *Handlers) invite(
	c echo.Context, v visitor, add func(context.Context, account.Actor, *account.User) (*account.Link, error),
) (u account.User, link *account.Link, err error) {
	u, err = h.personIn(c.Request().Context(), c.Request().PostForm)
	if err != nil {
		return u, nil, err
	}
	link, err = add(c.Request().Context(), v.Actor, &u)
	return u, link, err
}

func personProblem(err error) string {
	if fault.Is(err, company.CodeNotFound) {
		return "Nie ma takiej firmy. Wybierz firmę z listy."
	}
	return problemOf(err)
}

func (h *Handlers) people(c echo.Context, v visitor) error {
	return h.showPeople(c, v, personView{User: account.User{Role: account.Member}})
}

func (h *Handlers) showPeople(c echo.Context, v visitor, added personView) error {
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
		person := personOf(u, nil)
		person.Removable = u.Role < v.User.Role
		view.Found = append(view.Found, person)
	}
	for _, role := range roleTexts {
		if role.Role < v.User.Role && role.Role > account.Unaffiliated {
			view.New.Roles = append(view.New.Roles, role)
		}
	}
	return h.showForm(c, v, "people", "Osoby", view, added.Problem)
}

func (h *Handlers) invitePerson(c echo.Context, v visitor) error {
	u, link, err := h.invite(c, v, h.Passwords.InviteColleague)
	if problem := personProblem(err); problem != "" {
		return h.showPeople(c, v, personView{User: u, Problem: problem})
	}
	if err != nil {
		return h.refused(c, peoplePath, err)
	}
	return h.showLink(c, v, u, link, peoplePath)
}

func (h *Handlers) removePerson(c echo.Context, v visitor) error {
	id, ok := httpapi.PathID(c)
	if !ok {
		return account.CodeNoUser.Fault()
	}
	err := h.Users.RemoveColleague(c.Request().Context(), v.Actor, id)
	return h.finishAt(c, peoplePath, "person_removed", err)
}

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
	return h.showUsers(c, v, personView{User: account.User{Role: account.Member}, Slug: c.QueryParam("firma")})
}

func (h *Handlers) showUsers(c echo.Context, v visitor, added personView) error {
	ctx := c.Request().Context()
	after, _ := strconv.ParseInt(c.QueryParam("za"), 10, 64) // what is no number is the beginning
	added.Roles = roleTexts
	view := peopleView{Search: c.QueryParam("szukaj"), Later: after > 0, New: added}
	users, more, err := h.Users.Search(ctx, view.Search, max(after, 0))
	if err != nil {
		return err
	}
	if view.New.Companies, err = h.Companies.Choice(ctx); err != nil {
		return err
	}
	slugs, err := h.slugsOf(ctx, users...)
	if err != nil {
		return err
	}
	for _, u := range users {
		view.Found = append(view.Found, personOf(u, slugs))
	}
	if more {
		last := fmt.Sprint(users[len(users)-1].ID)
		view.More = usersPath + "?" + url.Values{"szukaj": {view.Search}, "za": {last}}.Encode()
	}
	return h.showForm(c, v, "users", "Użytkownicy", view, added.Problem)
}

func (h *Handlers) slugsOf(ctx context.Context, users ...account.User) (map[int64]string, error) {
	var ids []int64
	for _, u := range users {
		if u.CompanyID != nil {
			ids = append(ids, *u.CompanyID)
		}
	}
	found, err := h.Companies.Numbered(ctx, ids)
	slugs := make(map[int64]string, len(found))
	for _, c := range found {
		slugs[c.ID] = c.Slug
	}
	return slugs, err
}

func (h *Handlers) inviteUser(c echo.Context, v visitor) error {
	u, link, err := h.invite(c, v, h.Passwords.AddUser)
	if problem := personProblem(err); problem != "" {
		slug := c.Request().PostForm.Get("firma")
		return h.showUsers(c, v, personView{User: u, Slug: slug, Problem: problem})
	}
	if err != nil {
		return err
	}
	return h.showLink(c, v, u, link, userPath(u.ID))
}

func (h *Handlers) onUser(next func(echo.Context, visitor, account.User) error) echo.HandlerFunc {
	return onRow(h, account.CodeNoUser, h.Users.ByID, next)
}

// onRow admits administrators to next, with what read returns for the id in the path.
func onRow[T any](
	h *Handlers, missing fault.Code, read func(context.Context, int64) (T, error),
	next func(echo.Context, visitor, T) error,
) echo.HandlerFunc {
	return h.asAdmin(func(c echo.Context, v visitor) error {
		id, ok := httpapi.PathID(c)
		if !ok {
			return missing.Fault()
		}
		row, err := read(c.Request().Context(), id)
		if err != nil {
			return err
		}
		return next(c, v, row)
	})
}

func (h *Handlers) user(c echo.Context, v visitor, u account.User) error {
	slugs, err := h.slugsOf(c.Request().Context(), u)
	if err != nil {
		return err
	}
	return h.showUser(c, v, personOf(u, slugs))
}

func (h *Handlers) showUser(c echo.Context, v visitor, view personView) error {
	sessions, err := h.Sessions.Of(c.Request().Context(), view.ID)
	if err != nil {
		return err
	}
	view.Sessions = account.Listed(sessions, "")
	if view.Companies, err = h.Companies.Choice(c.Request().Context()); err != nil {
		return err
	}
	return h.showForm(c, v, "user", view.Email, view, view.Problem)
}

func (h *Handlers) editUser(c echo.Context, v visitor, u account.User) error {
	form := c.Request().PostForm
	wanted, err := h.changePerson(c.Request().Context(), v, u.ID, form)
	if problem := personProblem(err); problem != "" {
		view := personOf(u, nil)
		view.Name, view.Role = wanted.Name, wanted.Role
		view.Slug, view.Problem = form.Get("firma"), problem
		return h.showUser(c, v, view)
	}
	if err != nil {
		return err
	}
	return h.redirect(c, userPath(u.ID), "user_changed")
}

// changePerson returns the person of a form also if the change is refused.
func (h *Handlers) changePerson(ctx context.Context, v visitor, id int64, form url.Values) (account.User, error) {
	wanted, err := h.personIn(ctx, form)
	if err != nil {
		return wanted, err
	}
	_, err = h.Users.Edit(ctx, id, account.UserChange{
		Name: &wanted.Name, Role: &wanted.Role, CompanyID: cmp.Or(wanted.CompanyID, new(int64)),
		Disabled: new(form.Get("wylaczone") != ""),
	}, v.Actor)
	return wanted, err
}

func (h *Handlers) endUserSessions(c echo.Context, v visitor, u account.User) error {
	return h.endSessionsOf(c, v, u, "", userPath(u.ID))
}

func (h *Handlers) linkUser(c echo.Context, v visitor, u account.User) error {
	link, err := h.Passwords.Invite(c.Request().Context(), v.Actor, u)
	if err != nil {
		return err
	}
	return h.showLink(c, v, u, link, userPath(u.ID))
}

func (h *Handlers) deleteUser(c echo.Context, v visitor, u account.User) error {
	if err := h.Erasures.User(c.Request().Context(), v.Actor, u); err != nil {
		return h.refused(c, userPath(u.ID), err)
	}
	return h.redirect(c, usersPath, "user_deleted")
}
