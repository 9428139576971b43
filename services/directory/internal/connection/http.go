package connection

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// Handlers serve the API of connections.
type Handlers struct {
	Service *Service
	Guard   *account.Guard
	Log     *slog.Logger
}

func pairOf(c echo.Context) provider.Pair {
	return provider.Pair{Provider: provider.Name(httpapi.PathParam(c, "provider")),
		Service: provider.Service(httpapi.PathParam(c, "service"))}
}

type connectResponse struct {
	Success bool   `json:"success"`
	AuthURL string `json:"auth_url"`
}

// Connect handles POST /api/oauth/connect/{provider}/{service}.
func (h *Handlers) Connect(c echo.Context, actor account.Actor) error {
	authURL, pending, err := h.Service.Connect(actor, pairOf(c))
	if err != nil {
		return err
	}
	err = h.Guard.Sessions.PutState(c.Request(), pending.String())
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

// Callback handles GET /api/oauth/callback/{provider}. It refuses a request that a browser
// makes ahead of its user, so that the browser repeats it.
func (h *Handlers) Callback(c echo.Context) error {
	if isSpeculative(c.Request().Header) {
		return CodeSpeculative.Fault()
	}
	cb := callbackOf(c)
	actor, done, oauthError := h.finish(c, cb)
	query := "oauth_success=" + done.Pair.String()
	outcome := query + done.more()
	if oauthError != "" { // as long as it came: the server bounds what may come
		query = "oauth_error=" + url.QueryEscape(strings.ToValidUTF8(oauthError, "?"))
		outcome = query
	}
	if oauthError == "invalid_state" {
		if pair, connected := h.Service.ConnectedBy(c.Request().Context(), actor, cb); connected {
			outcome = "oauth_success=" + pair.String()
		}
	}
	// the page does not believe the address, which anybody can write
	if err := h.Guard.Sessions.SetOutcome(c.Response(), outcome); err != nil {
		h.Log.ErrorContext(c.Request().Context(), "outcome of a callback not set", "error", err, "request_id",
			httpx.RequestID(c))
	}
	return c.Redirect(http.StatusFound, integrations+"?"+query)
}

func (g Granted) more() string {
	further := ""
	for _, service := range g.More {
		further += "&oauth_success=" + string(g.Pair.Provider) + "/" + string(service)
	}
	for _, service := range g.Refused {
		further += "&oauth_refused=" + string(g.Pair.Provider) + "/" + string(service)
	}
	return further
}

// CallbackHead handles HEAD /api/oauth/callback/{provider}, which link scanners send.
func (h *Handlers) CallbackHead(c echo.Context) error {
	return c.Redirect(http.StatusFound, integrations)
}

// finish takes the authorization out of the session in any case. An incomplete callback comes
// before errors of session and database.
func (h *Handlers) finish(c echo.Context, cb Callback) (actor account.Actor, done Granted, oauthError string) {
	ctx := c.Request().Context()
	actor, pending, err := h.takePending(c)
	if oauthError := cb.incomplete(); oauthError != "" {
		return actor, done, oauthError
	}
	if fault.Is(err, account.CodeNotLoggedIn) {
		return actor, done, "unauthorized"
	}
	if err != nil {
		h.Log.ErrorContext(ctx, "session not read in the callback", "error", err, "request_id", httpx.RequestID(c))
		return actor, done, "save_failed"
	}
	done, oauthError = h.Service.Finish(ctx, actor, pending, cb)
	return actor, done, oauthError
}

func callbackOf(c echo.Context) Callback {
	query := c.QueryParams()
	return Callback{
		Provider: provider.Name(httpapi.PathParam(c, "provider")),
		Code:     query.Get("code"), State: query.Get("state"), Error: query.Get("error"),
	}
}

// isSpeculative reports whether a browser says that it prefetches or prerenders a page
// (https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Purpose).
func isSpeculative(header http.Header) bool {
	purpose := strings.ToLower(header.Get("Sec-Purpose") + " " + header.Get("Purpose"))
	return strings.Contains(purpose, "prefetch") || strings.Contains(purpose, "prerender")
}

func (h *Handlers) takePending(c echo.Context) (actor account.Actor, pending *Pending, err error) {
	text, err := h.Guard.Sessions.TakeState(c.Request())
	if err != nil {
		return actor, nil, err
	}
	if pending, err = ParsePending(text); err != nil {
		return actor, nil, err
	}
	actor, err = h.Guard.Actor(c)
	return actor, pending, err
}

type statusResponse struct {
	Success  bool                     `json:"success"`
	Services map[string]ServiceStatus `json:"services"`
}

// Status handles GET /api/oauth/status.
func (h *Handlers) Status(c echo.Context, actor account.Actor) error {
	services, err := h.Service.Status(c.Request().Context(), actor)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, statusResponse{Success: true, Services: services})
}

// Disconnect handles POST /api/oauth/disconnect/{provider}/{service}.
func (h *Handlers) Disconnect(c echo.Context, actor account.Actor) error {
	if err := h.Service.Disconnect(c.Request().Context(), actor, pairOf(c)); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, httpapi.Done{Success: true, Message: "Usługa została odłączona."})
}
