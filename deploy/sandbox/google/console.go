package google

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"backend.example/deploy/sandbox/fake"
)

// listSites: see https://developers.google.com/webmaster-tools/v1/sites. An unverified user sees a site in the
// list, and nothing else of it.
func (p *Provider) listSites(r request) (any, error) {
	if sites := p.sites[r.person]; len(sites) > 0 && !p.On(toggleEmpty) {
		return map[string][]Object{"siteEntry": sites}, nil
	}
	return Object{}, nil
}

// newRow: see https://developers.google.com/webmaster-tools/v1/searchanalytics/query.
func newRow(site, key string) Object {
	random := fake.Rand(site, key)
	clicks, position := random.IntN(30), 2+float64(random.IntN(90))/10
	impressions := 1 + clicks*(8+random.IntN(9))
	ctr := float64(clicks) / float64(impressions)
	return Object{"keys": []string{key}, "clicks": clicks, "impressions": impressions, "ctr": ctr, "position": position}
}

func (p *Provider) querySite(r request) (any, error) {
	var q struct {
		StartDate, EndDate string
		Dimensions         []string
		RowLimit           int
	}
	site := r.PathValue("site")
	unreadable := json.NewDecoder(r.Body).Decode(&q)
	first, wrongFirst := time.Parse(time.DateOnly, q.StartDate)
	last, wrongLast := time.Parse(time.DateOnly, q.EndDate)
	mine := func(e Object) bool { return e["siteUrl"] == site && e["permissionLevel"] != "siteUnverifiedUser" }
	malformed := errors.Join(unreadable, wrongFirst, wrongLast) != nil || len(q.Dimensions) != 1
	switch {
	case malformed, q.RowLimit < 1, q.RowLimit > 25000:
		return nil, Invalid("", "Invalid value at 'search_analytics_query_request'.")
	case !slices.ContainsFunc(p.sites[r.person], mine):
		return nil, forbidden()
	}
	rows := []Object{}
	for day := first; q.Dimensions[0] == "date" && !day.After(last); day = day.AddDate(0, 0, 1) {
		rows = append(rows, newRow(site, day.Format(time.DateOnly)))
	}
	for i := 1; q.Dimensions[0] == "query" && i <= 12; i++ {
		rows = append(rows, newRow(site, "zapytanie "+strconv.Itoa(i)))
	}
	rows = rows[:min(len(rows), q.RowLimit)]
	return map[string]any{"rows": rows, "responseAggregationType": "byProperty"}, nil
}
