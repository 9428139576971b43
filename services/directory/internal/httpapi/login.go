package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/internal/kit/fault"
)

type loginRequest struct {
	Email    string `body:"email,required"`
	Password string `body:"password,required"`
}

type meResponse struct {
	Success     bool         `json:"success"`
	User        userBody     `json:"user"`
	Company     *companyBody `json:"company"`
	Permissions permissions  `json:"permissions"`
}

type userBody struct {
	ID    int64  `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
	Role  string `json:"role"`
}

type companyBody struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
}

type permissions struct {
	EditCompany      bool `json:"can_edit_company"`
	AccessAdminPanel bool `json:"can_access_admin_panel"`
	ModerateForum    bool `json:"can_moderate_forum"`
}

// Login answers POST /api/auth/login.
func (a *API) Login(c echo.Context) error {
	request, err := BindJSON(c, loginRequest{})
	if err != nil {
		return err
	}
	user, err := a.Logins.Login(c.Request().Context(), request.Email, request.Password, a.Guard.ClientIP(c.Request()))
	if err != nil {
		return err
	}
	answer, err := a.describe(c.Request().Context(), user)
	if err != nil {
		return err
	}
	if err := a.Guard.Sessions.Begin(c.Response(), c.Request(), user.ID); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answer)
}

// Logout answers POST /api/auth/logout.
func (a *API) Logout(c echo.Context) error {
	if err := a.Guard.Sessions.End(c.Response(), c.Request()); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, Done{Success: true, Message: "Wylogowanie powiodło się."})
}

// Me answers GET /api/auth/me.
func (a *API) Me(c echo.Context, actor account.Actor) error {
	answer, err := a.describe(c.Request().Context(), actor.User)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answer)
}

func (a *API) describe(ctx context.Context, user account.User) (meResponse, error) {
	answer := meResponse{
		Success: true,
		User:    userBody{ID: user.ID, Email: user.Email, Name: user.Name, Role: user.Role.String()},
		Permissions: permissions{
			AccessAdminPanel: user.CanAccessAdminPanel(), ModerateForum: user.CanModerateForum(),
		},
	}
	if user.CompanyID == nil {
		return answer, nil
	}
	found, err := a.Company(ctx, *user.CompanyID)
	if fault.Is(err, company.CodeNotFound) {
		return answer, nil
	}
	answer.Company = &companyBody{ID: found.ID, Name: found.Name, Slug: found.Slug}
	answer.Permissions.EditCompany = user.CanEditCompany(found.ID)
	return answer, err
}
