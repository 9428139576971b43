package meta

import (
	"context"
	"errors"
	"math"
	"net/url"
	"time"

	"backend.example/services/directory/internal/provider"
)

const maxMedia = "25"

// PhotoData is what is read of a photo-network account.
type PhotoData struct {
	Profile    PhotoProfile   `json:"profile"`
	Media      []Medium       `json:"media"` // the newest 25 at most
	Engagement Engagement     `json:"engagement"`
	Insights   map[string]any `json:"insights"` // as Metrics of a PageData
	Reading
}

// PhotoProfile is a photo-network account
// (https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user).
type PhotoProfile struct {
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

// Medium is one post of an account
// (https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-media).
type Medium struct {
	ID            string    `json:"id"`
	Caption       string    `json:"caption"`
	MediaType     string    `json:"media_type"` // IMAGE, VIDEO or CAROUSEL_ALBUM
	Permalink     string    `json:"permalink"`
	Timestamp     time.Time `json:"timestamp"`
	LikeCount     *int      `json:"like_count"` // nil if the owner hides it
	CommentsCount int       `json:"comments_count"`
}

// Engagement sums up the reactions to the media. Rate is in percent of the followers.
type Engagement struct {
	Likes    int     `json:"likes"`
	Comments int     `json:"comments"`
	Rate     float64 `json:"rate"`
}

// ReadPhotos reads the account that is linked to the page: profile, newest media, insights of the last 30
// days and, unless it is the known account, its days of the last 90. A failure to read insights is no
// error. A page without an account is the fault provider_gone.
func (s *Client) ReadPhotos(ctx context.Context, pageToken, pageID, known string) (data PhotoData, err error) {
	defer func() { s.options.Metrics.Call(string(provider.Social), "photos", err) }()
	graph := s.withToken(pageToken)
	graph.title = "Instagram"
	id, err := graph.photoAccountID(ctx, pageID)
	if err != nil {
		return PhotoData{}, err
	}
	path := url.PathEscape(id)
	profile, err := graph.photoProfile(ctx, path)
	if err != nil {
		return PhotoData{}, err
	}
	media, err := graph.media(ctx, path)
	if err != nil {
		return PhotoData{}, err
	}
	insights := newInsightReader(graph, id, known, s.options.Now())
	if err := insights.read(ctx, photoInsights(profile.FollowersCount)); err != nil {
		return PhotoData{}, err
	}
	return PhotoData{
		Profile: profile, Media: media, Engagement: engagement(media, profile.FollowersCount),
		Insights: insights.figures, Reading: insights.reading(),
	}, nil
}

func (c *caller) photoAccountID(ctx context.Context, pageID string) (string, error) {
	var page struct {
		Linked node `json:"instagram_business_account"` // absent if none is linked
	}
	query := url.Values{"fields": {"instagram_business_account"}}
	if err := c.get(ctx, url.PathEscape(pageID), query, &page); err != nil {
		return "", err
	}
	if page.Linked.ID == "" {
		gone := provider.Gone(errors.New("no photo-network account is linked to the page"))
		gone.Message = notProfessional
		return "", gone
	}
	if !graphID.MatchString(page.Linked.ID) {
		return "", provider.Unreadable(errors.New("photo-network account without an id"))
	}
	return page.Linked.ID, nil
}

func (c *caller) photoProfile(ctx context.Context, path string) (profile PhotoProfile, err error) {
	query := url.Values{"fields": {
		"id,username,name,biography,website,profile_picture_url,followers_count,follows_count,media_count",
	}}
	if err := c.get(ctx, path, query, &profile); err != nil {
		return profile, err
	}
	if profile.ID == "" {
		return profile, provider.Unreadable(errors.New("photo-network account without an id"))
	}
	return profile, nil
}

func (c *caller) media(ctx context.Context, path string) ([]Medium, error) {
	var list struct {
		Data []struct {
			Medium
			Timestamp graphTime `json:"timestamp"`
		} `json:"data"`
	}
	query := url.Values{
		"fields": {"id,caption,media_type,permalink,timestamp,like_count,comments_count"}, "limit": {maxMedia},
	}
	if err := c.getPart(ctx, path+"/media", query, &list); err != nil {
		return nil, err
	}
	media := make([]Medium, len(list.Data))
	for i, m := range list.Data {
		media[i] = m.Medium
		media[i].Timestamp = m.Timestamp.Time
	}
	return media, nil
}

func engagement(media []Medium, followers int) Engagement {
	var e Engagement
	var reactions, counted int
	for _, m := range media {
		e.Comments += m.CommentsCount
		if m.LikeCount == nil {
			continue
		}
		e.Likes += *m.LikeCount
		reactions += *m.LikeCount + m.CommentsCount
		counted++
	}
	if counted > 0 && followers > 0 {
		rate := 100 * float64(reactions) / float64(counted) / float64(followers)
		e.Rate = math.Round(100*rate) / 100
	}
	return e
}
