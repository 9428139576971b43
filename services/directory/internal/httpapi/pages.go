package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
)

// Pages lets a company choose its social page and syncs it.
type Pages interface {
	Discover(ctx context.Context, companyID int64) ([]directory.Page, error)
	Select(ctx context.Context, actor directory.Actor, companyID int64, pageID string) (directory.Page, *directory.PageData, error)
	SyncPage(ctx context.Context, companyID int64) (directory.PageData, error)
	SyncPhotos(ctx context.Context, companyID int64) (directory.PhotoData, error)
}

type pagesResponse struct {
	Success bool   `json:"success"`
	Pages   []page `json:"pages"`
}

type page struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
	FanCount int    `json:"fan_count"`
}

// discoverPages answers POST /api/oauth/provider_social/discover-pages.
func (a *API) discoverPages(c echo.Context, actor directory.Actor) error {
	body, err := readJSONOrForm(c)
	if err != nil {
		return err
	}
	companyID, err := body.requiredID("company_id")
	if err != nil {
		return err
	}
	if err := a.mayChoose(actor, companyID); err != nil {
		return err
	}
	found, err := a.Pages.Discover(c.Request().Context(), companyID)
	if err != nil {
		return err
	}
	answer := pagesResponse{Success: true, Pages: []page{}}
	for _, p := range found {
		answer.Pages = append(answer.Pages, page{ID: p.ID, Name: p.Name, Category: p.Category, FanCount: p.FanCount})
	}
	return c.JSON(http.StatusOK, answer)
}

// mayChoose is all that the contract asks beyond a login: nothing, unless strict.
func (a *API) mayChoose(actor directory.Actor, companyID int64) error {
	if a.Strict {
		return mayEdit(actor, companyID)
	}
	return nil
}

type selectPageResponse struct {
	done
	Page chosenPage          `json:"page"`
	Sync *directory.PageData `json:"sync"`
}

type chosenPage struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
}

// selectPage answers POST /api/oauth/provider_social/select-page.
func (a *API) selectPage(c echo.Context, actor directory.Actor) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	companyID, err := body.requiredID("company_id")
	if err != nil {
		return err
	}
	pageID, err := body.requiredKey("page_id")
	if err != nil {
		return err
	}
	if err := a.mayChoose(actor, companyID); err != nil {
		return err
	}
	chosen, synced, err := a.Pages.Select(c.Request().Context(), actor, companyID, pageID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, selectPageResponse{
		done: done{Success: true, Message: "Strona została wybrana."},
		Page: chosenPage{ID: chosen.ID, Name: chosen.Name, Category: chosen.Category},
		Sync: wholePage(synced),
	})
}
