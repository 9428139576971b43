package directory

import "time"

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
