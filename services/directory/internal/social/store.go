package social

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
)

// TableName implements gorm's schema.Tabler.
func (Config) TableName() string { return "social_media_configs" }

func tokenPlace(companyID int64) database.Place {
	return database.PlaceOf("social_media_configs", "access_token", Platform, companyID)
}

// link chooses a page on the connection listed and writes the publishing configuration,
// in one transaction. The connection must still have the grant with which the page was
// listed.
func (s *Service) link(ctx context.Context, actor account.Actor, listed connection.Connection, page meta.Page) (connection.Connection, error) {
	now := s.Now()
	entry := actor.Entry(listed.CompanyID, "select_page", provider.PagesPair, now)
	entry.Detail = page.ID
	choose := func(c *connection.Connection) error {
		if err := c.CheckSameGrant(&listed); err != nil {
			return err
		}
		c.Choose(connection.ChosenPage, connection.Choice{ID: page.ID, Name: page.Name, Token: page.AccessToken})
		c.ReconnectReason, c.Denied = "", nil
		return nil
	}
	config := Config{
		Platform: Platform, CompanyID: listed.CompanyID, PageID: page.ID, PageName: page.Name, AccessToken: page.AccessToken,
		IsActive: true, DebugMode: true, UpdatedBy: actor.User.ID, CreatedAt: now, UpdatedAt: now,
	}
	return s.Store.SelectPage(ctx, listed.CompanyID, provider.PagesPair, choose, entry, func(tx *gorm.DB) error {
		return SaveConfig(tx, s.Store.DB, config)
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

// followPage updates the publishing configuration, if there is one, when the page of its
// connection changes: it takes over another token, and is switched off without one.
func (s *Service) followPage(tx *gorm.DB, c, before connection.Connection) error {
	if c.Chosen != connection.ChosenPage && before.Chosen != connection.ChosenPage ||
		c.Active && c.Chosen == before.Chosen && c.AccessToken == before.AccessToken && c.AccessToken != "" {
		return nil
	}
	set := map[string]any{"access_token": "", "is_active": false, "updated_at": c.UpdatedAt}
	if c.Active && c.Chosen == connection.ChosenPage && c.AccessToken != "" {
		set["access_token"], set["is_active"] = s.Store.Seal(c.AccessToken, tokenPlace(c.CompanyID)), true
		set["page_id"], set["page_name"], set["updated_by"] = c.AccountID, c.AccountName, c.UserID
	}
	return tx.Model(&Config{}).Where("platform = ? AND company_id = ?", string(c.Pair.Service), c.CompanyID).Updates(set).Error
}

// ReadConfig returns a company's publishing configuration, or the fault no_config.
func ReadConfig(ctx context.Context, db *database.DB, companyID int64) (c Config, err error) {
	err = db.Read(ctx).Where("platform = ? AND company_id = ?", Platform, companyID).Take(&c).Error
	if err != nil {
		return Config{}, database.NotFound(err, CodeNoConfig)
	}
	c.AccessToken, err = db.Unseal(c.AccessToken, tokenPlace(companyID))
	c.CreatedAt, c.UpdatedAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	return c, err
}
