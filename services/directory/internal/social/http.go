package social

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/meta"
)

type pagesResponse struct {
	Success bool         `json:"success"`
	Pages   []listedPage `json:"pages"`

	Complete bool `json:"complete"`
}

type listedPage struct {
	meta.Page
	Selectable bool    `json:"selectable"`
	Reason     *string `json:"reason"` // null if selectable
}

// DiscoverPages handles POST /api/oauth/provider_social/discover-pages.
func (s *Service) DiscoverPages(c echo.Context, actor account.Actor) error {
	request, err := httpapi.BindJSONOrForm(c, struct {
		CompanyID *int64 `body:"company_id,required"`
	}{})
	if err != nil {
		return err
	}
	if err := s.mayChoose(actor, *request.CompanyID); err != nil {
		return err
	}
	found, err := s.Discover(c.Request().Context(), *request.CompanyID)
	if err != nil {
		return err
	}
	response := pagesResponse{Success: true, Pages: []listedPage{}, Complete: found.Complete}
	for _, p := range found.Items {
		reason := Refusal(p)
		response.Pages = append(
			response.Pages, listedPage{Page: p, Selectable: reason == "", Reason: httpapi.OrNull(reason)},
		)
	}
	return c.JSON(http.StatusOK, response)
}

// mayChoose is all that the contract requires beyond a login: nothing, unless strict.
func (s *Service) mayChoose(actor account.Actor, companyID int64) error {
	if s.Strict {
		return actor.MayEdit(companyID)
	}
	return nil
}

// SyncFacebook handles POST /api/oauth/provider_social/sync-facebook.
func (s *Service) SyncFacebook(c echo.Context, actor account.Actor) error {
	return httpapi.Sync(c, actor.MayEdit, s.Log, "Statystyki strony zostały odświeżone.",
		func(ctx context.Context, companyID int64) (any, error) {
			return s.SyncPage(ctx, companyID)
		})
}

// SyncInstagram handles POST /api/oauth/provider_social/sync-instagram.
func (s *Service) SyncInstagram(c echo.Context, actor account.Actor) error {
	return httpapi.Sync(c, actor.MayEdit, s.Log, "Statystyki konta zostały odświeżone.",
		func(ctx context.Context, companyID int64) (any, error) {
			return s.SyncPhotos(ctx, companyID)
		})
}
