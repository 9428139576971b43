package store

import (
	"time"

	"backend.example/services/directory/internal/directory"
)

// searchDocument is a directory.SearchData as the column data of the statistics holds it.
type searchDocument struct {
	Site        string                `json:"site"`
	From        string                `json:"from"`
	To          string                `json:"to"`
	Clicks      int                   `json:"clicks"`
	Impressions int                   `json:"impressions"`
	CTR         float64               `json:"ctr"`
	Position    float64               `json:"position"`
	Days        []searchDayDocument   `json:"days"`
	Queries     []searchQueryDocument `json:"queries"`
	SyncedAt    time.Time             `json:"synced_at"`
}

type searchDayDocument struct {
	Day         string  `json:"day"`
	Clicks      int     `json:"clicks"`
	Impressions int     `json:"impressions"`
	Position    float64 `json:"position"`
}

type searchQueryDocument struct {
	Query       string  `json:"query"`
	Clicks      int     `json:"clicks"`
	Impressions int     `json:"impressions"`
	CTR         float64 `json:"ctr"`
	Position    float64 `json:"position"`
}

func searchDocumentOf(d directory.SearchData) searchDocument {
	document := searchDocument{
		Site: d.Site, From: d.From, To: d.To, Clicks: d.Clicks, Impressions: d.Impressions, CTR: d.CTR, Position: d.Position, SyncedAt: d.SyncedAt,
	}
	for _, day := range d.Days {
		document.Days = append(document.Days, searchDayDocument(day))
	}
	for _, query := range d.Queries {
		document.Queries = append(document.Queries, searchQueryDocument(query))
	}
	return document
}

func (d *searchDocument) data() *directory.SearchData {
	data := &directory.SearchData{
		Site: d.Site, From: d.From, To: d.To, Clicks: d.Clicks, Impressions: d.Impressions, CTR: d.CTR, Position: d.Position, SyncedAt: d.SyncedAt,
	}
	for _, day := range d.Days {
		data.Days = append(data.Days, directory.SearchDay(day))
	}
	for _, query := range d.Queries {
		data.Queries = append(data.Queries, directory.SearchQuery(query))
	}
	return data
}
