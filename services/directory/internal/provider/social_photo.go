package provider

import (
	"context"
	"errors"
	"math"
	"net/url"

	"backend.example/services/directory/internal/directory"
)

// maxMedia is how many of the newest media are read.
const maxMedia = "25"

// ReadPhotos reads the business account that is linked to the page: its profile,
// its newest media, then its insights, of which whatever the provider does not
// tell is left out. No linked account is the fault Gone.
func (s *Social) ReadPhotos(ctx context.Context, pageToken, pageID string) (directory.PhotoData, error) {
	caller := s.graph.with(pageToken)
	id, err := caller.photoAccount(ctx, pageID)
	if err != nil {
		return directory.PhotoData{}, err
	}
	path := url.PathEscape(id)
	profile, err := caller.photoProfile(ctx, path)
	if err != nil {
		return directory.PhotoData{}, err
	}
	media, err := caller.media(ctx, path)
	if err != nil {
		return directory.PhotoData{}, err
	}
	r := newReading(caller, path, s.options.Now())
	if err := r.ask(ctx, photoInquiries(profile.FollowersCount)); err != nil {
		return directory.PhotoData{}, err
	}
	return directory.PhotoData{
		Profile: profile, Media: media, Engagement: engagement(media, profile.FollowersCount),
		Insights: r.figures, Unavailable: r.unavailable,
	}, nil
}

func (c *caller) photoAccount(ctx context.Context, pageID string) (string, error) {
	var page struct {
		Linked node `json:"instagram_business_account"` // absent when none is linked
	}
	query := url.Values{"fields": {"instagram_business_account"}}
	if err := c.get(ctx, url.PathEscape(pageID), query, &page); err != nil {
		return "", err
	}
	if page.Linked.ID == "" {
		gone := directory.Gone(errors.New("no photo-network account is linked to the page"))
		gone.Message = "Z wybraną stroną nie jest połączone konto firmowe w serwisie ze zdjęciami. " +
			"Połącz je w ustawieniach strony i spróbuj ponownie."
		return "", gone
	}
	if !graphID.MatchString(page.Linked.ID) {
		return "", directory.Unreadable(errors.New("photo-network account without an id"))
	}
	return page.Linked.ID, nil
}

func (c *caller) photoProfile(ctx context.Context, path string) (directory.PhotoProfile, error) {
	var profile directory.PhotoProfile // its JSON names are the provider's
	query := url.Values{"fields": {
		"id,username,name,biography,website,profile_picture_url,followers_count,follows_count,media_count",
	}}
	err := c.get(ctx, path, query, &profile)
	if err == nil && profile.ID == "" {
		err = directory.Unreadable(errors.New("photo-network account without an id"))
	}
	return profile, err
}

// media lists the newest media. The count of likes is absent where the owner
// hides it.
func (c *caller) media(ctx context.Context, path string) ([]directory.Medium, error) {
	var list struct {
		Data []struct {
			directory.Medium           // its JSON names are the provider's
			Timestamp        graphTime `json:"timestamp"`
		} `json:"data"`
	}
	query := url.Values{
		"fields": {"id,caption,media_type,permalink,timestamp,like_count,comments_count"}, "limit": {maxMedia},
	}
	if err := c.get(ctx, path+"/media", query, &list); err != nil {
		return nil, err
	}
	media := make([]directory.Medium, len(list.Data))
	for i, item := range list.Data {
		media[i] = item.Medium
		media[i].Timestamp = item.Timestamp.Time
	}
	return media, nil
}

// engagement sums the media. The rate, in percent to two places, covers those
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
