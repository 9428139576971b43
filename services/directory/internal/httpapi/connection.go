package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

func pairOf(c echo.Context) provider.Pair {
	return provider.Pair{Provider: provider.Name(PathParam(c, "provider")), Service: provider.Service(PathParam(c, "service"))}
}

type connectResponse struct {
	Success bool   `json:"success"`
	AuthURL string `json:"auth_url"`
}

// Connect answers POST /api/oauth/connect/{provider}/{service}.
func (a *API) Connect(c echo.Context, actor account.Actor) error {
	authURL, pending, err := a.OAuth.Connect(actor, pairOf(c))
	if err != nil {
		return err
	}
	err = a.Guard.Sessions.Put(c.Response(), c.Request(), connection.PendingName, pending.String())
	if fault.Is(err, account.CodeNoSession) {
		return account.CodeNotLoggedIn.Fault()
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, connectResponse{Success: true, AuthURL: authURL})
}

// integrations is where the callback sends the browser.
const integrations = "/konto/integracje"

// Callback answers GET /api/oauth/callback/{provider}.
func (a *API) Callback(c echo.Context) error {
	pair, oauthError := a.finish(c)
	outcome := "oauth_success=" + pair.String()
	if oauthError != "" { // as long as it came: the server bounds what may come
		outcome = "oauth_error=" + url.QueryEscape(strings.ToValidUTF8(oauthError, "?"))
	}
	if err := a.Guard.Sessions.SetOutcome(c.Response(), outcome); err != nil { // the page does not believe the address, which anybody can write
		a.Log.ErrorContext(c.Request().Context(), "outcome of a callback not set", "error", err, "request_id", httpx.RequestID(c))
	}
	return c.Redirect(http.StatusFound, integrations+"?"+outcome)
}

// finish takes the authorization out of the session in any case, then looks at
// the login and at what the provider sent.
func (a *API) finish(c echo.Context) (p provider.Pair, oauthError string) {
	ctx := c.Request().Context()
	text, err := a.Guard.Sessions.Take(c.Response(), c.Request(), connection.PendingName)
	var pending *connection.Pending
	if err == nil {
		pending, err = connection.ParsePending(text)
	}
	var actor account.Actor
	if err == nil {
		actor, err = a.Guard.Actor(c)
	}
	switch {
	case fault.Is(err, account.CodeNotLoggedIn):
		return p, "unauthorized"
	case err != nil:
		a.Log.ErrorContext(ctx, "session not read in the callback", "error", err, "request_id", httpx.RequestID(c))
		return p, "save_failed"
	}
	query := c.QueryParams()
	return a.OAuth.Finish(ctx, actor, pending, connection.Callback{
		Provider: provider.Name(PathParam(c, "provider")),
		Code:     query.Get("code"), State: query.Get("state"), Error: query.Get("error"),
	})
}

type statusResponse struct {
	Success  bool                     `json:"success"`
	Services map[string]serviceStatus `json:"services"`
}

type serviceStatus struct {
	Name           string     `json:"name"`
	Description    string     `json:"description"`
	Connected      bool       `json:"connected"`
	AccountID      *string    `json:"account_id"`
	AccountName    *string    `json:"account_name"`
	ExpiresAt      *time.Time `json:"expires_at"`
	Expired        bool       `json:"is_expired"`
	NeedsReconnect bool       `json:"needs_reconnect"`
	Reason         *string    `json:"reason"`

	DataAccessExpiresAt *time.Time `json:"data_access_expires_at"`
}

// Status answers GET /api/oauth/status.
func (a *API) Status(c echo.Context, actor account.Actor) error {
	services, err := a.OAuth.Status(c.Request().Context(), actor)
	if err != nil {
		return err
	}
	answer := statusResponse{Success: true, Services: make(map[string]serviceStatus, len(services))}
	for name, s := range services {
		answer.Services[name] = serviceStatus{
			Name: s.Name, Description: s.Description, Connected: s.Connected,
			AccountID: OrNull(s.AccountID), AccountName: OrNull(s.AccountName), ExpiresAt: s.ExpiresAt,
			Expired: s.Expired, NeedsReconnect: s.NeedsReconnect, Reason: OrNull(s.Reason),
			DataAccessExpiresAt: s.DataAccessExpiresAt,
		}
	}
	return c.JSON(http.StatusOK, answer)
}

// Disconnect answers POST /api/oauth/disconnect/{provider}/{service}.
func (a *API) Disconnect(c echo.Context, actor account.Actor) error {
	if err := a.OAuth.Disconnect(c.Request().Context(), actor, pairOf(c)); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, Done{Success: true, Message: "Usługa została odłączona."})
}
