package httpapi

import (
	"time"

	"backend.example/services/directory/internal/directory"
)

// pageDataBody is a directory.PageData.
type pageDataBody struct {
	FanCount       int            `json:"fan_count"`
	FollowersCount int            `json:"followers_count"`
	Name           string         `json:"name"`
	Category       string         `json:"category"`
	Link           string         `json:"link"`
	Metrics        map[string]any `json:"metrics"`
	Unavailable    []string       `json:"unavailable"`
	SyncedAt       time.Time      `json:"synced_at"`
	readingBody
}

// photoDataBody is a directory.PhotoData.
type photoDataBody struct {
	Profile     photoProfileBody `json:"profile"`
	Media       []mediumBody     `json:"media"`
	Engagement  engagementBody   `json:"engagement"`
	Insights    map[string]any   `json:"insights"`
	Unavailable []string         `json:"unavailable"`
	SyncedAt    time.Time        `json:"synced_at"`
	readingBody
}

// readingBody is a directory.MetricsReading.
type readingBody struct {
	State    string               `json:"metrics_state"`
	Reason   *string              `json:"metrics_reason"`
	KeptFrom map[string]time.Time `json:"metrics_kept_from"`
}

func describeReading(r directory.MetricsReading) readingBody {
	body := readingBody{State: r.State.String(), Reason: OrNull(r.Reason), KeptFrom: r.KeptFrom}
	if body.KeptFrom == nil {
		body.KeptFrom = map[string]time.Time{}
	}
	return body
}

type photoProfileBody struct {
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

type mediumBody struct {
	ID            string    `json:"id"`
	Caption       string    `json:"caption"`
	MediaType     string    `json:"media_type"`
	Permalink     string    `json:"permalink"`
	Timestamp     time.Time `json:"timestamp"`
	LikeCount     *int      `json:"like_count"` // null: hidden by the owner
	CommentsCount int       `json:"comments_count"`
}

type engagementBody struct {
	Likes    int     `json:"likes"`
	Comments int     `json:"comments"`
	Rate     float64 `json:"rate"`
}

func describePageData(data directory.PageData) *pageDataBody {
	return &pageDataBody{
		FanCount: data.FanCount, FollowersCount: data.FollowersCount, Name: data.Name, Category: data.Category, Link: data.Link,
		Metrics: orNoMetrics(data.Metrics), Unavailable: OrEmpty(data.Unavailable), SyncedAt: data.SyncedAt,
		readingBody: describeReading(data.Reading),
	}
}

func describePhotoData(data directory.PhotoData) *photoDataBody {
	body := photoDataBody{
		Profile: photoProfileBody(data.Profile), Media: []mediumBody{}, Engagement: engagementBody(data.Engagement),
		Insights: orNoMetrics(data.Insights), Unavailable: OrEmpty(data.Unavailable), SyncedAt: data.SyncedAt,
		readingBody: describeReading(data.Reading),
	}
	for _, medium := range data.Media {
		body.Media = append(body.Media, mediumBody(medium))
	}
	return &body
}

// orNoMetrics makes JSON of metrics that are not there an empty object.
func orNoMetrics(metrics map[string]any) map[string]any {
	if metrics == nil {
		return map[string]any{}
	}
	return metrics
}
