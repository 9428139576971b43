package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// syncResult is the answer to a sync that succeeded.
type syncResult struct {
	Success bool    `json:"success"`
	Data    any     `json:"data"` // *directory.PageData or *directory.PhotoData
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

// syncPage answers POST /api/oauth/provider_social/sync-facebook.
func (a *API) syncPage(c echo.Context, actor directory.Actor) error {
	return a.sync(c, actor, "Statystyki strony zostały odświeżone.", func(ctx context.Context, companyID int64) (any, error) {
		data, err := a.Pages.SyncPage(ctx, companyID)
		return wholePage(&data), err
	})
}

// syncPhotos answers POST /api/oauth/provider_social/sync-instagram.
func (a *API) syncPhotos(c echo.Context, actor directory.Actor) error {
	return a.sync(c, actor, "Statystyki konta zostały odświeżone.", func(ctx context.Context, companyID int64) (any, error) {
		data, err := a.Pages.SyncPhotos(ctx, companyID)
		return wholePhotos(&data), err
	})
}

func (a *API) sync(c echo.Context, actor directory.Actor, message string, run func(context.Context, int64) (any, error)) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	companyID, err := body.requiredID("company_id")
	if err != nil {
		return err
	}
	if err := mayEdit(actor, companyID); err != nil {
		return err
	}
	data, err := run(c.Request().Context(), companyID)
	if err != nil {
		return a.syncFailure(c, actor, err)
	}
	return c.JSON(http.StatusOK, syncResult{Success: true, Data: data, Message: message})
}

// syncDetail is a cause that makes the body a sync result.
type syncDetail struct{ error }

func (d *syncDetail) Unwrap() error { return d.error }

// syncFailure tells the failures that a sync reports as its result from those of
// the service itself.
func (a *API) syncFailure(c echo.Context, actor directory.Actor, err error) error {
	f := fault.From(err)
	if f.Kind != fault.NotFound && !strings.HasPrefix(f.Code, "provider_") {
		return fault.Wrap(&syncDetail{err}, fault.Internal, "internal", f.Message)
	}
	a.Log.WarnContext(c.Request().Context(), "not synced", "route", c.Path(), "error", err, "request_id", actor.RequestID)
	return fault.Wrap(&syncDetail{err}, fault.Invalid, f.Code, f.Message).After(f.RetryAfter)
}

// wholePage gives every list of a page's data, which JSON would show as null.
func wholePage(data *directory.PageData) *directory.PageData {
	if data == nil {
		return nil
	}
	whole := *data
	whole.Metrics, whole.Unavailable = orNone(whole.Metrics), orEmpty(whole.Unavailable)
	return &whole
}

// wholePhotos is wholePage for the photo network.
func wholePhotos(data *directory.PhotoData) *directory.PhotoData {
	whole := *data
	whole.Media, whole.Insights, whole.Unavailable = orEmpty(whole.Media), orNone(whole.Insights), orEmpty(whole.Unavailable)
	return &whole
}

func orNone(metrics map[string]any) map[string]any {
	if metrics == nil {
		return map[string]any{}
	}
	return metrics
}
