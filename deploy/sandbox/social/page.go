package social

import (
	"slices"
	"time"

	"backend.example/deploy/sandbox/internal/demo"
	"backend.example/deploy/sandbox/social/ledger"
	"backend.example/deploy/sandbox/social/network"
)

// openFields can be read of a page by whoever manages it; the others need
// pages_read_engagement.
func openFields() []string {
	return []string{"id", "name", "access_token", "category", "category_list", "tasks", "link", "picture",
		"instagram_business_account", "connected_instagram_account"}
}

// pageObject is a page as the caller sees it
// (https://developers.facebook.com/docs/graph-api/reference/page).
func (s *site) pageObject(c *call, page network.Page) object {
	fields := s.pageFacts(page, c.now)
	for name, value := range s.pageRights(c, page) {
		fields[name] = value
	}
	return object{kind: "Page", usual: []string{"name", "id"}, fields: fields}
}

func (s *site) pageFacts(page network.Page, now time.Time) map[string]any {
	b := page.Business
	return map[string]any{
		"id": page.ID, "name": page.Name(), "username": b.Slug, "link": "https://www.facebook.com/" + b.Slug,
		"about": optional(firstSentence(b.Description)), "description": optional(b.Description),
		"category": b.Categories[0].Name, "category_list": categories(b),
		"fan_count":             lazy(func() any { return page.Fans(now) }),
		"followers_count":       lazy(func() any { return page.Followers(now) }),
		"talking_about_count":   lazy(func() any { return network.Part(page.Views(network.LastEnded(now)), 7) }),
		"were_here_count":       b.ReviewCount * 9,
		"checkins":              b.ReviewCount * 4,
		"overall_star_rating":   rating(b),
		"rating_count":          b.ReviewCount,
		"website":               optional(b.Website),
		"phone":                 optional(b.Phone),
		"emails":                absent{},
		"single_line_address":   optional(b.Address()),
		"location":              location(b),
		"hours":                 openingHours(b.Hours),
		"is_published":          b.Status != demo.ClosedForGood,
		"is_permanently_closed": b.Status == demo.ClosedForGood,
		"verification_status":   "not_verified",
		"picture":               picture(page.ID),
		"cover": map[string]any{
			"cover_id": page.ID + "9", "id": page.ID + "9", "offset_x": 50, "offset_y": 50, "source": imageURL("c", page.ID),
		},
	}
}

// pageRights is what depends on who asks.
func (s *site) pageRights(c *call, page network.Page) map[string]any {
	fields := map[string]any{
		"access_token": absent{}, "tasks": absent{}, "instagram_business_account": absent{}, "connected_instagram_account": absent{},
	}
	if role, manages := s.role(c.token, page.ID); manages {
		fields["tasks"] = role.Tasks
		switch {
		case c.token.Kind == ledger.Page:
			fields["access_token"] = c.value
		case role.Acts() && c.token.Has(listPages):
			fields["access_token"] = lazy(func() any { return s.pageToken(c, page) })
		}
	}
	if photo, linked := s.network.Photo(page.PhotoID); linked && c.token.Has(photoBasic) {
		fields["instagram_business_account"] = photoObject(photo, c.now)
		fields["connected_instagram_account"] = photoObject(photo, c.now)
	}
	return fields
}

// role returns what the account behind the token may do for a page: nothing with a
// token of another page, or when the account does not share the page with the app.
func (s *site) role(t ledger.Token, page string) (network.Role, bool) {
	person, known := s.network.Person(t.Account)
	if !known || (t.Kind == ledger.Page && t.Page != page) || !s.ledger.HasRole(t.Account, page) || !s.ledger.Shares(t.Account, page) {
		return network.Role{}, false
	}
	i := slices.IndexFunc(person.Manages, func(r network.Role) bool { return r.PageID == page })
	if i < 0 {
		return network.Role{}, false
	}
	return person.Manages[i], true
}

// readPage checks that the call may read the fields of a page.
func (s *site) readPage(c *call, fields selection) *refusal {
	if c.token.Has(readPages) {
		return nil
	}
	for _, f := range fields {
		if !slices.Contains(openFields(), f.name) {
			return lacks(readPages)
		}
	}
	return nil
}
