package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/httpx"
)

type colleaguesResponse struct {
	Success bool   `json:"success"`
	Users   []User `json:"users"`
}

// ListColleagues handles GET /api/company/users.
func (h *Handlers) ListColleagues(c echo.Context, actor Actor) error {
	users, err := h.Users.Colleagues(c.Request().Context(), actor)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, colleaguesResponse{Success: true, Users: httpapi.OrEmpty(users)})
}

type userResponse struct {
	Success bool `json:"success"`
	User    User `json:"user"`
}

type invitedResponse struct {
	userResponse
	Link *Link `json:"link"` // null if it was sent by e-mail
}

// InviteColleague handles POST /api/company/users.
func (h *Handlers) InviteColleague(c echo.Context, actor Actor) error {
	request, err := httpapi.BindJSON(c, struct {
		Email string `body:"email,required"`
		Name  string `body:"name"`
		Role  string `body:"role,required"`
	}{})
	if err != nil {
		return err
	}
	role, err := parseRole(request.Role)
	if err != nil {
		return err
	}
	u := User{Email: request.Email, Name: request.Name, Role: role}
	link, err := h.Passwords.InviteColleague(c.Request().Context(), actor, &u)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, invitedResponse{userResponse{Success: true, User: u}, link})
}

// RemoveColleague handles POST /api/company/users/{id}/remove.
func (h *Handlers) RemoveColleague(c echo.Context, actor Actor) error {
	id, ok := httpapi.PathID(c)
	if !ok {
		return CodeNoUser.Fault()
	}
	if err := h.Users.RemoveColleague(c.Request().Context(), actor, id); err != nil {
		return err
	}
	return done(c, "Ta osoba nie ma już dostępu do firmy.")
}

// ChangeProfile handles POST /api/auth/profile.
func (h *Handlers) ChangeProfile(c echo.Context, actor Actor) error {
	request, err := httpapi.BindJSON(c, struct {
		Name *string `body:"name,required"`
	}{})
	if err != nil {
		return err
	}
	if err := h.Users.Rename(c.Request().Context(), actor, *request.Name); err != nil {
		return err
	}
	return done(c, "Dane zostały zmienione.")
}

// TextEmailRequested is the response to a request for a new e-mail address.
const TextEmailRequested = "Wysłaliśmy link na nowy adres. Adres zmieni się, gdy otworzysz ten link."

// RequestEmail handles POST /api/auth/email.
func (h *Handlers) RequestEmail(c echo.Context, actor Actor) error {
	request, err := httpapi.BindJSON(c, struct {
		Email    string `body:"email,required"`
		Password string `body:"password,required"`
	}{})
	if err != nil {
		return err
	}
	address := h.Guard.ClientIP(c.Request())
	err = h.Passwords.RequestEmail(c.Request().Context(), actor, request.Email, request.Password, address)
	if err != nil {
		return err
	}
	return done(c, TextEmailRequested)
}

// ConfirmEmail handles POST /api/auth/email/confirm.
func (h *Handlers) ConfirmEmail(c echo.Context) error {
	request, err := httpapi.BindJSON(c, struct {
		Token string `body:"token,required"`
	}{})
	if err != nil {
		return err
	}
	if err := h.Passwords.ConfirmEmail(c.Request().Context(), request.Token, httpx.RequestID(c)); err != nil {
		return err
	}
	return done(c, "Adres e-mail został zmieniony.")
}
