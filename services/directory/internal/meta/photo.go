package meta

import (
	"context"
	"errors"
	"math"
	"net/url"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

// maxMedia is how many of the newest media are read.
const maxMedia = "25"

// photoAccount is a photo-network account
// (https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user).
type photoAccount struct {
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

// medium is one post of an account
// (https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-media).
type medium struct {
	ID            string    `json:"id"`
	Caption       string    `json:"caption"`
	MediaType     string    `json:"media_type"` // IMAGE, VIDEO or CAROUSEL_ALBUM
	Permalink     string    `json:"permalink"`
	Timestamp     graphTime `json:"timestamp"`
	LikeCount     *int      `json:"like_count"` // absent where the owner hides it
	CommentsCount int       `json:"comments_count"`
}

// ReadPhotos reads the business account that is linked to the page: its profile, its
// newest media, then its insights. Those that cannot be read are no failure.
// A page without a linked account is the fault Gone.
func (s *Client) ReadPhotos(ctx context.Context, pageToken, pageID string) (directory.PhotoData, error) {
	graph := s.graph.withToken(pageToken)
	id, err := graph.photoAccountID(ctx, pageID)
	if err != nil {
		return directory.PhotoData{}, err
	}
	path := url.PathEscape(id)
	profile, err := graph.photoProfile(ctx, path)
	if err != nil {
		return directory.PhotoData{}, err
	}
	media, err := graph.media(ctx, path)
	if err != nil {
		return directory.PhotoData{}, err
	}
	insights := newInsightReader(graph, path, s.options.Now())
	if err := insights.read(ctx, photoInsights(profile.FollowersCount)); err != nil {
		return directory.PhotoData{}, err
	}
	return directory.PhotoData{
		Profile: profile, Media: media, Engagement: engagement(media, profile.FollowersCount),
		Insights: insights.figures, Unavailable: insights.unavailable, Missed: insights.missed,
	}, nil
}

// photoAccountID finds the account that is linked to the page.
func (c *graphClient) photoAccountID(ctx context.Context, pageID string) (string, error) {
	var page struct {
		Linked node `json:"instagram_business_account"` // absent if none is linked
	}
	query := url.Values{"fields": {"instagram_business_account"}}
	if err := c.get(ctx, url.PathEscape(pageID), query, &page); err != nil {
		return "", err
	}
	if page.Linked.ID == "" {
		gone := provider.Gone(errors.New("no photo-network account is linked to the page"))
		gone.Message = "Z wybraną stroną nie jest połączone konto firmowe w serwisie ze zdjęciami. " +
			"Połącz je w ustawieniach strony i spróbuj ponownie."
		return "", gone
	}
	if !graphID.MatchString(page.Linked.ID) {
		return "", provider.Unreadable(errors.New("photo-network account without an id"))
	}
	return page.Linked.ID, nil
}

func (c *graphClient) photoProfile(ctx context.Context, path string) (directory.PhotoProfile, error) {
	var account photoAccount
	query := url.Values{"fields": {
		"id,username,name,biography,website,profile_picture_url,followers_count,follows_count,media_count",
	}}
	err := c.get(ctx, path, query, &account)
	if err == nil && account.ID == "" {
		err = provider.Unreadable(errors.New("photo-network account without an id"))
	}
	return directory.PhotoProfile{
		ID: account.ID, Username: account.Username, Name: account.Name, Biography: account.Biography, Website: account.Website,
		ProfilePictureURL: account.ProfilePictureURL, FollowersCount: account.FollowersCount, FollowsCount: account.FollowsCount,
		MediaCount: account.MediaCount,
	}, err
}

// media lists the newest media.
func (c *graphClient) media(ctx context.Context, path string) ([]directory.Medium, error) {
	var list struct {
		Data []medium `json:"data"`
	}
	query := url.Values{
		"fields": {"id,caption,media_type,permalink,timestamp,like_count,comments_count"}, "limit": {maxMedia},
	}
	if err := c.get(ctx, path+"/media", query, &list); err != nil {
		return nil, err
	}
	media := make([]directory.Medium, len(list.Data))
	for i, m := range list.Data {
		media[i] = directory.Medium{
			ID: m.ID, Caption: m.Caption, MediaType: m.MediaType, Permalink: m.Permalink,
			Timestamp: m.Timestamp.Time, LikeCount: m.LikeCount, CommentsCount: m.CommentsCount,
		}
	}
	return media, nil
}

// engagement sums the media. The rate, in percent to two places, covers the media
// whose likes are not hidden.
func engagement(media []directory.Medium, followers int) directory.Engagement {
	var e directory.Engagement
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
