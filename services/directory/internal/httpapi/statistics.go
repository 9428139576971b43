package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

type syncRequest struct {
	CompanyID *int64 `body:"company_id,required"`
}

// syncResponse is the answer to a sync that succeeded.
type syncResponse struct {
	Success bool    `json:"success"`
	Data    any     `json:"data"` // *pageDataBody, *photoDataBody or *searchDataBody
	Message string  `json:"message"`
	Code    *string `json:"code"` // null
}

// failedSync is the same of a sync that failed, with what every failure has.
type failedSync struct {
	failure
	Data    *struct{} `json:"data"` // null
	Message string    `json:"message"`
	Code    string    `json:"code"`
}

// SyncPage answers POST /api/oauth/provider_social/sync-facebook.
func (a *API) SyncPage(c echo.Context, actor directory.Actor) error {
	return a.sync(c, actor, "Statystyki strony zostały odświeżone.", func(ctx context.Context, companyID int64) (any, error) {
		data, err := a.Pages.SyncPage(ctx, companyID)
		return describePageData(data), err
	})
}

// SyncPhotos answers POST /api/oauth/provider_social/sync-instagram.
func (a *API) SyncPhotos(c echo.Context, actor directory.Actor) error {
	return a.sync(c, actor, "Statystyki konta zostały odświeżone.", func(ctx context.Context, companyID int64) (any, error) {
		data, err := a.Pages.SyncPhotos(ctx, companyID)
		return describePhotoData(data), err
	})
}

func (a *API) sync(c echo.Context, actor directory.Actor, message string, run func(context.Context, int64) (any, error)) error {
	request, err := BindJSON(c, syncRequest{})
	if err != nil {
		return err
	}
	if err := actor.MayEdit(*request.CompanyID); err != nil {
		return err
	}
	data, err := run(c.Request().Context(), *request.CompanyID)
	if err != nil {
		return a.syncFailure(c, err)
	}
	return c.JSON(http.StatusOK, syncResponse{Success: true, Data: data, Message: message})
}

// syncDetail is a cause that makes the body a sync result.
type syncDetail struct{ error }

func (d *syncDetail) Unwrap() error { return d.error }

// syncFailure tells the failures that a sync reports as its result from those of
// the service itself.
func (a *API) syncFailure(c echo.Context, err error) error {
	f := fault.From(err)
	if f.Kind == fault.Limited {
		return fault.Wrap(&syncDetail{err}, f.Kind, f.Code, f.Message).After(f.RetryAfter)
	}
	if f.Kind != fault.NotFound && !strings.HasPrefix(f.Code, "provider_") {
		return fault.Wrap(&syncDetail{err}, fault.Internal, "internal", f.Message)
	}
	a.Log.WarnContext(c.Request().Context(), "not synced", "route", c.Path(), "error", err, "request_id", httpx.RequestID(c))
	return fault.Wrap(&syncDetail{err}, fault.Invalid, f.Code, f.Message).After(f.RetryAfter)
}
