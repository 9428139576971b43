package social_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/social/network"
)

const (
	studioPage  = "105600000010005" // zofia's; its account hides likes
	studioPhoto = "17841400000000102"
	barPage     = "105600000010008" // piotr's; its account was of a person at first
	barPhoto    = "17841400000000103"
	tinyPhoto   = "17841400000000104" // of the gallery; few followers
)

// bakeryToken is the token of a page with a photo account.
func (w *world) bakeryToken() string {
	w.t.Helper()
	return w.pageToken(w.login("anna"), bakery)
}

func TestAPhotoAccount(t *testing.T) {
	w := newWorld(t)
	a := w.get(w.bakeryToken(), photo+"?fields=id,username,name,biography,website,profile_picture_url,followers_count,follows_count,media_count")
	if len(a.body) != 9 || a.body["username"] != "piekarnia.kowalski" || a.body["followers_count"].(float64) < 1480 || a.body["media_count"] != 81.0 {
		t.Errorf("got %s", a.Body)
	}
	if a := w.get(w.bakeryToken(), photo); !reflect.DeepEqual(a.body, map[string]any{"id": photo}) {
		t.Errorf("without fields: %s", a.Body)
	}
}

// media lists all media with the fields that matter here.
func (w *world) media(token, account string) []map[string]any {
	w.t.Helper()
	return w.get(token, account+"/media?limit=100&fields=id,caption,media_type,media_product_type,media_url,thumbnail_url,permalink,timestamp,like_count,comments_count,view_count,alt_text,children{id,media_type,media_url}").list()
}

func TestMediaAreListedNewestFirst(t *testing.T) {
	w := newWorld(t)
	list := w.media(w.bakeryToken(), photo)
	if len(list) != 81 {
		t.Fatalf("%d media", len(list))
	}
	last := w.now
	for _, medium := range list {
		posted, err := time.Parse("2006-01-02T15:04:05+0000", medium["timestamp"].(string))
		if err != nil || posted.After(last) {
			t.Errorf("%v after %s, %v", medium["timestamp"], last, err)
		}
		last = posted
	}
	if got := w.get(w.bakeryToken(), photo+"/media").list(); len(got) != 25 || len(got[0]) != 1 {
		t.Errorf("without limit and fields: %d, %v", len(got), got[0])
	}
}

func TestMediaComeInAllForms(t *testing.T) {
	w := newWorld(t)
	seen := map[string]int{}
	for _, medium := range w.media(w.bakeryToken(), photo) {
		kind := medium["media_type"].(string)
		seen[kind]++
		_, thumbnail := medium["thumbnail_url"]
		_, views := medium["view_count"]
		_, children := medium["children"]
		if thumbnail != (kind == network.Video) || views != thumbnail || children != (kind == network.Carousel) {
			t.Errorf("a %s has %v", kind, medium)
		}
		for _, name := range []string{"caption", "media_url", "like_count"} {
			if _, found := medium[name]; !found {
				seen["no "+name]++
			}
		}
	}
	for _, kind := range []string{network.Image, network.Video, network.Carousel, "no caption", "no media_url", "no like_count"} {
		if seen[kind] == 0 || seen[kind] > 60 {
			t.Errorf("%s: %d of 81", kind, seen[kind])
		}
	}
}

func TestAnAccountCanHideAllLikes(t *testing.T) {
	w := newWorld(t)
	for _, medium := range w.media(w.pageToken(w.login("zofia"), studioPage), studioPhoto) {
		if _, told := medium["like_count"]; told {
			t.Fatalf("likes are told: %v", medium)
		}
	}
}

// first is the newest medium of a form, e.g. network.Reels.
func (w *world) first(token, account, form string) string {
	w.t.Helper()
	for _, medium := range w.media(token, account) {
		if medium["media_product_type"] == form || medium["media_type"] == form {
			return medium["id"].(string)
		}
	}
	w.t.Fatalf("no %s", form)
	return ""
}

func TestOneMediumAndItsChildren(t *testing.T) {
	w := newWorld(t)
	token := w.bakeryToken()
	carousel := w.first(token, photo, network.Carousel)
	children := w.get(token, carousel+"/children?fields=id,media_type").list()
	if len(children) != 3 || children[0]["media_type"] != network.Image {
		t.Fatalf("children %v", children)
	}
	child := fmt.Sprint(children[0]["id"])
	if a := w.get(token, child+"?fields=media_url,username"); a.body["username"] != "piekarnia.kowalski" || a.body["id"] != child {
		t.Errorf("child %s", a.Body)
	}
	w.wantRefusal(token, child+"/insights?metric=reach", "100")
	w.wantRefusal(token, child+"?fields=like_count", "100")
	if a := w.get(token, carousel+"?fields=username,children"); len(a.body) != 3 {
		t.Errorf("medium %s", a.Body)
	}
	w.wantRefusal(token, w.first(token, photo, network.Reels)+"/children", "100")
	w.wantRefusal(w.login("marek"), carousel, "100/33")
}

func TestReelsHaveTheirOwnAddress(t *testing.T) {
	w := newWorld(t)
	token := w.bakeryToken()
	for form, want := range map[string]string{network.Reels: "https://www.instagram.com/reel/", network.Image: "https://www.instagram.com/p/"} {
		if got := w.get(token, w.first(token, photo, form)+"?fields=permalink").body["permalink"].(string); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", form, got)
		}
	}
}

func TestStoriesLastADay(t *testing.T) {
	w := newWorld(t)
	token := w.bakeryToken()
	story := w.get(token, photo+"/stories").ids()
	if story == "" || strings.Contains(w.get(token, photo+"/media?limit=100").ids(), story) {
		t.Fatalf("stories %q", story)
	}
	w.now = w.now.AddDate(0, 0, 1)
	if next := w.get(token, photo+"/stories").ids(); next == story || next == "" {
		t.Errorf("a day later %q", next)
	}
	w.wantRefusal(token, story, "100/33")
}

func TestMediumInsights(t *testing.T) {
	w := newWorld(t)
	token := w.bakeryToken()
	cases := map[string]struct{ form, metrics, want string }{
		"image":           {network.Image, "reach,views,saved,shares,likes,comments,total_interactions,follows,profile_visits,profile_activity", ""},
		"reel":            {network.Reels, "reach,views,saved,shares,likes,comments,total_interactions,ig_reels_avg_watch_time,ig_reels_video_view_total_time", ""},
		"reel's of image": {network.Image, "reach,ig_reels_avg_watch_time", "100"},
		"image's of reel": {network.Reels, "profile_visits", "100"},
		"dead":            {network.Image, "reach,impressions", "100"},
		"none":            {network.Image, "", "100"},
		"period":          {network.Image, "reach&period=day", "100"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := w.get(token, w.first(token, photo, c.form)+"/insights?metric="+c.metrics)
			if a.refusal() != c.want || (c.want == "" && len(a.list()) != strings.Count(c.metrics, ",")+1) {
				t.Errorf("got %s, want %q", a.Body, c.want)
			}
		})
	}
}

func TestTheFiguresOfAMediumFitTogether(t *testing.T) {
	w := newWorld(t)
	token := w.bakeryToken()
	id := w.first(token, photo, network.Reels)
	figure := map[string]float64{}
	for _, metric := range w.get(token, id+"/insights?metric=reach,views,likes,comments,saved,shares,total_interactions").list() {
		value := metric["values"].([]any)[0].(map[string]any)
		figure[metric["name"].(string)] = value["value"].(float64)
		if metric["period"] != "lifetime" || len(value) != 1 {
			t.Errorf("got %v", metric)
		}
	}
	if figure["total_interactions"] != figure["likes"]+figure["comments"]+figure["saved"]+figure["shares"] || figure["views"] <= figure["reach"] {
		t.Errorf("got %v", figure)
	}
	a := w.get(token, id+"?fields=comments_count,view_count")
	if a.body["comments_count"] != figure["comments"] || a.body["view_count"] != figure["views"] {
		t.Errorf("fields %s, insights %v", a.Body, figure)
	}
}

func TestWhereThereAreNoMediumInsights(t *testing.T) {
	w := newWorld(t)
	bar := w.pageToken(w.login("piotr"), barPage)
	media := w.media(bar, barPhoto)
	w.wantRefusal(bar, fmt.Sprint(media[len(media)-1]["id"])+"/insights?metric=reach", "100/2108006")
	if a := w.get(bar, fmt.Sprint(media[0]["id"])+"/insights?metric=reach"); a.refusal() != "" {
		t.Errorf("since it is of a business: %s", a.Body)
	}
	tiny := w.pageToken(w.login("zofia"), gallery)
	w.wantRefusal(tiny, w.get(tiny, tinyPhoto+"/stories").ids()+"/insights?metric=reach", "10")
	token := w.bakeryToken()
	target := w.first(token, photo, network.Image) + "/insights?metric=reach"
	w.knobs(`{"empty_insights": true}`)
	if a := w.get(token, target); len(a.list()) != 0 || a.refusal() != "" {
		t.Errorf("with the knob: %s", a.Body)
	}
	w.knobs(`{"empty_insights": false, "dead_metrics": ["reach"]}`)
	w.wantRefusal(token, target, "100")
	w.knobs(`{"dead_metrics": [], "missing_permissions": ["instagram_manage_insights"]}`)
	w.wantRefusal(token, target, "10")
}
