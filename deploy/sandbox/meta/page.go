package meta

import (
	_ "embed"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/fake"
)

type page struct {
	growth
	Name, Category, Link  string
	Website, Phone, About string
	Manager               string   // key of the person
	Tasks                 []string // of the manager
	Photo                 string   // id of the linked Instagram account
	Portfolio             bool     // only in the lists of the manager's business portfolio
	Closed                bool     // for good
	Views                 float64  // of its posts on a usual day
}

//go:embed pages.json
var pagesJSON []byte

// manages reports whether the token is one of the page's manager or of the page itself.
func (c *call) manages(p page) bool {
	return p.Manager == c.token.Account && (c.token.Kind != pageToken || c.token.Page == p.ID)
}

// find returns the person, page or photo of the id in the path. What belongs to another account does not exist,
// except for a page.
func (p *Provider) find(c *call) (any, error) {
	id := c.PathValue("node")
	if id == "me" {
		id = personID(c.token.Account)
		if c.token.Kind == pageToken {
			id = c.token.Page
		}
	}
	if id == "" {
		return nil, missingToken("me")
	}
	if c.isPerson() && id == personID(c.token.Account) {
		return fake.FindPerson(c.token.Account)
	}
	for _, page := range p.pages {
		switch {
		case page.ID == id && !c.manages(page):
			return nil, lacks(readPages)
		case page.ID == id:
			return page, nil
		case page.Photo == id && c.manages(page):
			i := slices.IndexFunc(p.photos, func(photo photo) bool { return photo.ID == id })
			return p.photos[i], c.requires(photoBasic)
		}
	}
	return nil, unknownObject(c.Method, id)
}

func (p *Provider) showNode(c *call) (any, error) {
	node, err := p.find(c)
	if err != nil {
		return nil, err
	}
	switch n := node.(type) {
	case fake.Person:
		return object{
			kind: "User", usual: []string{"name"}, fields: map[string]any{"id": personID(n.Key), "name": n.Name},
		}.pick(c.readFields())
	case page:
		if err := c.mayRead(c.readFields()); err != nil {
			return nil, err
		}
		return p.pageObject(c, n).pick(c.readFields())
	default:
		return node.(photo).object(c.now).pick(c.readFields())
	}
}

// pageObject: see https://developers.facebook.com/docs/graph-api/reference/page. A person who may not act as the
// page gets no credential of it.
func (p *Provider) pageObject(c *call, page page) object {
	followers := func() any { return page.after(lastEnded(c.now)) }
	fields := map[string]any{
		"id": page.ID, "name": page.Name, "link": page.Link, "category": page.Category, "tasks": page.Tasks,
		"fan_count": func() any { return share(followers().(int), 96) }, "followers_count": followers,
		"website": page.Website, "phone": page.Phone, "about": page.About, "access_token": nil,
		"instagram_business_account": nil,
	}
	switch {
	case c.token.Kind == pageToken:
		fields["access_token"] = c.value
	case slices.Contains(page.Tasks, "CREATE_CONTENT") && c.has(listPages):
		fields["access_token"] = func() any { return p.PageToken(c.value, page.ID) }
	}
	if page.Photo != "" && c.has(photoBasic) {
		fields["instagram_business_account"] = map[string]string{"id": page.Photo}
	}
	return object{kind: "Page", usual: []string{"access_token", "category", "name", "tasks"}, fields: fields}
}

// mayRead returns an error if one of the fields of a page needs pages_read_engagement, which the call lacks.
func (c *call) mayRead(fields []string) error {
	open := []string{"id", "name", "access_token", "category", "tasks", "link", "instagram_business_account"}
	if slices.ContainsFunc(fields, func(name string) bool { return !slices.Contains(open, name) }) {
		return c.requires(readPages)
	}
	return nil
}

// listPages answers none to a token without pages_show_list
// (https://developers.facebook.com/docs/graph-api/reference/user/accounts). Those of a portfolio are only in its
// own lists.
func (p *Provider) listPages(c *call) (any, error) {
	node, err := p.find(c)
	if err != nil {
		return nil, err
	}
	person, isPerson := node.(fake.Person)
	if !isPerson {
		return nil, badParameter("Tried accessing nonexisting field (accounts)")
	}
	return p.pagesOf(c, personID(person.Key)+"/accounts", func(page page) bool { return !page.Portfolio })
}

func (p *Provider) pagesOf(c *call, path string, shown func(page) bool) (any, error) {
	if err := c.mayRead(c.readFields()); err != nil {
		return nil, err
	}
	var pages []object
	for _, page := range p.pages {
		if c.manages(page) && c.has(listPages) && shown(page) {
			pages = append(pages, p.pageObject(c, page))
		}
	}
	return c.list(path, pages)
}

// The one business portfolio and its owner.
const (
	agency      = "piotr"
	portfolioID = "103300000020001"
)

// listPortfolios: see https://developers.facebook.com/docs/graph-api/reference/user/businesses.
func (p *Provider) listPortfolios(c *call) (any, error) {
	if err := c.requires(manageBusiness); err != nil {
		return nil, err
	}
	var portfolios []object
	if c.token.Account == agency {
		portfolios = []object{
			{kind: "Business", usual: []string{"name"}, fields: map[string]any{"id": portfolioID, "name": "Agencja"}},
		}
	}
	return c.list("me/businesses", portfolios)
}

// listPortfolio: every other page is the portfolio's own, the rest are its clients'.
func (p *Provider) listPortfolio(c *call) (any, error) {
	if id := c.PathValue("node"); id != portfolioID || c.token.Account != agency {
		return nil, unknownObject(c.Method, id)
	}
	if err := c.requires(manageBusiness); err != nil {
		return nil, err
	}
	path := strings.TrimPrefix(c.URL.Path, "/"+c.PathValue("version")+"/")
	return p.pagesOf(c, path, func(page page) bool {
		odd := page.ID[len(page.ID)-1]%2 == 1 // the character of an odd digit is odd, too
		return page.Portfolio && odd == strings.HasSuffix(path, "owned_pages")
	})
}
