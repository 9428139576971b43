package network

import (
	"strconv"
	"time"

	"backend.example/deploy/sandbox/internal/demo"
)

const (
	agency      = "piotr" // the person with a portfolio
	portfolioID = "310400000000001"
)

// Page is the page of a business.
type Page struct {
	ID       string
	Business demo.Business
	PhotoID  string // of the linked photo account; empty: none
	Owner    string // id of the portfolio that owns it; empty: nobody but those who manage it
	Agent    string // id of the portfolio that works for it; empty: none
	manager  string // key of the person
	tasks    []string
	growth   growth
	views    float64 // of its posts on a usual day
}

func pages(photos []Photo) []Page {
	var pages []Page
	add := func(p Page) {
		p.ID = "1056000000" + strconv.Itoa(10001+len(pages))
		p.PhotoID = photoOf(p.Business.Slug, photos)
		if p.tasks == nil {
			p.tasks = allTasks()
		}
		pages = append(pages, p)
	}
	for _, p := range ownPages() {
		add(p)
	}
	for i, business := range demo.Oddities() {
		p := Page{Business: business, manager: agency, growth: growth{300 + 90*i, 0.6, 0.3}, views: 90}
		if i%2 == 0 {
			p.Agent = portfolioID
		}
		add(p)
	}
	for _, business := range demo.Chain() {
		add(Page{Business: business, manager: agency, Owner: portfolioID, growth: growth{120, 0.2, 0.1}, views: 25})
	}
	return pages
}

// ownPages lists the pages of people who have a few.
func ownPages() []Page {
	companies := make(map[string]demo.Business)
	for _, business := range demo.Companies() {
		companies[business.Slug] = business
	}
	return []Page{
		{Business: companies["piekarnia-kowalski"], manager: "anna", growth: growth{2310, 4.2, 1.1}, views: 950},
		{Business: companies["piekarnia-kowalski-podgorze"], manager: "anna", growth: growth{410, 0.9, 0.4}, views: 140},
		{Business: market(), manager: "anna", tasks: []string{"ANALYZE"}, growth: growth{5120, 6, 2.2}, views: 1800},
		{Business: companies["warsztat-nowak"], manager: "marek", growth: growth{236, 0.5, 0.2}, views: 60},
		{Business: companies["studio-wisniewska"], manager: "zofia", growth: growth{640, 1.4, 0.6}, views: 310},
		{Business: exhibition(), manager: "zofia", growth: growth{31, 0.02, 0}, views: 4},
	}
}

// market is a page whose statistics its manager may read, and nothing else.
func market() demo.Business {
	return demo.Business{
		Slug: "targ-sniadaniowy-bronowice", Name: "Targ Śniadaniowy Bronowice",
		Street: "ul. Pod Fortem 2", PostalCode: "31-302", City: "Kraków", Voivodeship: "małopolskie", Latitude: 50.0905, Longitude: 19.8893,
		Phone: "+48 12 000 10 40", Categories: []demo.Category{{Name: "Targ spożywczy"}}, Rating: 4.6, ReviewCount: 88,
		Description: "W każdą sobotę od świtu do południa: pieczywo, sery, miody i warzywa od gospodarzy spod Krakowa.",
	}
}

// exhibition has too few followers for any statistics.
func exhibition() demo.Business {
	return demo.Business{
		Slug: "swiatlo-i-zelatyna", Name: "Wystawa „Światło i żelatyna”", City: "Gdańsk", Voivodeship: "pomorskie",
		Categories: []demo.Category{{Name: "Wystawa sztuki"}}, ComesToYou: true,
	}
}

// Name is that of the business; a shop of a chain tells which one it is.
func (p Page) Name() string {
	if p.Business.StoreCode == "" {
		return p.Business.Name
	}
	return p.Business.Name + " " + p.Business.City + " (" + p.Business.StoreCode + ")"
}

// Followers is how many follow the page now.
func (p Page) Followers(now time.Time) int { return p.FollowersAfter(LastEnded(now)) }

// FollowersAfter is how many follow the page at the end of a day.
func (p Page) FollowersAfter(day Day) int { return p.growth.after(day, p.ID) }

// Fans is how many like the page: most of those who follow it.
func (p Page) Fans(now time.Time) int { return Part(p.Followers(now), 96) }

// Joined is how many began to follow the page on a day.
func (p Page) Joined(day Day) int { return p.growth.joined(day, p.ID) }

// Left is how many stopped following it.
func (p Page) Left(day Day) int { return p.growth.left(day, p.ID) }

// Views is how often its posts were seen. Everything else that people do with a
// page is a part of it.
func (p Page) Views(day Day) int { return flow(p.views, day, p.ID, "views") }
