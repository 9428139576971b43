package network

import "time"

// Photo is a business account in the photo network.
type Photo struct {
	ID         string
	LegacyID   string // from before the two networks had one kind of id
	Username   string
	Name       string
	Biography  string
	Website    string
	Follows    int // accounts that it follows
	HidesLikes bool
	Converted  time.Time // became a business account
	slug       string    // of the business whose page it is linked to
	first      time.Time // medium
	every      time.Duration
	growth     growth
	reach      float64 // people on a usual day
}

func photos() []Photo {
	start := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	return []Photo{
		{
			ID: "17841400000000101", LegacyID: "5400000101", slug: "piekarnia-kowalski", Username: "piekarnia.kowalski", Name: "Piekarnia Kowalski",
			Biography: "Chleb na zakwasie od 1978 roku 🥖 Kraków, Stare Miasto", Website: "https://piekarnia-kowalski.example/", Follows: 312,
			Converted: opening().Start(), first: start(1, 3), every: 4 * oneDay, growth: growth{1480, 3.4, 0.8}, reach: 620,
		},
		{
			ID: "17841400000000102", LegacyID: "5400000102", slug: "studio-wisniewska", Username: "studio_wisniewska", Name: "Studio Fotografii Wiśniewska",
			Biography: "Portrety, śluby, żółta godzina nad Motławą", Follows: 890, HidesLikes: true,
			Converted: opening().Start(), first: start(3, 2), every: 7 * oneDay, growth: growth{920, 2.1, 0.9}, reach: 340,
		},
		{
			ID: "17841400000000103", LegacyID: "5400000103", slug: "bar-ksiezyc", Username: "bar.ksiezyc", Name: "Bar Nocny Księżyc",
			Biography: "Wrocław, codziennie do późna", Follows: 77,
			Converted: start(7, 15), first: start(5, 1), every: 10 * oneDay, growth: growth{210, 0.7, 0.2}, reach: 85,
		},
		{
			ID: "17841400000000104", LegacyID: "5400000104", slug: "swiatlo-i-zelatyna", Username: "swiatlo.i.zelatyna", Name: "Światło i żelatyna",
			Follows: 12, Converted: start(9, 1), first: start(9, 5), every: 30 * oneDay, growth: growth{44, 0.01, 0}, reach: 9,
		},
	}
}

// photoOf returns the id of the account that is linked to the page of a business.
func photoOf(slug string, photos []Photo) string {
	for _, photo := range photos {
		if photo.slug == slug {
			return photo.ID
		}
	}
	return ""
}

// Followers is how many follow the account now.
func (p Photo) Followers(now time.Time) int { return p.growth.after(LastEnded(now), p.ID) }

// Joined is how many began to follow the account on a day.
func (p Photo) Joined(day Day) int { return p.growth.joined(day, p.ID) }

// Left is how many stopped following it.
func (p Photo) Left(day Day) int { return p.growth.left(day, p.ID) }

// Reach is how many people saw something of the account. Everything else is in
// proportion to it.
func (p Photo) Reach(day Day) int { return flow(p.reach, day, p.ID, "reach") }
