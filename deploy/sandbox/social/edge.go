package social

import (
	"backend.example/deploy/sandbox/social/network"
)

// personEdge answers what hangs on a person.
func (s *site) personEdge(c *call, person network.Person) (any, *refusal) {
	switch c.PathValue("edge") {
	case "accounts":
		return s.listPages(c, person.ID, func(p network.Page) bool { return p.Owner == "" || c.token.Has(manageBusiness) })
	case "businesses":
		if refused := c.lacks(manageBusiness); refused != nil {
			return nil, refused
		}
		var portfolios []object
		if person.Portfolio != nil {
			portfolios = append(portfolios, portfolioObject(*person.Portfolio))
		}
		return s.list(c, person.ID, portfolios, "id", "name")
	default:
		return nil, unknownEdge(c, "User")
	}
}

// portfolioObject is a portfolio as those who belong to it see it
// (https://developers.facebook.com/docs/marketing-api/reference/business).
func portfolioObject(p network.Portfolio) object {
	return object{kind: "Business", usual: []string{"id", "name"}, fields: map[string]any{
		"id": p.ID, "name": p.Name, "verification_status": "not_verified",
	}}
}

func (s *site) portfolioEdge(c *call, portfolio network.Portfolio) (any, *refusal) {
	switch c.PathValue("edge") {
	case "owned_pages":
		return s.listPages(c, portfolio.ID, func(p network.Page) bool { return p.Owner == portfolio.ID })
	case "client_pages":
		return s.listPages(c, portfolio.ID, func(p network.Page) bool { return p.Agent == portfolio.ID })
	default:
		return nil, unknownEdge(c, "Business")
	}
}

// listPages answers those of the caller's pages that are meant
// (https://developers.facebook.com/docs/graph-api/reference/user/accounts): none
// to a token without pages_show_list.
func (s *site) listPages(c *call, owner string, meant func(network.Page) bool) (any, *refusal) {
	fields, refused := readSelection(c.form.Get("fields"))
	if refused == nil {
		refused = s.readPage(c, fields)
	}
	if refused != nil {
		return nil, refused
	}
	var pages []object
	for _, page := range s.network.Pages() {
		if _, manages := s.role(c.token, page.ID); manages && meant(page) && c.token.Has(listPages) {
			pages = append(pages, s.pageObject(c, page))
		}
	}
	return s.list(c, owner, pages, "access_token", "category", "category_list", "name", "id", "tasks")
}

// pageEdge answers what hangs on a page.
func (s *site) pageEdge(c *call, page network.Page) (any, *refusal) {
	if c.PathValue("edge") != "insights" {
		return nil, unknownEdge(c, "Page")
	}
	return s.pageInsights(c, page)
}

// photoEdge answers what hangs on a photo account.
func (s *site) photoEdge(c *call, photo network.Photo) (any, *refusal) {
	switch c.PathValue("edge") {
	case "media":
		return s.listMedia(c, photo, photo.Media(c.now))
	case "stories":
		return s.listMedia(c, photo, photo.Stories(c.now))
	case "insights":
		return s.photoInsights(c, photo)
	default:
		return nil, unknownEdge(c, "ShadowIGUser")
	}
}

func (s *site) listMedia(c *call, photo network.Photo, media []network.Medium) (any, *refusal) {
	objects := make([]object, 0, len(media))
	for _, medium := range media {
		objects = append(objects, mediumObject(medium, c.now))
	}
	return s.list(c, photo.ID, objects, "id")
}

// mediumEdge answers what hangs on a medium.
func (s *site) mediumEdge(c *call, medium network.Medium) (any, *refusal) {
	switch edge := c.PathValue("edge"); {
	case edge == "children" && len(medium.Children) > 0:
		return s.list(c, medium.ID, children(medium), "id")
	case edge == "insights":
		return s.mediumInsights(c, medium)
	default:
		return nil, unknownEdge(c, "ShadowIGMedia")
	}
}

// children lists the pictures of a carousel.
func children(medium network.Medium) []object {
	list := make([]object, 0, len(medium.Children))
	for _, id := range medium.Children {
		list = append(list, childObject(child{medium, id}))
	}
	return list
}
