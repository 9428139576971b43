package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"backend.example/services/directory/internal/directory"
)

// pageDocument is a directory.PageData as the column data holds it.
type pageDocument struct {
	FanCount       int            `json:"fan_count"`
	FollowersCount int            `json:"followers_count"`
	Name           string         `json:"name"`
	Category       string         `json:"category"`
	Link           string         `json:"link"`
	Metrics        map[string]any `json:"metrics"`
	Unavailable    []string       `json:"unavailable"`
	SyncedAt       time.Time      `json:"synced_at"`
	readingDocument
}

// photoDocument is the same of a directory.PhotoData.
type photoDocument struct {
	Profile     photoProfileDocument `json:"profile"`
	Media       []mediumDocument     `json:"media"`
	Engagement  engagementDocument   `json:"engagement"`
	Insights    map[string]any       `json:"insights"`
	Unavailable []string             `json:"unavailable"`
	SyncedAt    time.Time            `json:"synced_at"`
	readingDocument
}

// readingDocument is a directory.MetricsReading; of a complete one nothing is kept.
type readingDocument struct {
	State    string               `json:"metrics_state,omitempty"`
	Reason   string               `json:"metrics_reason,omitempty"`
	KeptFrom map[string]time.Time `json:"metrics_kept_from,omitempty"`
}

func readingDocumentOf(r directory.MetricsReading) readingDocument {
	if r.State == directory.MetricsComplete {
		return readingDocument{}
	}
	return readingDocument{State: r.State.String(), Reason: r.Reason, KeptFrom: r.KeptFrom}
}

func (d readingDocument) reading() directory.MetricsReading {
	return directory.MetricsReading{State: directory.ParseMetricsState(d.State), Reason: d.Reason, KeptFrom: d.KeptFrom}
}

type photoProfileDocument struct {
	ID                string `json:"id"`
	Username          string `json:"username"`
	Name              string `json:"name"`
	Biography         string `json:"biography"`
	Website           string `json:"website"`
	ProfilePictureURL string `json:"profile_picture_url"`
	FollowersCount    int    `json:"followers_count"`
	FollowsCount      int    `json:"follows_count"`
	MediaCount        int    `json:"media_count"`
}

type mediumDocument struct {
	ID            string    `json:"id"`
	Caption       string    `json:"caption"`
	MediaType     string    `json:"media_type"`
	Permalink     string    `json:"permalink"`
	Timestamp     time.Time `json:"timestamp"`
	LikeCount     *int      `json:"like_count"`
	CommentsCount int       `json:"comments_count"`
}

type engagementDocument struct {
	Likes    int     `json:"likes"`
	Comments int     `json:"comments"`
	Rate     float64 `json:"rate"`
}

var errNoReading = errors.New("statistics without a reading")

// encodeReading is the column data of a reading.
func encodeReading(s directory.Statistics) (string, error) {
	var document any
	switch {
	case s.Service == directory.SocialPages && s.Page != nil:
		document = pageDocumentOf(*s.Page)
	case s.Service == directory.SocialPhotos && s.Photos != nil:
		document = photoDocumentOf(*s.Photos)
	case s.Service == directory.SearchAnalytics && s.Search != nil:
		document = searchDocumentOf(*s.Search)
	default:
		return "", errNoReading
	}
	encoded, err := json.Marshal(document)
	return string(encoded), err
}

// decodeReading is the reverse of encodeReading.
func decodeReading(s *directory.Statistics, data string) (err error) {
	switch s.Service {
	case directory.SocialPages:
		var document pageDocument
		err = json.Unmarshal([]byte(data), &document)
		s.Page = document.data()
	case directory.SocialPhotos:
		var document photoDocument
		err = json.Unmarshal([]byte(data), &document)
		s.Photos = document.data()
	case directory.SearchAnalytics:
		var document searchDocument
		err = json.Unmarshal([]byte(data), &document)
		s.Search = document.data()
	}
	if err != nil {
		return fmt.Errorf("statistics of %s: %w", s.Service, err)
	}
	return nil
}

func pageDocumentOf(d directory.PageData) pageDocument {
	return pageDocument{
		FanCount: d.FanCount, FollowersCount: d.FollowersCount, Name: d.Name, Category: d.Category, Link: d.Link,
		Metrics: d.Metrics, Unavailable: d.Unavailable, SyncedAt: d.SyncedAt, readingDocument: readingDocumentOf(d.Reading),
	}
}

func (d *pageDocument) data() *directory.PageData {
	return &directory.PageData{
		FanCount: d.FanCount, FollowersCount: d.FollowersCount, Name: d.Name, Category: d.Category, Link: d.Link,
		Metrics: d.Metrics, Unavailable: d.Unavailable, SyncedAt: d.SyncedAt, Reading: d.reading(),
	}
}

func photoDocumentOf(d directory.PhotoData) photoDocument {
	document := photoDocument{
		Profile: photoProfileDocument(d.Profile), Engagement: engagementDocument(d.Engagement), Insights: d.Insights,
		Unavailable: d.Unavailable, SyncedAt: d.SyncedAt, readingDocument: readingDocumentOf(d.Reading),
	}
	if d.Media != nil {
		document.Media = make([]mediumDocument, len(d.Media))
	}
	for i, m := range d.Media {
		document.Media[i] = mediumDocument(m)
	}
	return document
}

func (d *photoDocument) data() *directory.PhotoData {
	data := directory.PhotoData{
		Profile: directory.PhotoProfile(d.Profile), Engagement: directory.Engagement(d.Engagement), Insights: d.Insights,
		Unavailable: d.Unavailable, SyncedAt: d.SyncedAt, Reading: d.reading(),
	}
	if d.Media != nil {
		data.Media = make([]directory.Medium, len(d.Media))
	}
	for i, m := range d.Media {
		data.Media[i] = directory.Medium(m)
	}
	return &data
}
