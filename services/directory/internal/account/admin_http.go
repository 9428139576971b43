package account

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/httpapi"
)

// The handlers of this file are for administrators: Guard.AsAdmin refuses everyone else.

type companiesResponse struct {
	Success   bool            `json:"success"`
	Companies []company.Found `json:"companies"`
	Next      *string         `json:"next"` // null on the last page
}

// ListCompanies handles GET /api/admin/companies.
func (h *Handlers) ListCompanies(c echo.Context, _ Actor) error {
	after, ok := company.ParsePosition(c.QueryParam("after"))
	if !ok {
		return httpapi.CodeInvalidParameter.Of("after")
	}
	found, more, err := h.Companies.Search(c.Request().Context(), c.QueryParam("search"), after)
	if err != nil {
		return err
	}
	response := companiesResponse{Success: true, Companies: httpapi.OrEmpty(found)}
	if more {
		last := found[len(found)-1]
		response.Next = new(company.Position{Key: last.Key, ID: last.ID}.String())
	}
	return c.JSON(http.StatusOK, response)
}

type companyResponse struct {
	Success bool            `json:"success"`
	Company company.Company `json:"company"`
}

// AddCompany handles POST /api/admin/companies.
func (h *Handlers) AddCompany(c echo.Context, actor Actor) error {
	request, err := httpapi.BindJSON(c, struct {
		Slug string `body:"slug,required"`
		company.Change
	}{})
	if err != nil {
		return err
	}
	added, err := h.Companies.Add(c.Request().Context(), request.Slug, request.Change, actor.Did("company add"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, companyResponse{Success: true, Company: added})
}

// GetCompany handles GET /api/admin/companies/{id}.
func (h *Handlers) GetCompany(c echo.Context, _ Actor) error {
	id, ok := httpapi.PathID(c)
	if !ok {
		return company.CodeNotFound.Fault()
	}
	found, err := h.Companies.ByID(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, companyResponse{Success: true, Company: found})
}

// EditCompany handles POST /api/admin/companies/{id}.
func (h *Handlers) EditCompany(c echo.Context, actor Actor) error {
	id, ok := httpapi.PathID(c)
	if !ok {
		return company.CodeNotFound.Fault()
	}
	change, err := httpapi.BindJSON(c, company.Change{})
	if err != nil {
		return err
	}
	edited, err := h.Companies.Edit(c.Request().Context(), id, change, actor.Did("company edit"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, companyResponse{Success: true, Company: edited})
}

type usersResponse struct {
	Success bool    `json:"success"`
	Users   []User  `json:"users"`
	Next    *string `json:"next"` // null on the last page
}

// ListUsers handles GET /api/admin/users.
func (h *Handlers) ListUsers(c echo.Context, _ Actor) error {
	after, err := httpapi.QueryID(c, "after")
	if err != nil {
		return err
	}
	users, more, err := h.Users.Search(c.Request().Context(), c.QueryParam("search"), after)
	if err != nil {
		return err
	}
	response := usersResponse{Success: true, Users: httpapi.OrEmpty(users)}
	if more {
		response.Next = new(strconv.FormatInt(users[len(users)-1].ID, 10))
	}
	return c.JSON(http.StatusOK, response)
}

// InviteUser handles POST /api/admin/users.
func (h *Handlers) InviteUser(c echo.Context, actor Actor) error {
	request, err := httpapi.BindJSON(c, struct {
		Email     string      `body:"email,required"`
		Name      string      `body:"name"`
		Role      string      `body:"role,required"`
		CompanyID httpapi.Key `body:"company_id"`
	}{})
	if err != nil {
		return err
	}
	role, err := parseRole(request.Role)
	if err != nil {
		return err
	}
	companyID, err := parseCompany(request.CompanyID)
	if err != nil {
		return err
	}
	u := User{Email: request.Email, Name: request.Name, Role: role}
	if idOr0(companyID) != 0 {
		u.CompanyID = companyID
	}
	link, err := h.Passwords.AddUser(c.Request().Context(), actor, &u)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, invitedResponse{userResponse{Success: true, User: u}, link})
}

func parseRole(name string) (Role, error) {
	role, err := ParseRole(name)
	if err != nil {
		return 0, httpapi.CodeInvalidField.Of("role")
	}
	return role, nil
}

// parseCompany reads the field company_id: nil if it is left out, 0 for no company.
func parseCompany(key httpapi.Key) (*int64, error) {
	if key == "" {
		return nil, nil
	}
	id, err := strconv.ParseInt(string(key), 10, 64)
	if err != nil || id < 0 {
		return nil, httpapi.CodeInvalidField.Of("company_id")
	}
	return &id, nil
}

// userOf returns the user whom the path names, or CodeNoUser.
func (h *Handlers) userOf(c echo.Context) (User, error) {
	id, ok := httpapi.PathID(c)
	if !ok {
		return User{}, CodeNoUser.Fault()
	}
	return h.Users.ByID(c.Request().Context(), id)
}

// GetUser handles GET /api/admin/users/{id}.
func (h *Handlers) GetUser(c echo.Context, _ Actor) error {
	u, err := h.userOf(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, userResponse{Success: true, User: u})
}

// EditUser handles POST /api/admin/users/{id}.
func (h *Handlers) EditUser(c echo.Context, actor Actor) error {
	id, ok := httpapi.PathID(c)
	if !ok {
		return CodeNoUser.Fault()
	}
	request, err := httpapi.BindJSON(c, struct {
		Name      *string     `body:"name"`
		Role      *string     `body:"role"`
		CompanyID httpapi.Key `body:"company_id"`
		Disabled  *bool       `body:"disabled"`
	}{})
	if err != nil {
		return err
	}
	change := UserChange{Name: request.Name, Disabled: request.Disabled}
	if request.Role != nil {
		role, err := parseRole(*request.Role)
		if err != nil {
			return err
		}
		change.Role = &role
	}
	if change.CompanyID, err = parseCompany(request.CompanyID); err != nil {
		return err
	}
	u, err := h.Users.Edit(c.Request().Context(), id, change, actor)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, userResponse{Success: true, User: u})
}

// ResetLink handles POST /api/admin/users/{id}/reset-link.
func (h *Handlers) ResetLink(c echo.Context, actor Actor) error {
	u, err := h.userOf(c)
	if err != nil {
		return err
	}
	link, err := h.Passwords.Invite(c.Request().Context(), actor, u)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Success bool  `json:"success"`
		Link    *Link `json:"link"` // null if it was sent by e-mail
	}{true, link})
}

// ListSessionsOf handles GET /api/admin/users/{id}/sessions.
func (h *Handlers) ListSessionsOf(c echo.Context, _ Actor) error {
	u, err := h.userOf(c)
	if err != nil {
		return err
	}
	return h.listSessions(c, u, "")
}

// EndSessionsOf handles POST /api/admin/users/{id}/sessions/end.
func (h *Handlers) EndSessionsOf(c echo.Context, actor Actor) error {
	u, err := h.userOf(c)
	if err != nil {
		return err
	}
	return h.endSessions(c, actor, u, "")
}
