package social

import (
	"context"
	"net/http"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"github.com/labstack/echo/v4"
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
	if s.strict {
		return actor.MayEdit(companyID)
	}
	return nil
}

// Discover lists the pages that the owner of the company's active social_pages
// connection manages. The faults are no_connection and too_much_work.
func (s *Service) Discover(ctx context.Context, companyID int64) (provider.List[meta.Page], error) {
	c, err := s.connections.Active(ctx, companyID, provider.PagesPair)
	if err != nil {
		return provider.List[meta.Page]{}, err
	}
	if err = s.connections.LimitDiscover(ctx, companyID, provider.SocialPages); err != nil {
		return provider.List[meta.Page]{}, err
	}
	return s.list(ctx, c)
}

func (s *Service) list(ctx context.Context, c connection.Connection) (provider.List[meta.Page], error) {
	return connection.UseAsUser(ctx, s.connections, c,
		func(ctx context.Context, userToken string) (provider.List[meta.Page], error) {
			return s.client.Pages(ctx, userToken, c.Scopes)
		})
}

// listed lists the pages with the company's active connection, which it returns, too.
func (s *Service) listed(ctx context.Context, companyID int64) (c connection.Connection,
	pages provider.List[meta.Page], err error) {
	if c, err = s.connections.Active(ctx, companyID, provider.PagesPair); err != nil {
		return c, pages, err
	}
	pages, err = s.list(ctx, c)
	return c, pages, err
}
