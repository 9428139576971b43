package google

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// searchSitesURL lists the sites of a person, and leads to the figures of each
// (https://developers.google.com/webmaster-tools/v1/sites/list).
const searchSitesURL = "https://searchconsole.googleapis.com/webmasters/v3/sites"

const (
	searchDays       = 28  // how many days a reading shows
	searchAll        = 180 // how many days are read, so that a reading can be compared with the time before it
	searchDelay      = 3   // how many days it takes until the figures of a day are final
	maxSearchQueries = 10
)

// SearchData is how a website was found in the last days whose figures are final.
type SearchData struct {
	Site string      `json:"site"` // as the provider names it, "https://firma.pl/" or "sc-domain:firma.pl"
	From string      `json:"from"` // first and last day, e.g. "2026-11-20"
	To   string      `json:"to"`
	Days []SearchDay `json:"days"` // those with impressions, oldest first
	// the same of the days before From, back to 180 days before To; nil in older stored readings
	Earlier []SearchDay   `json:"earlier"`
	Queries []SearchQuery `json:"queries"`
}

// SearchDay is one day of a website.
type SearchDay struct {
	Day         string  `json:"day"`
	Clicks      int     `json:"clicks"`
	Impressions int     `json:"impressions"`
	Position    float64 `json:"position"`
}

// SearchQuery is a query that led to the website.
type SearchQuery struct {
	Query       string  `json:"query"`
	Clicks      int     `json:"clicks"`
	Impressions int     `json:"impressions"`
	CTR         float64 `json:"ctr"`
	Position    float64 `json:"position"`
}

// Sites lists the sites whose figures the owner of the token may read.
func (s *Client) Sites(ctx context.Context, accessToken string) ([]string, error) {
	var list struct {
		SiteEntry []struct {
			SiteURL         string `json:"siteUrl"` // "https://example.pl/" or "sc-domain:example.pl"
			PermissionLevel string `json:"permissionLevel"`
		} `json:"siteEntry"`
	}
	if err := s.get(ctx, accessToken, searchSitesURL, nil, &list); err != nil {
		return nil, err
	}
	var sites []string
	for _, site := range list.SiteEntry {
		// The schema spells it SITE_UNVERIFIED_USER, the answers siteUnverifiedUser.
		level := strings.ReplaceAll(site.PermissionLevel, "_", "")
		if !strings.EqualFold(level, "siteUnverifiedUser") {
			sites = append(sites, site.SiteURL)
		}
	}
	return sites, nil
}

// IsSiteRefusal reports whether err is the refusal of one site, although the scope was granted.
func IsSiteRefusal(err error) bool {
	return fault.Is(err, provider.CodeGone) || fault.Is(err, provider.CodePermission) && !errors.Is(err, errScope)
}

// SitesOf returns those of sites that show how a website is found, the best first: the exact address,
// the same host with the other scheme or "www.", each root before its folders, then the domains from
// the nearest. Hosts are compared in Punycode, and a final slash does not matter.
func SitesOf(website string, sites []string) []string {
	want := parseSite(website)
	if want.host == "" {
		return nil
	}
	ranks := map[string]int{}
	for _, site := range sites {
		if rank := want.rank(parseSite(site)); rank > 0 {
			ranks[site] = rank
		}
	}
	return slices.SortedFunc(maps.Keys(ranks), func(a, b string) int {
		return cmp.Or(ranks[a]-ranks[b], cmp.Compare(a, b))
	})
}

type site struct {
	scheme string // empty for the property of a domain
	host   string // in Punycode, lower case
	path   string // without a final slash
}

// parseSite reads "https://firma.pl/sklep/", "firma.pl" or "sc-domain:firma.pl".
func parseSite(address string) site {
	address = strings.TrimSpace(address)
	if domain, ok := strings.CutPrefix(address, "sc-domain:"); ok {
		return site{host: punycode(domain)}
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return site{}
	}
	return site{strings.ToLower(u.Scheme), punycode(u.Hostname()), strings.TrimSuffix(u.Path, "/")}
}

func punycode(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return host
	}
	return ascii
}

// What is added to the rank of a property for each difference from the website. The property of another folder, such
// as a blog, comes after every root, and that of a domain after every address.
const (
	rankOtherScheme  = 1
	rankOtherWWW     = 2
	rankParentFolder = 5
	rankRoot         = 10
	rankOtherFolder  = 100
	rankDomain       = 1000
)

// rank returns how well a property fits a website, from 1, the best; 0 is not at all.
func (w site) rank(property site) int {
	if property.scheme == "" {
		sub, isParent := strings.CutSuffix(w.host, property.host)
		switch {
		case strings.TrimPrefix(w.host, "www.") == strings.TrimPrefix(property.host, "www."):
			return rankDomain
		case isParent && strings.HasSuffix(sub, "."): // the nearest parent first
			return rankDomain + strings.Count(sub, ".")
		}
		return 0
	}
	bare := strings.TrimPrefix(w.host, "www.")
	if strings.TrimPrefix(property.host, "www.") != bare {
		return 0
	}
	rank := 1
	if property.host != w.host {
		rank += rankOtherWWW
	}
	if property.scheme != w.scheme {
		rank += rankOtherScheme
	}
	switch {
	case property.path == w.path:
	case property.path == "":
		rank += rankRoot
	case strings.HasPrefix(w.path, property.path+"/"):
		rank += rankParentFolder
	default:
		rank += rankOtherFolder
	}
	return rank
}

// searchQuery asks for figures by one dimension
// (https://developers.google.com/webmaster-tools/v1/searchanalytics/query).
type searchQuery struct {
	StartDate  string   `json:"startDate"`
	EndDate    string   `json:"endDate"`
	Dimensions []string `json:"dimensions"`
	RowLimit   int      `json:"rowLimit"`
	Type       string   `json:"type"`
	DataState  string   `json:"dataState"`
}

type searchRow struct {
	Keys        []string `json:"keys"`
	Clicks      float64  `json:"clicks"`
	Impressions float64  `json:"impressions"`
	CTR         float64  `json:"ctr"`
	Position    float64  `json:"position"`
}

// ReadSearch reads the last days of a site whose figures are final, with their queries.
func (s *Client) ReadSearch(ctx context.Context, accessToken, site string) (data SearchData, err error) {
	defer func() { s.options.Metrics.Call(string(provider.Search), "analytics", err) }()
	const pacific = -8 * time.Hour // the days end at midnight there
	end := s.options.Now().UTC().Add(pacific).AddDate(0, 0, -searchDelay)
	q := searchQuery{
		StartDate: end.AddDate(0, 0, 1-searchDays).Format(time.DateOnly), EndDate: end.Format(time.DateOnly),
		Type: "web", DataState: "final",
	}
	data = SearchData{Site: site, From: q.StartDate, To: q.EndDate, Days: []SearchDay{}, Earlier: []SearchDay{},
		Queries: []SearchQuery{}}
	all := q
	all.StartDate = end.AddDate(0, 0, 1-searchAll).Format(time.DateOnly)
	days, err := s.searchRows(ctx, accessToken, site, all, "date", searchAll)
	if err != nil {
		return data, err
	}
	for _, row := range days {
		day := SearchDay{Day: row.Keys[0], Clicks: int(row.Clicks), Impressions: int(row.Impressions),
			Position: row.Position}
		if day.Day < data.From {
			data.Earlier = append(data.Earlier, day)
		} else {
			data.Days = append(data.Days, day)
		}
	}
	queries, err := s.searchRows(ctx, accessToken, site, q, "query", maxSearchQueries)
	for _, row := range queries {
		data.Queries = append(data.Queries, SearchQuery{
			Query: row.Keys[0], Clicks: int(row.Clicks), Impressions: int(row.Impressions), CTR: row.CTR,
			Position: row.Position,
		})
	}
	return data, err
}

func (s *Client) searchRows(ctx context.Context, accessToken, site string, q searchQuery, dimension string,
	limit int) ([]searchRow, error) {
	q.Dimensions, q.RowLimit = []string{dimension}, limit
	r := provider.Request{
		Method: http.MethodPost, URL: searchSitesURL + "/" + url.PathEscape(site) + "/searchAnalytics/query",
		Token: accessToken, JSON: q,
	}
	var list struct {
		Rows []searchRow `json:"rows"`
	}
	if err := s.call(ctx, r, &list); err != nil {
		return nil, err
	}
	for _, row := range list.Rows {
		if len(row.Keys) != 1 {
			return nil, missingName("row of search figures")
		}
	}
	return list.Rows, nil
}
