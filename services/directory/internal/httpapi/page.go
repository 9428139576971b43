package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
)

type discoverPagesRequest struct {
	CompanyID *int64 `body:"company_id,required"`
}

type pagesResponse struct {
	Success bool       `json:"success"`
	Pages   []pageBody `json:"pages"`

	Complete bool `json:"complete"`
}

type pageBody struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
	FanCount int    `json:"fan_count"`

	Selectable bool    `json:"selectable"`
	Reason     *string `json:"reason"` // null: selectable
}

// DiscoverPages answers POST /api/oauth/provider_social/discover-pages.
func (a *API) DiscoverPages(c echo.Context, actor directory.Actor) error {
	request, err := BindJSONOrForm(c, discoverPagesRequest{})
	if err != nil {
		return err
	}
	if err := a.mayChoose(actor, *request.CompanyID); err != nil {
		return err
	}
	found, err := a.Pages.Discover(c.Request().Context(), *request.CompanyID)
	if err != nil {
		return err
	}
	answer := pagesResponse{Success: true, Pages: []pageBody{}, Complete: found.Complete}
	for _, p := range found.Items {
		answer.Pages = append(answer.Pages, pageBody{
			ID: p.ID, Name: p.Name, Category: p.Category, FanCount: p.FanCount, Selectable: p.Selectable(), Reason: OrNull(p.Refusal()),
		})
	}
	return c.JSON(http.StatusOK, answer)
}

// mayChoose is all that the contract asks beyond a login: nothing, unless strict.
func (a *API) mayChoose(actor directory.Actor, companyID int64) error {
	if a.Strict {
		return actor.MayEdit(companyID)
	}
	return nil
}

type selectPageRequest struct {
	CompanyID *int64 `body:"company_id,required"`
	PageID    Key    `body:"page_id,required"`
}

type selectPageResponse struct {
	Done
	Page chosenPageBody `json:"page"`
	Sync *pageDataBody  `json:"sync"` // null: not synced
}

type chosenPageBody struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
}

// SelectPage answers POST /api/oauth/provider_social/select-page.
func (a *API) SelectPage(c echo.Context, actor directory.Actor) error {
	request, err := BindJSON(c, selectPageRequest{})
	if err != nil {
		return err
	}
	if err := a.mayChoose(actor, *request.CompanyID); err != nil {
		return err
	}
	chosen, synced, err := a.Pages.Select(c.Request().Context(), actor, *request.CompanyID, string(request.PageID))
	if err != nil {
		return err
	}
	answer := selectPageResponse{
		Done: Done{Success: true, Message: "Strona została wybrana."},
		Page: chosenPageBody{ID: chosen.ID, Name: chosen.Name, Category: chosen.Category},
	}
	if synced != nil {
		answer.Sync = describePageData(*synced)
	}
	return c.JSON(http.StatusOK, answer)
}
