package account

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// Guard checks requests before handlers run.
type Guard struct {
	Sessions    *Sessions
	CrossOrigin http.CrossOriginProtection
	Log         *slog.Logger
}

// ClientIP is that of Sessions.
func (g *Guard) ClientIP(r *http.Request) string { return g.Sessions.ClientIP(r) }

// logRefusal logs a request that was refused for lack of rights; user is 0 for a visitor.
func (g *Guard) logRefusal(c echo.Context, user int64, err error) {
	g.Log.WarnContext(c.Request().Context(), "request refused", "method", c.Request().Method, "route", c.Path(),
		"user", user, "client", g.ClientIP(c.Request()), "reason", err, "request_id", httpx.RequestID(c))
}

// Actor returns the user of the request's session, or CodeNotLoggedIn with an actor without a user.
func (g *Guard) Actor(c echo.Context) (Actor, error) {
	actor := Actor{RequestID: httpx.RequestID(c)}
	user, err := g.Sessions.User(c.Request())
	if err != nil {
		return actor, err
	}
	if user == nil {
		return actor, CodeNotLoggedIn.Fault()
	}
	actor.User = *user
	return actor, nil
}

// SameSite rejects requests of pages of other sites, with text.
func (g *Guard) SameSite(text string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := g.CrossOrigin.Check(c.Request()); err != nil {
				refused := CodeOtherSite.Wrap(err)
				refused.Message = text
				g.logRefusal(c, 0, refused)
				return refused
			}
			return next(c)
		}
	}
}

// AsUser requires a login.
func (g *Guard) AsUser(next func(echo.Context, Actor) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		actor, err := g.Actor(c)
		if err != nil {
			return err
		}
		err = next(c, actor)
		if err != nil && fault.From(err).Kind == fault.Forbidden {
			g.logRefusal(c, actor.User.ID, err)
		}
		return err
	}
}

// AsAdmin requires the login of an administrator.
func (g *Guard) AsAdmin(next func(echo.Context, Actor) error) echo.HandlerFunc {
	return g.AsUser(func(c echo.Context, actor Actor) error {
		if err := actor.Administers(); err != nil {
			return err
		}
		return next(c, actor)
	})
}

// Handlers serve the API of logins, passwords and the user's own sessions.
type Handlers struct {
	Guard     *Guard
	Logins    *Logins
	Passwords *Passwords
	Users     *Users
	Companies *company.Companies
}

func done(c echo.Context, message string) error {
	return c.JSON(http.StatusOK, httpapi.Done{Success: true, Message: message})
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
	Role  Role   `json:"role"`
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

// Login handles POST /api/auth/login.
func (h *Handlers) Login(c echo.Context) error {
	request, err := httpapi.BindJSON(c, struct {
		Email    string `body:"email,required"`
		Password string `body:"password,required"`
	}{})
	if err != nil {
		return err
	}
	user, err := h.Logins.Login(c.Request().Context(), request.Email, request.Password, h.Guard.ClientIP(c.Request()))
	if err != nil {
		return err
	}
	answer, err := h.describe(c.Request().Context(), user)
	if err != nil {
		return err
	}
	if err := h.Guard.Sessions.Begin(c.Response(), c.Request(), user.ID); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answer)
}

// Logout handles POST /api/auth/logout.
func (h *Handlers) Logout(c echo.Context) error {
	if err := h.Guard.Sessions.End(c.Response(), c.Request()); err != nil {
		return err
	}
	return done(c, "Wylogowanie powiodło się.")
}

// Me handles GET /api/auth/me.
func (h *Handlers) Me(c echo.Context, actor Actor) error {
	answer, err := h.describe(c.Request().Context(), actor.User)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answer)
}

func (h *Handlers) describe(ctx context.Context, user User) (meResponse, error) {
	answer := meResponse{
		Success: true,
		User:    userBody{ID: user.ID, Email: user.Email, Name: user.Name, Role: user.Role},
		Permissions: permissions{
			AccessAdminPanel: user.CanAccessAdminPanel(), ModerateForum: user.CanModerateForum(),
		},
	}
	if user.CompanyID == nil {
		return answer, nil
	}
	found, err := h.Companies.ByID(ctx, *user.CompanyID)
	if fault.Is(err, company.CodeNotFound) {
		return answer, nil
	}
	answer.Company = &companyBody{ID: found.ID, Name: found.Name, Slug: found.Slug}
	answer.Permissions.EditCompany = user.CanEditCompany(found.ID)
	return answer, err
}

// ChangePassword handles POST /api/auth/password. The browser gets a new session.
func (h *Handlers) ChangePassword(c echo.Context, actor Actor) error {
	request, err := httpapi.BindJSON(c, struct {
		Old string `body:"old_password,required"`
		New string `body:"new_password,required"`
	}{})
	if err != nil {
		return err
	}
	err = h.Passwords.Change(c.Request().Context(), actor, request.Old, request.New, h.Guard.ClientIP(c.Request()))
	if err != nil {
		return err
	}
	if err := h.Guard.Sessions.Begin(c.Response(), c.Request(), actor.User.ID); err != nil {
		return err
	}
	return done(c, "Hasło zostało zmienione. Inne sesje zostały zakończone.")
}

// RequestReset handles POST /api/auth/reset.
func (h *Handlers) RequestReset(c echo.Context) error {
	request, err := httpapi.BindJSON(c, struct {
		Email string `body:"email,required"`
	}{})
	if err != nil {
		return err
	}
	if err := h.Passwords.Request(c.Request().Context(), request.Email, h.Guard.ClientIP(c.Request())); err != nil {
		return err
	}
	return done(c, TextRequested)
}

// TextRequested answers each request for a link.
const TextRequested = "Jeżeli istnieje konto o tym adresie, wyślemy na nie link do ustawienia nowego hasła."

// ConfirmReset handles POST /api/auth/reset/confirm. An invitation logs its user in.
func (h *Handlers) ConfirmReset(c echo.Context) error {
	request, err := httpapi.BindJSON(c, struct {
		Token    string `body:"token,required"`
		Password string `body:"new_password,required"`
	}{})
	if err != nil {
		return err
	}
	address, id := h.Guard.ClientIP(c.Request()), httpx.RequestID(c)
	user, err := h.Passwords.Redeem(c.Request().Context(), request.Token, request.Password, address, id)
	if err != nil {
		return err
	}
	if user.PasswordHash != "" {
		return done(c, "Hasło zostało ustawione. Możesz się zalogować.")
	}
	if err := h.Guard.Sessions.Begin(c.Response(), c.Request(), user.ID); err != nil {
		return err
	}
	return done(c, "Hasło zostało ustawione. Jesteś w swoim koncie.")
}

type sessionsResponse struct {
	Success  bool            `json:"success"`
	Sessions []ListedSession `json:"sessions"`
}

// GetSessions handles GET /api/auth/sessions.
func (h *Handlers) GetSessions(c echo.Context, actor Actor) error {
	return h.listSessions(c, actor.User, h.Guard.Sessions.Current(c.Request()))
}

func (h *Handlers) listSessions(c echo.Context, u User, current string) error {
	sessions, err := h.Guard.Sessions.Of(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, sessionsResponse{Success: true, Sessions: Listed(sessions, current)})
}

type endedResponse struct {
	Success bool `json:"success"`
	Ended   int  `json:"ended"`
}

// EndSessions handles POST /api/auth/sessions/end.
func (h *Handlers) EndSessions(c echo.Context, actor Actor) error {
	return h.endSessions(c, actor, actor.User, h.Guard.Sessions.Current(c.Request()))
}

func (h *Handlers) endSessions(c echo.Context, actor Actor, u User, except string) error {
	request, err := httpapi.BindJSON(c, struct {
		ID string `body:"session_id"`
	}{})
	if err != nil {
		return err
	}
	ended, err := h.Guard.Sessions.EndOf(c.Request().Context(), actor, u, request.ID, except)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, endedResponse{Success: true, Ended: ended})
}
