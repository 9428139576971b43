package social

import (
	"slices"
	"strconv"
	"time"

	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/social/tokens"
)

const agency = "piotr" // the person with a portfolio

// page is the page of a business.
type page struct {
	id        string
	business  fixtures.Business
	photoID   string // of the linked photo account; empty: none
	portfolio bool   // shown with business_management alone
	manager   string // key of the person
	tasks     []string
	growth    growth
	views     float64 // of its posts on a usual day
}

func newPages(photos []photo) []page {
	companies := make(map[string]fixtures.Business)
	for _, business := range fixtures.Companies() {
		companies[business.Slug] = business
	}
	pages := []page{
		{business: companies["piekarnia-kowalski"], manager: "anna", growth: growth{2310, 4.2, 1.1}, views: 950},
		{business: companies["piekarnia-kowalski-podgorze"], manager: "anna", growth: growth{410, 0.9, 0.4}, views: 140},
		{business: fixtures.Market(), manager: "anna", tasks: []string{"ANALYZE"}, growth: growth{5120, 6, 2.2}, views: 1800},
		{business: companies["warsztat-nowak"], manager: "marek", growth: growth{236, 0.5, 0.2}, views: 60},
		{business: companies["studio-wisniewska"], manager: "zofia", growth: growth{640, 1.4, 0.6}, views: 310},
		{business: fixtures.Exhibition(), manager: "zofia", growth: growth{31, 0.02, 0}, views: 4},
	}
	for i, business := range fixtures.Oddities() {
		pages = append(pages, page{business: business, manager: agency, growth: growth{300 + 90*i, 0.6, 0.3}, views: 90})
	}
	for _, business := range fixtures.Chain() {
		pages = append(pages, page{business: business, manager: agency, portfolio: true, growth: growth{120, 0.2, 0.1}, views: 25})
	}
	for i, p := range pages {
		pages[i].id = "1056000000" + strconv.Itoa(10001+i)
		if p.tasks == nil {
			pages[i].tasks = []string{"ADVERTISE", "ANALYZE", "CREATE_CONTENT", "MESSAGING", "MODERATE", "MANAGE"}
		}
		for _, photo := range photos {
			if photo.slug == p.business.Slug {
				pages[i].photoID = photo.id
			}
		}
	}
	return pages
}

// name is that of the business; a shop of a chain tells which one it is.
func (p page) name() string {
	if p.business.StoreCode == "" {
		return p.business.Name
	}
	return p.business.Name + " " + p.business.City + " (" + p.business.StoreCode + ")"
}

// followers is how many follow the page now, and fans how many like it: most of those.
func (p page) followers(now time.Time) int { return p.growth.after(lastEnded(now), p.id) }
func (p page) fans(now time.Time) int      { return share(p.followers(now), 96) }

// seen is how often its posts were seen. Everything else that people do with a page is
// a part of it.
func (p page) seen(d day) int { return flow(p.views, d, p.id, "views") }

// pageObject is a page as the caller sees it
// (https://developers.facebook.com/docs/graph-api/reference/page). Whoever may not act
// as the page has no credential of it.
func (s *site) pageObject(c *call, p page) object {
	fields := map[string]any{
		"id": p.id, "name": p.name(), "link": "https://www.facebook.com/" + p.business.Slug, "category": p.business.Categories[0].Name,
		"fan_count": func() any { return p.fans(c.now) }, "followers_count": func() any { return p.followers(c.now) },
		"website": optional(p.business.Website), "phone": optional(p.business.Phone), "about": optional(p.business.Description),
		"tasks": p.tasks, "access_token": nil, "instagram_business_account": nil,
	}
	switch {
	case c.token.Kind == tokens.Page:
		fields["access_token"] = c.value
	case slices.Contains(p.tasks, "CREATE_CONTENT") && c.token.Has(listPages):
		fields["access_token"] = func() any { return optional(s.tokens.PageToken(c.value, p.id)) }
	}
	if p.photoID != "" && c.token.Has(photoBasic) {
		fields["instagram_business_account"] = map[string]string{"id": p.photoID}
	}
	return object{kind: "Page", usual: []string{"access_token", "category", "name", "tasks"}, fields: fields}
}

// mayRead checks that the call may read the fields of a page: few can be read without
// pages_read_engagement.
func (c *call) mayRead(fields []string) *refusal {
	open := []string{"id", "name", "access_token", "category", "tasks", "link", "instagram_business_account"}
	if slices.ContainsFunc(fields, func(name string) bool { return !slices.Contains(open, name) }) {
		return c.lacks(readPages)
	}
	return nil
}

// listPages answers the caller's pages
// (https://developers.facebook.com/docs/graph-api/reference/user/accounts): none to a
// token without pages_show_list. Those of a portfolio stand in its own lists alone.
func (s *site) listPages(c *call) (any, *refusal) {
	node, refused := s.find(c)
	owner, isPerson := node.(person)
	if refused == nil && !isPerson {
		refused = badParameter("Tried accessing nonexisting field (accounts)")
	}
	if refused != nil {
		return nil, refused
	}
	return s.pagesOf(c, owner.id+"/accounts", func(p page) bool { return !p.portfolio })
}

// pagesOf answers a list of those pages that the caller manages and the list shows.
func (s *site) pagesOf(c *call, path string, shown func(page) bool) (any, *refusal) {
	if refused := c.mayRead(c.readFields()); refused != nil {
		return nil, refused
	}
	var pages []object
	for _, p := range s.pages {
		if s.manages(c.token, p.id) && c.token.Has(listPages) && shown(p) {
			pages = append(pages, s.pageObject(c, p))
		}
	}
	return s.list(c, path, pages)
}

const portfolioID = "103300000020001" // of the agency

// listPortfolios answers the business portfolios of the caller
// (https://developers.facebook.com/docs/graph-api/reference/user/businesses).
func (s *site) listPortfolios(c *call) (any, *refusal) {
	if refused := c.lacks(manageBusiness); refused != nil {
		return nil, refused
	}
	var portfolios []object
	if c.token.Account == s.personID(agency) {
		portfolios = []object{{kind: "Business", usual: []string{"name"}, fields: map[string]any{"id": portfolioID, "name": "Agencja"}}}
	}
	return s.list(c, c.token.Account+"/businesses", portfolios)
}

// listPortfolio answers the pages of a portfolio: every other page is its own, the
// rest are its clients'.
func (s *site) listPortfolio(edge string) func(*call) (any, *refusal) {
	return func(c *call) (any, *refusal) {
		if id := c.PathValue("node"); id != portfolioID || c.token.Account != s.personID(agency) {
			return nil, unknownObject(c.Method, id)
		}
		if refused := c.lacks(manageBusiness); refused != nil {
			return nil, refused
		}
		return s.pagesOf(c, portfolioID+"/"+edge, func(p page) bool {
			odd := (p.id[len(p.id)-1]-'0')%2 == 1
			return p.portfolio && odd == (edge == "owned_pages")
		})
	}
}
