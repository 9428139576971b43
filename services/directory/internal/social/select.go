package social

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

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

// Select links the page with pageID to the company: its token replaces the user's, which
// is kept, and the configuration for publishing is created or updated, in one
// transaction. A statistics sync follows; if it fails, that is only logged and the data
// are nil. The faults are no_connection, page_not_found, page_without_credential and
// connection_changed.
func (s *Service) Select(ctx context.Context, actor account.Actor, companyID int64, pageID string) (
	page meta.Page, data *PageData, err error,
) {
	var c connection.Connection
	err = connection.RetryChanged(func() error {
		page, c, err = s.choose(ctx, actor, companyID, pageID)
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

// choose lists the pages and links one, if the connection has not been replaced since.
func (s *Service) choose(ctx context.Context, actor account.Actor, companyID int64, pageID string) (
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
	page, err = s.pick(ctx, listed, pages, pageID)
	if err == nil && page.AccessToken == "" {
		err = CodePageWithoutCredential.Fault()
	}
	if err != nil {
		return page, c, err
	}
	c, err = s.link(ctx, actor, listed, page)
	return page, c, err
}

// pick returns the listed page with that id. One that an incomplete list lacks is read
// itself.
func (s *Service) pick(
	ctx context.Context, c connection.Connection, pages provider.List[meta.Page], pageID string,
) (meta.Page, error) {
	i := slices.IndexFunc(pages.Items, func(page meta.Page) bool { return page.ID == pageID })
	if i >= 0 {
		return pages.Items[i], nil
	}
	if pages.Complete {
		return meta.Page{}, CodePageNotFound.Fault()
	}
	find := func(ctx context.Context, userToken string) (meta.Page, error) {
		return s.client.FindPage(ctx, userToken, pageID)
	}
	page, err := connection.UseAsUser(ctx, s.connections, c, find)
	if fault.Is(err, provider.CodeGone) || fault.Is(err, provider.CodePermission) {
		err = CodePageNotFound.Wrap(err)
	}
	return page, err
}

// link chooses a page on the connection listed and writes the publishing configuration,
// in one transaction. The connection must still have the grant with which the page was
// listed.
func (s *Service) link(
	ctx context.Context, actor account.Actor, listed connection.Connection, page meta.Page,
) (connection.Connection, error) {
	now := s.now()
	entry := actor.Entry(listed.CompanyID, "select_page", provider.PagesPair, now)
	entry.Detail = page.ID
	choose := func(c *connection.Connection) error {
		if err := c.CheckSameGrant(&listed); err != nil {
			return err
		}
		c.Choose(connection.ChosenPage, provider.Choice{ID: page.ID, Name: page.Name, Token: page.AccessToken})
		c.ReconnectReason, c.Denied = "", nil
		return nil
	}
	config := Config{
		Platform: Platform, CompanyID: listed.CompanyID, PageID: page.ID, PageName: page.Name,
		AccessToken: page.AccessToken,
		IsActive:    true, DebugMode: true, UpdatedBy: actor.User.ID, CreatedAt: now, UpdatedAt: now,
	}
	return s.store.SelectPage(ctx, listed.CompanyID, provider.PagesPair, choose, entry, func(tx *gorm.DB) error {
		return SaveConfig(tx, s.store.DB, config)
	})
}

// SaveConfig creates or replaces a publishing configuration.
func SaveConfig(tx *gorm.DB, db *database.DB, c Config) error {
	c.AccessToken = db.Seal(c.AccessToken, tokenPlace(c.CompanyID))
	c.CreatedAt, c.UpdatedAt = db.At(c.CreatedAt), db.At(c.UpdatedAt)
	return tx.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "platform"}, {Name: "company_id"}},
		DoUpdates: clause.AssignmentColumns([]string{
			"page_id", "page_name", "access_token", "is_active", "debug_mode", "updated_by", "updated_at",
		}),
	}).Create(&c).Error
}
