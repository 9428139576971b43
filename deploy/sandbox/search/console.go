package search

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/internal/googleapi"
)

// siteEntry is a site of the search console
// (https://developers.google.com/webmaster-tools/v1/sites).
type siteEntry struct {
	SiteURL         string `json:"siteUrl"`         // "https://example.pl/" or "sc-domain:example.pl"
	PermissionLevel string `json:"permissionLevel"` // siteOwner, siteFullUser, siteRestrictedUser or siteUnverifiedUser
}

// sites lists what a person may see in the search console. An unverified user sees a
// site in the list, and nothing else of it.
func sites(person string) []siteEntry {
	return map[string][]siteEntry{
		"anna":  {{"sc-domain:piekarnia-kowalski.example", "siteOwner"}, {"https://piekarnia-kowalski.example/", "siteFullUser"}},
		"marek": {{"https://warsztat-nowak.example/", "siteUnverifiedUser"}},
		"piotr": {
			{"https://warsztat-nowak.example/", "siteUnverifiedUser"}, {"sc-domain:kwiaciarnia-polna.example", "siteRestrictedUser"},
			{"sc-domain:piekarnia-kowalski.example", "siteFullUser"},
		},
	}[person]
}

type siteList struct {
	SiteEntry []siteEntry `json:"siteEntry,omitempty"`
}

// listSites answers the sites that a person may see.
func (s *site) listSites(r *http.Request, person string) (any, error) {
	if _, err := googleapi.Query(r); err != nil {
		return nil, err
	}
	if s.toggles.On(toggleEmpty) {
		return siteList{}, nil
	}
	return siteList{sites(person)}, nil
}

// siteRow are the figures of one day or of one query
// (https://developers.google.com/webmaster-tools/v1/searchanalytics/query).
type siteRow struct {
	Keys        []string `json:"keys"`
	Clicks      int      `json:"clicks"`
	Impressions int      `json:"impressions"`
	CTR         float64  `json:"ctr"`
	Position    float64  `json:"position"`
}

func newRow(site, key string) siteRow {
	random := fixtures.Rand(site, key)
	row := siteRow{Keys: []string{key}, Clicks: random.IntN(30), Position: 2 + float64(random.IntN(90))/10}
	row.Impressions = 1 + row.Clicks*(8+random.IntN(9))
	row.CTR = float64(row.Clicks) / float64(row.Impressions)
	return row
}

// querySite answers the figures of a site: for each day, or for some queries.
func (s *site) querySite(r *http.Request, person string) (any, error) {
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
		return nil, googleapi.Invalid("Invalid value at 'search_analytics_query_request'.")
	case !slices.ContainsFunc(sites(person), mine):
		return nil, googleapi.Forbidden()
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
