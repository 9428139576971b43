package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// pingLimit bounds the question whether the database answers.
const pingLimit = 2 * time.Second

const auditService = "bizprofile-audit"

type healthy struct {
	Status    string `json:"status"`
	Service   string `json:"service"`
	Version   string `json:"version"`
	Available bool   `json:"available"`
}

type unhealthy struct {
	Status    string `json:"status"`
	Service   string `json:"service"`
	Available bool   `json:"available"`
	Error     string `json:"error"`
}

// Health answers GET /api/bizprofile/audit/health.
func (a *API) Health(c echo.Context) error {
	if err := a.ping(c.Request().Context()); err != nil {
		a.Log.WarnContext(c.Request().Context(), "audits are not available", "error", err)
		return c.JSON(http.StatusServiceUnavailable, unhealthy{Status: "unavailable", Service: auditService, Error: directory.CodeAuditUnavailable.Text})
	}
	return c.JSON(http.StatusOK, healthy{Status: "ok", Service: auditService, Version: directory.AuditVersion, Available: true})
}

func (a *API) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingLimit)
	defer cancel()
	return a.Ping(ctx)
}

// Available turns a failure of the service itself into the fault
// audit_unavailable where the database does not answer.
func (a *API) Available(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if err == nil || fault.From(err).Kind != fault.Internal || a.ping(c.Request().Context()) == nil {
			return err
		}
		return directory.CodeAuditUnavailable.Wrap(err)
	}
}
