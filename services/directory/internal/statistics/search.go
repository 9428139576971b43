package statistics

import (
	"context"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// CodeNoSite is an account that has verified no website of the company.
var CodeNoSite = fault.NewCode(fault.NotFound, "no_site", "Połączone konto nie ma zweryfikowanej witryny, która "+
	"odpowiada adresowi strony firmy w katalogu.")

// Search is the result of a sync: the last 28 days of a website whose figures are final.
type Search struct {
	google.SearchData
	Clicks      int       `json:"clicks"`
	Impressions int       `json:"impressions"`
	CTR         float64   `json:"ctr"`      // clicks per impression
	Position    float64   `json:"position"` // of an average impression, 1 is the top
	SyncedAt    time.Time `json:"synced_at"`
}

func (d *Search) total() {
	var positions float64
	for _, day := range d.Days {
		d.Clicks, d.Impressions = d.Clicks+day.Clicks, d.Impressions+day.Impressions
		positions += day.Position * float64(day.Impressions)
	}
	if d.Impressions > 0 {
		d.CTR, d.Position = float64(d.Clicks)/float64(d.Impressions), positions/float64(d.Impressions)
	}
}

// SyncSearch refreshes the figures of the company's website. The faults are no_connection,
// too_much_work, no_site and those of the provider.
func (s *Service) SyncSearch(ctx context.Context, companyID int64) (Search, error) {
	c, err := s.connections.Active(ctx, companyID, provider.AnalyticsPair)
	if err != nil {
		return Search{}, err
	}
	if err = s.connections.LimitSync(ctx, companyID, provider.SearchAnalytics); err != nil {
		return Search{}, err
	}
	return s.syncSearch(ctx, c)
}

// ScanSearch is the sync of the scan. worked is false if there is no website to read.
func (s *Service) ScanSearch(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.connections.Active(ctx, companyID, provider.AnalyticsPair)
	if err != nil {
		return false, err
	}
	_, err = s.syncSearch(ctx, c)
	if fault.Is(err, CodeNoSite) || fault.Is(err, CodePropertyLost) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, nil
}

func (s *Service) syncSearch(ctx context.Context, c connection.Connection) (Search, error) {
	company, err := s.companies.ByID(ctx, c.CompanyID)
	if err != nil {
		return Search{}, err
	}
	read, err := connection.Use(ctx, s.connections, c,
		func(ctx context.Context, token, _ string) (google.SearchData, error) {
			if c.Property != "" {
				return s.readChosen(ctx, token, c.Property)
			}
			sites, err := s.client.Sites(ctx, token)
			if err != nil {
				return google.SearchData{}, err
			}
			return s.readFirst(ctx, token, google.SitesOf(company.Website, sites))
		})
	err = s.connections.NoteDenial(ctx, c, provider.SearchAnalytics, err)
	s.connections.NoteRead(ctx, c, provider.SearchAnalytics, read.Site, err)
	if err != nil {
		return Search{}, err
	}
	data := Search{SearchData: read, SyncedAt: s.db.Now()}
	data.total()
	return data, Save(ctx, s.db, Reading[Search]{
		CompanyID: c.CompanyID, Service: provider.SearchAnalytics, AccountID: data.Site, Count: data.Clicks,
		Data: &data, SyncedAt: data.SyncedAt,
	})
}

// Search returns the last sync of the company's website, without data if there was none.
func (s *Service) Search(ctx context.Context, companyID int64) (Reading[Search], error) {
	return Latest[Search](ctx, s.db, companyID, provider.SearchAnalytics)
}

func (s *Service) readChosen(ctx context.Context, token, property string) (google.SearchData, error) {
	read, err := s.client.ReadSearch(ctx, token, property)
	if google.IsSiteRefusal(err) {
		err = CodePropertyLost.Wrap(err)
	}
	return read, err
}

// readFirst reads the first site that the person may read. A refusal says nothing of the others.
func (s *Service) readFirst(ctx context.Context, token string, sites []string) (google.SearchData, error) {
	refused := error(CodeNoSite.Fault())
	for _, site := range sites {
		read, err := s.client.ReadSearch(ctx, token, site)
		if !google.IsSiteRefusal(err) {
			return read, err
		}
		refused = CodeNoSite.Wrap(err)
	}
	return google.SearchData{}, refused
}
