package social

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"backend.example/deploy/sandbox/internal/fixtures"
)

// graphTime is how the API writes a time.
const graphTime = "2006-01-02T15:04:05-0700"

// photo is a business account in the photo network.
type photo struct {
	id         string
	username   string
	name       string
	biography  string
	website    string
	follows    int // accounts that it follows
	hidesLikes bool
	slug       string    // of the business whose page it is linked to
	first      time.Time // medium
	every      time.Duration
	growth     growth
	reach      float64 // people on a usual day
}

func newPhotos() []photo {
	start := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	return []photo{
		{
			id: "17841400000000101", slug: "piekarnia-kowalski", username: "piekarnia.kowalski", name: "Piekarnia Kowalski",
			biography: "Chleb na zakwasie od 1978 roku 🥖 Kraków, Stare Miasto", website: "https://piekarnia-kowalski.example/", follows: 312,
			first: start(1, 3), every: 4 * oneDay, growth: growth{1480, 3.4, 0.8}, reach: 620,
		},
		{
			id: "17841400000000102", slug: "studio-wisniewska", username: "studio_wisniewska", name: "Studio Fotografii Wiśniewska",
			biography: "Portrety, śluby, żółta godzina nad Motławą", follows: 890, hidesLikes: true,
			first: start(3, 2), every: 7 * oneDay, growth: growth{920, 2.1, 0.9}, reach: 340,
		},
		{
			id: "17841400000000104", slug: "swiatlo-i-zelatyna", username: "swiatlo.i.zelatyna", name: "Światło i żelatyna",
			follows: 12, first: start(9, 5), every: 30 * oneDay, growth: growth{44, 0.01, 0}, reach: 9,
		},
	}
}

func (s *site) photo(id string) (photo, bool) {
	if i := slices.IndexFunc(s.photos, func(p photo) bool { return p.id == id }); i >= 0 {
		return s.photos[i], true
	}
	return photo{}, false
}

func (p photo) followers(now time.Time) int { return p.growth.after(lastEnded(now), p.id) }

// seen is how many people saw something of the account on a day. Everything else is in
// proportion to it.
func (p photo) seen(d day) int { return flow(p.reach, d, p.id, "reach") }

// object is the account as the API shows it
// (https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user).
func (p photo) object(now time.Time) object {
	return object{kind: "ShadowIGUser", usual: []string{"id"}, fields: map[string]any{
		"id": p.id, "username": p.username, "name": p.name, "biography": optional(p.biography), "website": optional(p.website),
		"profile_picture_url": "https://scontent.example/i/" + p.id + ".jpg", "follows_count": p.follows,
		"followers_count": func() any { return p.followers(now) }, "media_count": func() any { return len(p.media(now)) },
	}}
}

// medium is the n-th that the account has published, and when
// (https://developers.facebook.com/docs/instagram-platform/reference/instagram-media).
// The count of likes is absent where its owner hides it.
func (p photo) medium(n int, now time.Time) (object, time.Time) {
	word := strconv.Itoa(n)
	random := fixtures.Rand(p.id, "medium", word)
	first := p.first.Add(time.Duration(n) * p.every)
	posted := first.Add(time.Duration(6+random.IntN(14))*time.Hour + time.Duration(random.IntN(3600))*time.Second)
	reach := mature(int(p.reach*(0.8+0.8*random.Float64())*trend(dayOf(first))), now.Sub(posted))
	captions := []string{
		"Dzień dobry! Zaczynamy ☀️", "Nowość, na którą długo czekaliście.", "Zaglądamy za kulisy 👀", "Dziękujemy, że jesteście z nami!",
		"Jutro otwieramy o godzinę wcześniej.", "Zgadnijcie, co przygotowujemy…", "Małe święto, duża radość.", "Kto wpadnie w weekend?",
	}
	fields := map[string]any{
		"id": fmt.Sprintf("1790%s%05d", p.id[len(p.id)-3:], n), "media_type": "IMAGE", "caption": fixtures.Pick(captions, p.id, word),
		"permalink": "https://www.instagram.com/p/C" + strings.ToUpper(p.id[len(p.id)-3:]) + word + "/", "timestamp": posted.Format(graphTime),
		"like_count": share(reach, 5.8), "comments_count": share(reach, 0.6),
	}
	switch {
	case n%5 == 2:
		fields["media_type"] = "VIDEO"
	case n%5 == 3:
		fields["media_type"] = "CAROUSEL_ALBUM"
	}
	if n%8 == 6 {
		fields["caption"] = nil
	}
	if p.hidesLikes || n%9 == 4 {
		fields["like_count"] = nil
	}
	return object{kind: "ShadowIGMedia", usual: []string{"id"}, fields: fields}, posted
}

// mature is how many people have seen a medium at an age. After five days hardly
// anybody new sees it.
func mature(seen int, age time.Duration) int {
	left := 1 - min(max(age.Hours(), 0)/(5*24), 1)
	return int(float64(seen) * (1 - left*left))
}

// media lists what the account has published up to now, the newest first.
func (p photo) media(now time.Time) []object {
	var media []object
	for n := 0; ; n++ {
		medium, posted := p.medium(n, now)
		if posted.After(now) {
			slices.Reverse(media)
			return media
		}
		media = append(media, medium)
	}
}

func (s *site) listMedia(c *call) (any, *refusal) {
	node, refused := s.find(c)
	if refused != nil {
		return nil, refused
	}
	p, isPhoto := node.(photo)
	if !isPhoto {
		return nil, badParameter("Tried accessing nonexisting field (media)")
	}
	return s.list(c, p.id+"/media", p.media(c.now))
}
