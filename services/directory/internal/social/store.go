package social

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
)

// TableName implements gorm's schema.Tabler.
func (Config) TableName() string { return "social_media_configs" }

func tokenPlace(companyID int64) database.Place {
	return database.PlaceOf("social_media_configs", "access_token", Platform, companyID)
}

// followPage updates the publishing configuration, if there is one, when the page of its
// connection changes: it takes over another token, and is switched off without one.
func (s *Service) followPage(tx *gorm.DB, c, before connection.Connection) error {
	if c.Chosen != connection.ChosenPage && before.Chosen != connection.ChosenPage {
		return nil
	}
	isUsable := c.Active && c.AccessToken != ""
	if isUsable && c.Chosen == before.Chosen && c.AccessToken == before.AccessToken {
		return nil
	}
	set := map[string]any{"access_token": "", "is_active": false, "updated_at": c.UpdatedAt}
	if c.Active && c.Chosen == connection.ChosenPage && c.AccessToken != "" {
		set["access_token"], set["is_active"] = s.store.Seal(c.AccessToken, tokenPlace(c.CompanyID)), true
		set["page_id"] = c.AccountID
		set["page_name"] = c.AccountName
		set["updated_by"] = c.UserID
	}
	return tx.Model(&Config{}).Where("platform = ? AND company_id = ?", string(c.Pair.Service), c.CompanyID).
		Updates(set).Error
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
