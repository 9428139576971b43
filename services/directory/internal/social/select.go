package social

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

type pagesResponse struct {
	Success bool         `json:"success"`
	Pages   []listedPage `json:"pages"`

	Complete bool `json:"complete"`
}

type listedPage struct {
	meta.Page
	Selectable bool         `json:"selectable"`
	Reason     httpapi.Text `json:"reason"` // null if selectable
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
		response.Pages = append(response.Pages, listedPage{p, reason == "", httpapi.Text(reason)})
	}
	return c.JSON(http.StatusOK, response)
}

func (s *Service) mayChoose(actor account.Actor, companyID int64) error {
	if s.strict {
		return actor.MayEdit(companyID)
	}
	return nil
}

// Discover lists the pages that the owner of the company's active social_pages
// connection manages. The faults are no_connection and too_much_work.
func (s *Service) Discover(ctx context.Context, companyID int64) (pages provider.List[meta.Page], err error) {
	c, err := s.connections.Active(ctx, companyID, provider.PagesPair)
	if err != nil {
		return pages, err
	}
	if err = s.connections.LimitDiscover(ctx, companyID, provider.SocialPages); err != nil {
		return pages, err
	}
	return s.list(ctx, c)
}

func (s *Service) list(ctx context.Context, c connection.Connection) (provider.List[meta.Page], error) {
	return connection.UseAsUser(ctx, s.connections, c,
		func(ctx context.Context, userToken string) (provider.List[meta.Page], error) {
			return s.client.Pages(ctx, userToken, c.Scopes)
		})
}

type selectPageResponse struct {
	httpapi.Done
	Page chosenPage `json:"page"`
	Sync *PageData  `json:"sync"` // null if not synced
}

type chosenPage struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
}

// SelectPage handles POST /api/oauth/provider_social/select-page.
func (s *Service) SelectPage(c echo.Context, actor account.Actor) error {
	request, err := httpapi.BindJSON(c, struct {
		CompanyID *int64      `body:"company_id,required"`
		PageID    httpapi.Key `body:"page_id,required"`
	}{})
	if err != nil {
		return err
	}
	if err := s.mayChoose(actor, *request.CompanyID); err != nil {
		return err
	}
	page, synced, err := s.Select(c.Request().Context(), actor, *request.CompanyID, string(request.PageID))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, selectPageResponse{
		Done: httpapi.Done{Success: true, Message: "Strona została wybrana."},
		Page: chosenPage{ID: page.ID, Name: page.Name, Category: page.Category}, Sync: synced,
	})
}

// Select links the page with pageID to the company and writes the configuration for publishing,
// in one transaction. A sync of its statistics follows; if that fails, it is logged and the data
// are nil. The faults are no_connection, page_not_found, page_without_credential and
// connection_changed.
func (s *Service) Select(ctx context.Context, actor account.Actor, companyID int64, pageID string) (
	page meta.Page, data *PageData, err error,
) {
	var c connection.Connection
	err = connection.RetryChanged(func() error {
		page, c, err = s.selectOnce(ctx, actor, companyID, pageID)
		return err
	})
	if err != nil {
		return meta.Page{}, nil, err
	}
	synced, err := s.syncPage(ctx, c)
	if err != nil {
		s.log.WarnContext(ctx, "page not synced after it was chosen",
			"company", companyID, "error", err, "request_id", actor.RequestID)
		return page, nil, nil
	}
	return page, &synced, nil
}

func (s *Service) selectOnce(ctx context.Context, actor account.Actor, companyID int64, pageID string) (
	page meta.Page, c connection.Connection, err error,
) {
	listed, err := s.connections.Active(ctx, companyID, provider.PagesPair)
	if err != nil {
		return page, c, err
	}
	pages, err := s.list(ctx, listed)
	if err != nil {
		return page, c, err
	}
	page, err = s.find(ctx, listed, pages, pageID)
	if err != nil {
		return page, c, err
	}
	if page.AccessToken == "" {
		return page, c, CodePageWithoutCredential.Fault()
	}
	c, err = s.save(ctx, actor, listed, page)
	return page, c, err
}

// find reads a page itself if an incomplete list lacks it.
func (s *Service) find(
	ctx context.Context, c connection.Connection, pages provider.List[meta.Page], pageID string,
) (meta.Page, error) {
	i := slices.IndexFunc(pages.Items, func(page meta.Page) bool { return page.ID == pageID })
	if i >= 0 {
		return pages.Items[i], nil
	}
	if pages.Complete {
		return meta.Page{}, CodePageNotFound.Fault()
	}
	page, err := connection.UseAsUser(ctx, s.connections, c,
		func(ctx context.Context, token string) (meta.Page, error) {
			return s.client.FindPage(ctx, token, pageID)
		})
	if fault.Is(err, provider.CodeGone) || fault.Is(err, provider.CodePermission) {
		err = CodePageNotFound.Wrap(err)
	}
	return page, err
}

func (s *Service) save(
	ctx context.Context, actor account.Actor, listed connection.Connection, page meta.Page,
) (c connection.Connection, err error) {
	entry := actor.Entry(listed.CompanyID, "select_page", provider.PagesPair)
	entry.Detail = page.ID
	config := Config{
		Platform: Platform, CompanyID: listed.CompanyID, PageID: page.ID, PageName: page.Name,
		AccessToken: page.AccessToken, IsActive: true, DebugMode: true, UpdatedBy: actor.User.ID,
	}
	held, err := s.connections.HoldListed(ctx, listed)
	if err != nil {
		return c, err
	}
	defer held.Release()
	held.Choose(connection.ChosenPage, provider.Choice{ID: page.ID, Name: page.Name, Token: page.AccessToken})
	held.ReconnectReason, held.Denied = "", nil
	tx, err := held.Update(&entry)
	if err != nil {
		return c, err
	}
	if err := SaveConfig(tx, s.store.DB, config); err != nil {
		return c, err
	}
	return held.Connection, held.Commit()
}
