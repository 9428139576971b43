// Package social lets a company choose its Facebook page, reads the statistics of the page and
// of the Instagram account linked to it, and keeps the configuration for publishing.
package social

import (
	"log/slog"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// The codes of choosing a page.
var (
	CodePageNotFound = fault.NewCode(fault.NotFound, "page_not_found",
		"Nie znaleziono wybranej strony wśród zarządzanych stron.")
	CodePageWithoutCredential = fault.NewCode(fault.Invalid, "page_without_credential",
		"Połączona osoba nie może działać w imieniu tej strony. Nadaj jej dostęp w ustawieniach strony lub portfolio "+
			"i połącz konto ponownie.")
)

// Refusal returns in Polish why a company cannot choose the page; it is empty if it can.
func Refusal(p meta.Page) string {
	if p.AccessToken != "" {
		return ""
	}
	return CodePageWithoutCredential.Text
}

// Platform is the platform value of a page's configuration.
const Platform = string(provider.SocialPages)

// Config is the configuration for publishing, one for each platform and company.
type Config struct {
	ID          int64
	Platform    string
	CompanyID   int64
	PageID      string
	PageName    string
	AccessToken string // encrypted in the database
	IsActive    bool
	DebugMode   bool
	UpdatedBy   int64
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// PageData is the result of a page sync.
type PageData struct {
	meta.PageData
	MetricsReading
}

// PhotoData is the result of a photo-network sync.
type PhotoData struct {
	meta.PhotoData
	MetricsReading
}

// The states of a MetricsReading. A complete one may lack metrics that the provider does not have.
const (
	MetricsComplete = "complete"
	MetricsPartial  = "partial"
	MetricsSkipped  = "skipped"
)

// MetricsReading is how many of an account's metrics a sync could read.
type MetricsReading struct {
	State    string               `json:"metrics_state"`
	Reason   *string              `json:"metrics_reason"`    // in Polish; nil if it is complete
	KeptFrom map[string]time.Time `json:"metrics_kept_from"` // when metrics of an earlier sync were read
	SyncedAt time.Time            `json:"synced_at"`
}

// parts are what PageData and PhotoData have in common. The pointers lead into them.
type parts struct {
	account, name string // id and name of the page or of the photo-network account
	followers     int
	metrics       *map[string]any
	read          *meta.Reading   // what the client says about the metrics
	reading       *MetricsReading // what is stored and shown about them
}

func pageParts(d *PageData, c connection.Connection) parts {
	return parts{c.AccountID, d.Name, d.FollowersCount, &d.Metrics, &d.Reading, &d.MetricsReading}
}

func photoParts(d *PhotoData, _ connection.Connection) parts {
	return parts{d.Profile.ID, d.Profile.Username, d.Profile.FollowersCount, &d.Insights, &d.Reading, &d.MetricsReading}
}

// keepMissed describes the reading, and fills in the metrics that it missed from the sync before; before is nil if
// there was none.
func (p parts) keepMissed(before *parts, at time.Time) {
	reading := MetricsReading{State: MetricsComplete, KeptFrom: map[string]time.Time{}, SyncedAt: at}
	if p.read.Missed.Err != nil {
		reading.State, reading.Reason = MetricsPartial, &fault.From(p.read.Missed.Err).Message
		if len(*p.metrics) == 0 {
			reading.State = MetricsSkipped
		}
	}
	*p.reading = reading
	if before == nil {
		return
	}
	for _, name := range p.read.Missed.Metrics {
		if slices.Contains(before.read.Unavailable, name) {
			p.read.Unavailable = append(p.read.Unavailable, name)
		}
		metric, ok := (*before.metrics)[name]
		if !ok {
			continue
		}
		(*p.metrics)[name], reading.KeptFrom[name] = metric, before.reading.SyncedAt
		if earlier, ok := before.reading.KeptFrom[name]; ok {
			reading.KeptFrom[name] = earlier
		}
	}
}

// Service lets companies choose their page and syncs it. It is safe for concurrent use.
type Service struct {
	store       *connection.Store
	connections *connection.Service
	client      *meta.Client
	strict      bool
	log         *slog.Logger
}

// New returns a Service. If strict is set, choosing pages requires the right to edit the company; the
// contract requires a login only.
func New(
	store *connection.Store, connections *connection.Service, client *meta.Client, strict bool, log *slog.Logger,
) *Service {
	s := &Service{store: store, connections: connections, client: client, strict: strict, log: log}
	store.OnChange = s.followPage
	return s
}

// ForScans returns a copy whose requests wait for those that a person waits for.
func (s *Service) ForScans(connections *connection.Service) *Service {
	c := *s
	c.connections, c.client = connections, s.client.ForScans()
	return &c
}

// TableName implements gorm's schema.Tabler.
func (Config) TableName() string { return "social_media_configs" }

func tokenPlace(companyID int64) database.Place {
	return database.PlaceOf("social_media_configs", "access_token", Platform, companyID)
}

// followPage updates the publishing configuration when its connection's page changes: it takes over
// another token, and is switched off without one.
func (s *Service) followPage(tx *gorm.DB, c, before connection.Connection) error {
	if c.Chosen != connection.ChosenPage && before.Chosen != connection.ChosenPage {
		return nil
	}
	isUsable := c.Active && c.AccessToken != ""
	if isUsable && c.Chosen == before.Chosen && c.AccessToken == before.AccessToken {
		return nil
	}
	set := map[string]any{"access_token": "", "is_active": false, "updated_at": c.UpdatedAt}
	if isUsable && c.Chosen == connection.ChosenPage {
		set["access_token"], set["is_active"] = s.store.Seal(c.AccessToken, tokenPlace(c.CompanyID)), true
		set["page_id"] = c.AccountID
		set["page_name"] = c.AccountName
		set["updated_by"] = c.UserID
	}
	return tx.Model(&Config{}).Where("platform = ? AND company_id = ?", string(c.Pair.Service), c.CompanyID).
		Updates(set).Error
}

// SaveConfig creates or replaces a publishing configuration.
func SaveConfig(tx *gorm.DB, db *database.DB, c Config) error {
	c.AccessToken = db.Seal(c.AccessToken, tokenPlace(c.CompanyID))
	return tx.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "platform"}, {Name: "company_id"}},
		DoUpdates: clause.AssignmentColumns([]string{
			"page_id", "page_name", "access_token", "is_active", "debug_mode", "updated_by", "updated_at",
		}),
	}).Create(&c).Error
}
