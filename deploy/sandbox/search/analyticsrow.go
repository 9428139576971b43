package search

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"backend.example/deploy/sandbox/internal/seeded"
)

// How old the figures of the search console are at least, and at most.
const (
	analyticsLag     = 2  // days
	analyticsHistory = 16 // months
)

type analyticsAnswer struct {
	Rows                    []analyticsRow `json:"rows,omitempty"`
	ResponseAggregationType string         `json:"responseAggregationType"`
}

type analyticsRow struct {
	Keys        []string `json:"keys,omitempty"` // one for each dimension
	Clicks      int      `json:"clicks"`
	Impressions int      `json:"impressions"`
	CTR         float64  `json:"ctr"`
	Position    float64  `json:"position"`
}

// dimensionKeys lists what there is of a dimension at a site; nil when it is none
// that has a fixed list.
func dimensionKeys(address, dimension string) []string {
	switch dimension {
	case "query":
		return []string{"godziny otwarcia", "cennik", "opinie", "telefon", "jak dojechać", "zamówienia online"}
	case "page":
		base := "https://" + strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(address, "/"), "sc-domain:"), "https://")
		return []string{base + "/", base + "/kontakt", base + "/oferta"}
	case "country":
		return []string{"pol", "deu", "gbr"}
	case "device":
		return []string{"MOBILE", "DESKTOP", "TABLET"}
	}
	return nil
}

// analyticsRows makes a row up for each combination of keys: the same one for the
// same keys and days. Rows with dates begin with the oldest, others with the most
// clicks. Only the web finds anything here.
func (s *site) analyticsRows(address string, q analyticsQuery) []analyticsRow {
	days := s.analyticsDays(q)
	if len(days) == 0 || q.Type != "web" {
		return nil
	}
	keys := [][]string{nil}
	dated := slices.Index(q.Dimensions, "date")
	for i, dimension := range q.Dimensions {
		values := dimensionKeys(address, dimension)
		if i == dated {
			values = days
		}
		keys = combine(keys, values)
	}
	rows := make([]analyticsRow, 0, len(keys))
	for _, k := range keys {
		covered := days
		if dated >= 0 {
			covered = k[dated : dated+1]
		}
		rows = append(rows, newAnalyticsRow(address, k, covered))
	}
	slices.SortStableFunc(rows, func(a, b analyticsRow) int {
		if dated >= 0 && a.Keys[dated] != b.Keys[dated] {
			return strings.Compare(a.Keys[dated], b.Keys[dated])
		}
		return cmp.Compare(b.Clicks, a.Clicks)
	})
	return rows
}

// analyticsDays lists the days of the range that have figures.
func (s *site) analyticsDays(q analyticsQuery) []string {
	today := s.now().UTC().Truncate(24 * time.Hour)
	newest, oldest := today.AddDate(0, 0, -analyticsLag), today.AddDate(0, -analyticsHistory, 0)
	from := q.from
	if from.Before(oldest) {
		from = oldest
	}
	var days []string
	for at := from; !at.After(q.to) && !at.After(newest); at = at.AddDate(0, 0, 1) {
		days = append(days, at.Format(time.DateOnly))
	}
	return days
}

// combine appends each value to each key.
func combine(keys [][]string, values []string) [][]string {
	var combined [][]string
	for _, key := range keys {
		for _, value := range values {
			combined = append(combined, append(slices.Clone(key), value))
		}
	}
	return combined
}

func newAnalyticsRow(address string, keys, days []string) analyticsRow {
	random := seeded.Rand(append([]string{"analytics", address, days[0], days[len(days)-1]}, keys...)...)
	row := analyticsRow{Keys: keys, Impressions: len(days) * (20 + random.IntN(200)), Position: 1 + float64(random.IntN(200))/10}
	row.Clicks = random.IntN(row.Impressions/5 + 1)
	row.CTR = float64(row.Clicks) / float64(row.Impressions)
	return row
}
