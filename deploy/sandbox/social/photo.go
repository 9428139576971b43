package social

import (
	"time"

	"backend.example/deploy/sandbox/social/network"
)

// photoObject is a business account of the photo network
// (https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user).
func photoObject(p network.Photo, now time.Time) object {
	return object{kind: "ShadowIGUser", usual: []string{"id"}, fields: map[string]any{
		"id": p.ID, "ig_id": p.LegacyID, "username": p.Username, "name": p.Name,
		"biography": optional(p.Biography), "website": optional(p.Website), "profile_picture_url": imageURL("i", p.ID),
		"followers_count": lazy(func() any { return p.Followers(now) }),
		"follows_count":   p.Follows,
		"media_count":     lazy(func() any { return len(p.Media(now)) }),
	}}
}

// mediumObject is a medium of the photo network
// (https://developers.facebook.com/docs/instagram-platform/reference/instagram-media).
// What its owner hides and what somebody else claims is absent.
func mediumObject(m network.Medium, now time.Time) object {
	fields := map[string]any{
		"id": m.ID, "caption": optional(m.Caption), "media_type": m.Type, "media_product_type": m.Product,
		"media_url": address(m.ID, m.Type), "thumbnail_url": absent{}, "permalink": permalink(m), "shortcode": m.Shortcode,
		"timestamp": m.Posted.Format(graphTime), "username": m.Account.Username, "alt_text": optional(m.AltText),
		"like_count": likes(m, now), "comments_count": comments(m, now), "view_count": absent{}, "children": absent{},
	}
	if m.Type == network.Video {
		fields["thumbnail_url"], fields["view_count"] = imageURL("t", m.ID), views(m, now)
	}
	if m.Claimed {
		fields["media_url"] = absent{}
	}
	if m.HideLikes {
		fields["like_count"] = absent{}
	}
	if len(m.Children) > 0 {
		fields["children"] = wrapped{children(m)}
	}
	return object{kind: "ShadowIGMedia", usual: []string{"id"}, fields: fields}
}

// childObject is one picture of a carousel.
func childObject(c child) object {
	return object{kind: "ShadowIGMedia", usual: []string{"id"}, fields: map[string]any{
		"id": c.id, "media_type": network.Image, "media_url": imageURL("m", c.id), "permalink": permalink(c.Medium),
		"shortcode": c.Shortcode, "timestamp": c.Posted.Format(graphTime), "username": c.Account.Username,
	}}
}

// permalink is an address in the form of the photo network's own.
func permalink(m network.Medium) string {
	if m.Product == network.Reels {
		return "https://www.instagram.com/reel/" + m.Shortcode + "/"
	}
	return "https://www.instagram.com/p/" + m.Shortcode + "/"
}

func address(id, kind string) string {
	if kind == network.Video {
		return "https://scontent.example/v/" + id + ".mp4"
	}
	return imageURL("m", id)
}

// What people who saw a medium did with it.
func views(m network.Medium, now time.Time) int    { return network.Part(m.Reach(now), 138) }
func likes(m network.Medium, now time.Time) int    { return network.Part(m.Reach(now), 5.8) }
func comments(m network.Medium, now time.Time) int { return network.Part(m.Reach(now), 0.6) }
func saves(m network.Medium, now time.Time) int    { return network.Part(m.Reach(now), 0.9) }
func shares(m network.Medium, now time.Time) int   { return network.Part(m.Reach(now), 0.7) }
