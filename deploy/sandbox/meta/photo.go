package meta

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"backend.example/deploy/sandbox/fake"
)

const graphTime = "2006-01-02T15:04:05-0700"

// photo is an Instagram account.
type photo struct {
	growth
	Username, Name, Biography, Website string

	Follows    int // accounts that it follows
	HidesLikes bool
	First      time.Time // when the first medium was posted
	EveryDays  int       // days from one medium to the next
	Reach      float64   // people on a usual day
}

//go:embed photos.json
var photosJSON []byte

// object: see https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user.
func (p photo) object(now time.Time) object {
	return object{kind: "ShadowIGUser", fields: map[string]any{
		"id": p.ID, "username": p.Username, "name": p.Name, "biography": p.Biography, "website": p.Website,
		"profile_picture_url": "https://scontent.example/i/" + p.ID + ".jpg", "follows_count": p.Follows,
		"followers_count": func() any { return p.after(lastEnded(now)) }, "media_count": func() any {
			return len(p.media(now))
		},
	}}
}

// media is sorted, the newest first
// (https://developers.facebook.com/docs/instagram-platform/reference/instagram-media).
func (p photo) media(now time.Time) []object {
	captions := []any{
		"Dzień dobry! Zaczynamy ☀️", "Nowość, na którą długo czekaliście.", "Zaglądamy za kulisy 👀",
		"Dziękujemy, że jesteście z nami!",
		"Jutro otwieramy o godzinę wcześniej.", "Zgadnijcie, co przygotowujemy…", nil, "Małe święto, duża radość.",
		"Kto wpadnie w weekend?",
	}
	types := []string{"IMAGE", "IMAGE", "VIDEO", "CAROUSEL_ALBUM", "IMAGE"}
	var media []object
	for n := 0; ; n++ {
		number := strconv.Itoa(n)
		random := fake.Rand(p.ID, "medium", number)
		posted := p.First.Add(time.Duration(n*p.EveryDays)*oneDay +
			time.Duration(6*3600+random.IntN(14*3600))*time.Second)
		if posted.After(now) {
			slices.Reverse(media)
			return media
		}
		seen := int(p.Reach * (0.8 + 0.8*random.Float64()))
		fields := map[string]any{
			"id": fmt.Sprintf("1790%s%05d", p.ID[len(p.ID)-3:], n), "media_type": types[n%len(types)],
			"caption":    captions[n%len(captions)],
			"permalink":  "https://www.instagram.com/p/C" + strings.ToUpper(p.ID[len(p.ID)-3:]) + number + "/",
			"timestamp":  posted.Format(graphTime),
			"like_count": share(seen, 5.8), "comments_count": share(seen, 0.6),
		}
		if p.HidesLikes || n%9 == 4 {
			fields["like_count"] = nil
		}
		media = append(media, object{kind: "ShadowIGMedia", fields: fields})
	}
}

func (p *Provider) listMedia(c *call) (any, error) {
	node, err := p.find(c)
	if err != nil {
		return nil, err
	}
	account, isPhoto := node.(photo)
	if !isPhoto {
		return nil, badParameter("Tried accessing nonexisting field (media)")
	}
	return c.list(account.ID+"/media", account.media(c.now))
}
