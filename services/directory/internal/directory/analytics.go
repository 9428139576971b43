package directory

import (
	"context"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// SearchData is the result of a search_analytics sync: how a website was found in the
// last 28 days of which the provider has all figures.
type SearchData struct {
	Site        string // as the provider names it, "https://firma.pl/" or "sc-domain:firma.pl"
	From        string // first and last day, e.g. "2026-11-20"
	To          string
	Clicks      int
	Impressions int
	CTR         float64     // clicks per impression
	Position    float64     // on average, 1 is the top
	Days        []SearchDay // those with impressions, oldest first
	Queries     []SearchQuery
	SyncedAt    time.Time
}

// SearchDay is one day of a website.
type SearchDay struct {
	Day         string
	Clicks      int
	Impressions int
	Position    float64
}

// SearchQuery is one of the queries that led to the website most often.
type SearchQuery struct {
	Query       string
	Clicks      int
	Impressions int
	CTR         float64
	Position    float64
}

// total sums the days up. The position is that of an average impression.
func (d *SearchData) total() {
	var positions float64
	for _, day := range d.Days {
		d.Clicks, d.Impressions = d.Clicks+day.Clicks, d.Impressions+day.Impressions
		positions += day.Position * float64(day.Impressions)
	}
	if d.Impressions > 0 {
		d.CTR, d.Position = float64(d.Clicks)/float64(d.Impressions), positions/float64(d.Impressions)
	}
}

// Analytics reads how the companies' websites are found.
type Analytics struct {
	oauth   *OAuth
	store   StatisticsStore
	company func(ctx context.Context, id int64) (Company, error)
}

// NewAnalytics returns an Analytics.
func NewAnalytics(oauth *OAuth, store StatisticsStore, company func(ctx context.Context, id int64) (Company, error)) *Analytics {
	return &Analytics{oauth, store, company}
}

var analyticsPair = provider.AnalyticsPair

// Sync refreshes the figures of the company's website. The faults are no_connection,
// too_much_work, no_site, which says that the connected account has verified no site
// that is the company's, and those of the provider.
func (a *Analytics) Sync(ctx context.Context, companyID int64) (SearchData, error) {
	c, err := a.oauth.active(ctx, companyID, analyticsPair)
	if err == nil {
		err = a.oauth.maySync(ctx, companyID, SearchAnalytics)
	}
	if err != nil {
		return SearchData{}, err
	}
	return a.sync(ctx, c)
}

// rescan is the sync of the scan.
func (a *Analytics) rescan(ctx context.Context, companyID int64) error {
	c, err := a.oauth.active(ctx, companyID, analyticsPair)
	if err == nil {
		_, err = a.sync(ctx, c)
	}
	if fault.Is(err, CodeNoSite) {
		return errNothing
	}
	return err
}

func (a *Analytics) sync(ctx context.Context, c Connection) (data SearchData, err error) {
	search := a.oauth.providers[ProviderSearch]
	if search.Sites == nil || search.ReadSearch == nil {
		return data, cannot(ProviderSearch, "read search figures")
	}
	company, err := a.company(ctx, c.CompanyID)
	if err != nil {
		return data, err
	}
	data, err = use(ctx, a.oauth, c, func(ctx context.Context, token, _ string) (SearchData, error) {
		sites, err := search.Sites(ctx, token)
		if err != nil {
			return SearchData{}, err
		}
		site := siteOf(company.Website, sites)
		if site == "" {
			return SearchData{}, CodeNoSite.Fault()
		}
		return search.ReadSearch(ctx, token, site)
	})
	a.oauth.noteDenial(ctx, c, SearchAnalytics, err)
	if err != nil {
		a.oauth.noteFailure(ctx, a.store, c.CompanyID, SearchAnalytics, err)
		return SearchData{}, err
	}
	data.total()
	data.SyncedAt = a.oauth.now()
	return data, a.store.SaveStatistics(ctx, Statistics{
		CompanyID: c.CompanyID, Service: SearchAnalytics, AccountID: data.Site, Followers: data.Clicks, Search: &data, SyncedAt: data.SyncedAt,
	})
}

// Statistics returns what the last sync of the company's website read, nothing when
// there was none, and the clicks of that and earlier syncs, oldest first.
func (a *Analytics) Statistics(ctx context.Context, companyID int64) (Statistics, []Followers, error) {
	return readings(ctx, a.store, companyID, SearchAnalytics)
}

// siteOf is the one of the verified sites that is the website, empty when none is: a
// property of its domain or of a domain above, the nearest first, then one of its host.
// A property of the domain knows what the others do, and more.
func siteOf(website string, sites []string) (best string) {
	host, rank := WebsiteHost(website), 0
	if host == "" {
		return ""
	}
	for _, site := range sites {
		domain, isDomain := strings.CutPrefix(site, "sc-domain:")
		of := 0
		switch {
		case isDomain && (host == domain || strings.HasSuffix(host, "."+domain)):
			of = 2 + len(domain)
		case !isDomain && WebsiteHost(site) == host:
			of = 1
		}
		if of > rank {
			best, rank = site, of
		}
	}
	return best
}
