// Package searchstats reads how the companies' websites are found in Google Search.
package searchstats

import (
	"context"
	"log/slog"
	"time"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// CodeNoSite is an account that has verified no website of the company.
var CodeNoSite = fault.NewCode(fault.NotFound, "no_site", "Połączone konto nie ma zweryfikowanej witryny, która "+
	"odpowiada adresowi strony firmy w katalogu.")

// Data is the result of a sync: how a website was found in the last 28 days whose
// figures are final.
type Data struct {
	google.SearchData
	Clicks      int       `json:"clicks"`
	Impressions int       `json:"impressions"`
	CTR         float64   `json:"ctr"`      // clicks per impression
	Position    float64   `json:"position"` // of an average impression, 1 is the top
	SyncedAt    time.Time `json:"synced_at"`
}

// total adds up the days.
func (d *Data) total() {
	var positions float64
	for _, day := range d.Days {
		d.Clicks, d.Impressions = d.Clicks+day.Clicks, d.Impressions+day.Impressions
		positions += day.Position * float64(day.Impressions)
	}
	if d.Impressions > 0 {
		d.CTR, d.Position = float64(d.Clicks)/float64(d.Impressions), positions/float64(d.Impressions)
	}
}

// Options configure a Service.
type Options struct {
	Connections *connection.Service
	DB          *database.DB
	Company     func(ctx context.Context, id int64) (company.Company, error)

	// Sites lists the websites whose search figures the owner of a token may read.
	Sites func(ctx context.Context, accessToken string) ([]string, error)
	// ReadSearch reads the figures of one of them.
	ReadSearch func(ctx context.Context, accessToken, site string) (google.SearchData, error)

	Now func() time.Time
	Log *slog.Logger
}

// Service syncs search figures. It is safe for concurrent use.
type Service struct{ Options }

// New returns a Service.
func New(o Options) *Service { return &Service{o} }

// Sync refreshes the figures of the company's website. The faults are no_connection,
// too_much_work, no_site and those of the provider.
func (s *Service) Sync(ctx context.Context, companyID int64) (Data, error) {
	c, err := s.Connections.Active(ctx, companyID, provider.AnalyticsPair)
	if err == nil {
		err = s.Connections.LimitSync(ctx, companyID, provider.SearchAnalytics)
	}
	if err != nil {
		return Data{}, err
	}
	return s.sync(ctx, c)
}

// Scan is the sync of the scan. worked is false if there is no website to read.
func (s *Service) Scan(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.Connections.Active(ctx, companyID, provider.AnalyticsPair)
	if err == nil {
		_, err = s.sync(ctx, c)
	}
	if fault.Is(err, CodeNoSite) || fault.Is(err, CodePropertyLost) {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) sync(ctx context.Context, c connection.Connection) (Data, error) {
	company, err := s.Company(ctx, c.CompanyID)
	if err != nil {
		return Data{}, err
	}
	read, err := connection.Use(ctx, s.Connections, c,
		func(ctx context.Context, token, _ string) (google.SearchData, error) {
			if c.Property != "" {
				return s.readChosen(ctx, token, c.Property)
			}
			sites, err := s.Sites(ctx, token)
			if err != nil {
				return google.SearchData{}, err
			}
			return s.readFirst(ctx, token, google.SitesOf(company.Website, sites))
		})
	err = s.Connections.NoteDenial(ctx, c, provider.SearchAnalytics, err)
	s.Connections.NoteRead(ctx, c, provider.SearchAnalytics, read.Site, err)
	if err != nil {
		history.NoteFailure(ctx, s.DB, s.Log, c.CompanyID, provider.SearchAnalytics, s.Now(), err)
		return Data{}, err
	}
	data := Data{SearchData: read, SyncedAt: s.Now()}
	data.total()
	return data, history.Save(ctx, s.DB, history.Reading[Data]{
		CompanyID: c.CompanyID, Service: provider.SearchAnalytics, AccountID: data.Site, Count: data.Clicks,
		Data: &data, SyncedAt: data.SyncedAt,
	})
}

// Statistics returns the last sync of the company's website, without data if there was
// none, and the clicks of each sync, oldest first.
func (s *Service) Statistics(ctx context.Context, companyID int64) (history.Reading[Data], []history.Point, error) {
	return history.Read[Data](ctx, s.DB, companyID, provider.SearchAnalytics)
}

// readChosen reads the figures of the chosen property and of no other one.
func (s *Service) readChosen(ctx context.Context, token, property string) (google.SearchData, error) {
	read, err := s.ReadSearch(ctx, token, property)
	if google.IsSiteRefusal(err) {
		err = CodePropertyLost.Wrap(err)
	}
	return read, err
}

// readFirst reads the figures of the first site that the person may read. A refusal for one
// says nothing of the others, or of the grant.
func (s *Service) readFirst(ctx context.Context, token string, sites []string) (google.SearchData, error) {
	refused := error(CodeNoSite.Fault())
	for _, site := range sites {
		read, err := s.ReadSearch(ctx, token, site)
		if !google.IsSiteRefusal(err) {
			return read, err
		}
		refused = CodeNoSite.Wrap(err)
	}
	return google.SearchData{}, refused
}
