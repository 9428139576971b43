package network

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"backend.example/deploy/sandbox/internal/seeded"
)

// The kinds of media, and the products that they are shown in.
const (
	Image    = "IMAGE"
	Video    = "VIDEO"
	Carousel = "CAROUSEL_ALBUM"
	Feed     = "FEED"
	Reels    = "REELS"
	Story    = "STORY"
)

// Medium is something that a photo account has published.
type Medium struct {
	ID        string
	Account   Photo
	Type      string
	Product   string
	Caption   string // empty: none
	AltText   string // empty: none
	Shortcode string
	Posted    time.Time
	Claimed   bool // somebody else holds the copyright: its address is not told
	HideLikes bool
	Children  []string // ids of the pictures of a carousel
	seen      int      // by people, once it has had its time
}

// mature is how long it takes until hardly anybody new sees a medium.
const mature = 5 * oneDay

// Media lists what the account has published up to now, the newest first.
func (p Photo) Media(now time.Time) []Medium {
	var media []Medium
	for n := 0; ; n++ {
		medium := p.medium(n)
		if medium.Posted.After(now) {
			slices.Reverse(media)
			return media
		}
		media = append(media, medium)
	}
}

func (p Photo) medium(n int) Medium {
	word := strconv.Itoa(n)
	random := seeded.Rand(p.ID, "medium", word)
	day := p.first.Add(time.Duration(n) * p.every)
	m := Medium{
		ID: p.mediumID(n), Account: p, Type: Image, Product: Feed,
		Caption: seeded.Pick(captions(), p.ID, word), Shortcode: fmt.Sprintf("C%s%03d", strings.ToUpper(p.LegacyID[7:]), n),
		Posted:  day.Add(time.Duration(6+random.IntN(14))*time.Hour + time.Duration(random.IntN(3600))*time.Second),
		Claimed: n%13 == 5, HideLikes: p.HidesLikes || n%9 == 4,
		seen: int(p.reach * (0.8 + 0.8*random.Float64()) * trend(DayOf(day))),
	}
	switch {
	case n%5 == 2:
		m.Type, m.Product = Video, Reels
	case n%5 == 3:
		m.Type = Carousel
		for child := 1; child <= 3; child++ {
			m.Children = append(m.Children, m.ID+"0"+strconv.Itoa(child))
		}
	default:
		m.AltText = "Zdjęcie z profilu " + p.Name
	}
	if n%8 == 6 {
		m.Caption = ""
	}
	return m
}

func (p Photo) mediumID(n int) string { return fmt.Sprintf("1790%s%05d", p.LegacyID[7:], n) }

func captions() []string {
	return []string{
		"Dzień dobry! Zaczynamy ☀️", "Nowość, na którą długo czekaliście.", "Zaglądamy za kulisy 👀", "Dziękujemy, że jesteście z nami!",
		"Jutro otwieramy o godzinę wcześniej.", "Zgadnijcie, co przygotowujemy…", "Małe święto, duża radość.", "Kto wpadnie w weekend?",
	}
}

// Stories lists the stories that can still be seen: one a day, for 24 hours.
func (p Photo) Stories(now time.Time) []Medium {
	var stories []Medium
	for day := DayOf(now); day >= DayOf(now)-2; day-- {
		story := p.story(day)
		if story.Posted.After(now) || now.Sub(story.Posted) >= oneDay || story.Posted.Before(p.Converted) {
			continue
		}
		stories = append(stories, story)
	}
	return stories
}

func (p Photo) story(day Day) Medium {
	return Medium{
		ID: fmt.Sprintf("1798%s%05d", p.LegacyID[7:], int(day)), Account: p, Type: Image, Product: Story,
		Shortcode: fmt.Sprintf("S%s%d", p.LegacyID[7:], int(day)), Posted: day.Start().Add(time.Hour), HideLikes: true,
		seen: int(p.reach / 4 * trend(day)),
	}
}

// Medium returns the medium with that id, or the one whose picture has it.
func (n *Network) Medium(id string, now time.Time) (medium Medium, child, found bool) {
	for _, photo := range n.photos {
		if len(id) < 7 || id[4:7] != photo.LegacyID[7:] {
			continue
		}
		for _, m := range append(photo.Media(now), photo.Stories(now)...) {
			if m.ID == id {
				return m, false, true
			}
			if slices.Contains(m.Children, id) {
				return m, true, true
			}
		}
	}
	return Medium{}, false, false
}

// Reach is how many people have seen the medium. Everything else that they did
// with it is a part of it.
func (m Medium) Reach(now time.Time) int {
	age := min(max(now.Sub(m.Posted), 0), mature)
	return int(float64(m.seen) * (1 - (1-age.Seconds()/mature.Seconds())*(1-age.Seconds()/mature.Seconds())))
}
