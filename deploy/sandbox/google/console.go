package google

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"backend.example/deploy/sandbox/fake"
)

// siteEntry is a site of the search console
// (https://developers.google.com/webmaster-tools/v1/sites).
type siteEntry struct {
	SiteURL         string `json:"siteUrl"`         // "https://example.pl/" or "sc-domain:example.pl"
	PermissionLevel string `json:"permissionLevel"` // siteOwner, siteFullUser, siteRestrictedUser or siteUnverifiedUser
}

// listSites answers the sites that a person may see. An unverified user sees a site in
// the list, and nothing else of it.
func (p *Provider) listSites(r *http.Request, person string) (any, error) {
	var list struct {
		SiteEntry []siteEntry `json:"siteEntry,omitempty"`
	}
	if !p.On(toggleEmpty) {
		list.SiteEntry = p.sites[person]
	}
	_, err := Query(r)
	return list, err
}

// siteRow holds the figures of one day or of one query
// (https://developers.google.com/webmaster-tools/v1/searchanalytics/query).
type siteRow struct {
	Keys        []string `json:"keys"`
	Clicks      int      `json:"clicks"`
	Impressions int      `json:"impressions"`
	CTR         float64  `json:"ctr"`
	Position    float64  `json:"position"`
}

func newRow(site, key string) siteRow {
	random := fake.Rand(site, key)
	row := siteRow{Keys: []string{key}, Clicks: random.IntN(30), Position: 2 + float64(random.IntN(90))/10}
	row.Impressions = 1 + row.Clicks*(8+random.IntN(9))
	row.CTR = float64(row.Clicks) / float64(row.Impressions)
	return row
}

// querySite answers the figures of a site: for each day, or for some queries.
func (p *Provider) querySite(r *http.Request, person string) (any, error) {
	var q struct {
		StartDate, EndDate string
		Dimensions         []string
		RowLimit           int
	}
	site := r.PathValue("site")
	malformed := json.NewDecoder(r.Body).Decode(&q)
	first, wrongFirst := time.Parse(time.DateOnly, q.StartDate)
	last, wrongLast := time.Parse(time.DateOnly, q.EndDate)
	mine := func(e siteEntry) bool { return e.SiteURL == site && e.PermissionLevel != "siteUnverifiedUser" }
	switch {
	case errors.Join(malformed, wrongFirst, wrongLast) != nil || len(q.Dimensions) != 1 || q.RowLimit < 1 || q.RowLimit > 25000:
		return nil, Invalid("", "Invalid value at 'search_analytics_query_request'.")
	case !slices.ContainsFunc(p.sites[person], mine):
		return nil, forbidden()
	}
	rows := []siteRow{}
	for day := first; q.Dimensions[0] == "date" && !day.After(last); day = day.AddDate(0, 0, 1) {
		rows = append(rows, newRow(site, day.Format(time.DateOnly)))
	}
	for i := 1; q.Dimensions[0] == "query" && i <= 12; i++ {
		rows = append(rows, newRow(site, "zapytanie "+strconv.Itoa(i)))
	}
	rows = rows[:min(len(rows), q.RowLimit)]
	return map[string]any{"rows": rows, "responseAggregationType": "byProperty"}, nil
}
