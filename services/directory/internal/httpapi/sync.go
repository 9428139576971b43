package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

type syncResponse struct {
	Success bool    `json:"success"`
	Data    any     `json:"data"`
	Message string  `json:"message"`
	Code    *string `json:"code"` // null
}

// failedSync is the same of a sync that failed, with the fields of every failure.
type failedSync struct {
	failure
	Data    *struct{} `json:"data"` // null
	Message string    `json:"message"`
	Code    string    `json:"code"`
}

// Sync handles a request to sync the data of a company, which run does. mayEdit returns
// an error unless the caller may edit the company.
func Sync[T any](
	c echo.Context, mayEdit func(companyID int64) error, log *slog.Logger, message string,
	run func(context.Context, int64) (T, error),
) error {
	request, err := BindJSON(c, struct {
		CompanyID *int64 `body:"company_id,required"`
	}{})
	if err != nil {
		return err
	}
	if err := mayEdit(*request.CompanyID); err != nil {
		return err
	}
	data, err := run(c.Request().Context(), *request.CompanyID)
	if err != nil {
		return syncFailure(c, log.With("company", *request.CompanyID), err)
	}
	return c.JSON(http.StatusOK, syncResponse{Success: true, Data: data, Message: message})
}

// syncDetail is a cause that makes the body a sync result.
type syncDetail struct{ error }

func (d *syncDetail) Unwrap() error { return d.error }

// syncFailure tells the failures that a sync reports as its result from those of the service.
func syncFailure(c echo.Context, log *slog.Logger, err error) error {
	f := fault.From(err)
	if f.Kind == fault.Limited {
		return fault.Wrap(&syncDetail{err}, f.Kind, f.Code, f.Message).After(f.RetryAfter)
	}
	if f.Kind != fault.NotFound && !strings.HasPrefix(f.Code, "provider_") {
		return fault.Wrap(&syncDetail{err}, fault.Internal, "internal", f.Message)
	}
	log.WarnContext(c.Request().Context(), "not synced", "route", c.Path(), "error", err, "request_id",
		httpx.RequestID(c))
	return fault.Wrap(&syncDetail{err}, fault.Invalid, f.Code, f.Message).After(f.RetryAfter)
}
