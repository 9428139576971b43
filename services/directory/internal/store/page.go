package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
)

// configRow is a line of social_media_configs; the token is encrypted in it.
type configRow struct {
	ID          int64
	Platform    string
	CompanyID   int64
	PageID      string
	PageName    string
	AccessToken string
	IsActive    bool
	DebugMode   bool
	UpdatedBy   int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// TableName implements gorm's schema.Tabler.
func (configRow) TableName() string { return "social_media_configs" }

func (r *configRow) place() database.Place {
	return database.PlaceOf("social_media_configs", "access_token", r.Platform, r.CompanyID)
}

// SelectPage runs change on a connection and stores what it leaves in it, the
// configuration and a line of the audit trail in one transaction; when one of
// them fails, nothing is written. change must be quick. The fault is
// no_connection; those of change pass. It returns the connection as stored.
func (s *Store) SelectPage(ctx context.Context, companyID int64, p directory.Pair, change func(*directory.Connection) error,
	config directory.SocialConfig, e directory.Entry,
) (c directory.Connection, err error) {
	err = s.lockPair(ctx, companyID, p, func(tx *gorm.DB) error {
		before, err := s.takeConnection(database.ForUpdate(ofPair(tx, companyID, p)))
		if err != nil {
			return err
		}
		c = clone(before)
		if err := change(&c); err != nil {
			return err
		}
		if err := s.replace(tx, &c, before, &e); err != nil {
			return err
		}
		return s.saveConfig(tx, config)
	})
	if err != nil {
		return directory.Connection{}, failure("select page", err, nil)
	}
	return c, nil
}

func (s *Store) saveConfig(tx *gorm.DB, config directory.SocialConfig) error {
	at := s.At(config.UpdatedAt)
	row := configRow{
		Platform: config.Platform, CompanyID: config.CompanyID, PageID: config.PageID, PageName: config.PageName,
		IsActive: config.Active, DebugMode: config.DebugMode, UpdatedBy: config.UpdatedBy, CreatedAt: at, UpdatedAt: at,
	}
	row.AccessToken = s.Seal(config.AccessToken, row.place())
	return tx.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "platform"}, {Name: "company_id"}},
		DoUpdates: clause.AssignmentColumns([]string{
			"page_id", "page_name", "access_token", "is_active", "debug_mode", "updated_by", "updated_at",
		}),
	}).Create(&row).Error
}

// followPage makes the configuration for publishing, if there is one, follow the page
// of its connection: it takes over another token, and is switched off without one.
func (s *Store) followPage(tx *gorm.DB, c *directory.Connection, before directory.Connection) error {
	if c.Chosen != directory.ChosenPage && before.Chosen != directory.ChosenPage ||
		c.Active && c.Chosen == before.Chosen && c.AccessToken == before.AccessToken && c.AccessToken != "" {
		return nil
	}
	row := configRow{Platform: string(c.Pair.Service), CompanyID: c.CompanyID}
	set := map[string]any{"access_token": "", "is_active": false, "updated_at": c.UpdatedAt}
	if c.Active && c.Chosen == directory.ChosenPage && c.AccessToken != "" {
		set["access_token"], set["is_active"] = s.Seal(c.AccessToken, row.place()), true
		set["page_id"], set["page_name"], set["updated_by"] = c.AccountID, c.AccountName, c.UserID
	}
	return tx.Model(&configRow{}).Where("platform = ? AND company_id = ?", row.Platform, row.CompanyID).Updates(set).Error
}

// SocialConfig returns a company's configuration for a platform, or the fault
// no_config.
func (s *Store) SocialConfig(ctx context.Context, companyID int64, platform string) (directory.SocialConfig, error) {
	var row configRow
	query := s.Read(ctx).Where("platform = ? AND company_id = ?", platform, companyID)
	if err := query.Take(&row).Error; err != nil {
		return directory.SocialConfig{}, failure("read page configuration", err, directory.CodeNoConfig.Fault())
	}
	token, err := s.Unseal(row.AccessToken, row.place())
	if err != nil {
		return directory.SocialConfig{}, failure("read page configuration", err, nil)
	}
	return directory.SocialConfig{
		Platform: row.Platform, CompanyID: row.CompanyID, PageID: row.PageID, PageName: row.PageName, AccessToken: token,
		Active: row.IsActive, DebugMode: row.DebugMode, UpdatedBy: row.UpdatedBy, UpdatedAt: row.UpdatedAt.UTC(),
	}, nil
}
