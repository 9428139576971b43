package pages

import (
	"context"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
)

// Social lets a company choose its social page, syncs it and tells its statistics.
type Social interface {
	Discover(ctx context.Context, companyID int64) ([]directory.Page, error)
	Select(ctx context.Context, actor directory.Actor, companyID int64, pageID string) (directory.Page, *directory.PageData, error)
	SyncPage(ctx context.Context, companyID int64) (directory.PageData, error)
	SyncPhotos(ctx context.Context, companyID int64) (directory.PhotoData, error)
	PageStatistics(ctx context.Context, companyID int64) (*directory.PageData, []directory.Followers, error)
	PhotoStatistics(ctx context.Context, companyID int64) (*directory.PhotoData, []directory.Followers, error)
}

// syncPage answers POST /konto/integracje/statystyki/strona.
func (p *Pages) syncPage(c echo.Context, v visitor) error {
	return p.sync(c, v, "page_synced", func(ctx context.Context, companyID int64) error {
		_, err := p.Social.SyncPage(ctx, companyID)
		return err
	})
}

// syncPhotos answers POST /konto/integracje/statystyki/zdjecia.
func (p *Pages) syncPhotos(c echo.Context, v visitor) error {
	return p.sync(c, v, "photos_synced", func(ctx context.Context, companyID int64) error {
		_, err := p.Social.SyncPhotos(ctx, companyID)
		return err
	})
}

func (p *Pages) sync(c echo.Context, v visitor, outcome string, run func(context.Context, int64) error) error {
	companyID, err := v.ownCompany()
	if err == nil {
		err = run(c.Request().Context(), companyID)
	}
	if err != nil {
		return p.refused(c, integrationsPath, err)
	}
	return redirect(c, integrationsPath, outcome)
}
