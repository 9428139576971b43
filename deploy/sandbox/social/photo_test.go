package social_test

import (
	"reflect"
	"testing"
	"time"
)

const (
	studioPage  = "105600000010005" // zofia's; its account hides likes
	studioPhoto = "17841400000000102"
	tinyPhoto   = "17841400000000104" // of the gallery; few followers
)

// bakeryToken is the token of a page with a photo account.
func (w *app) bakeryToken() string {
	w.t.Helper()
	return w.pageToken(w.login("anna"), bakery)
}

func TestAPhotoAccount(t *testing.T) {
	w := newApp(t)
	a := w.get(w.bakeryToken(), photo+"?fields=id,username,name,biography,website,profile_picture_url,followers_count,follows_count,media_count")
	if len(a.body) != 9 || a.body["username"] != "piekarnia.kowalski" || a.body["followers_count"].(float64) < 1480 || a.body["media_count"] != 81.0 {
		t.Errorf("got %s", a.Body)
	}
	if a := w.get(w.bakeryToken(), photo); !reflect.DeepEqual(a.body, map[string]any{"id": photo}) {
		t.Errorf("without fields: %s", a.Body)
	}
}

// media lists all media with the fields that matter here.
func (w *app) media(token, account string) []map[string]any {
	w.t.Helper()
	return w.get(token, account+"/media?limit=100&fields=id,caption,media_type,permalink,timestamp,like_count,comments_count").list()
}

func TestMediaAreListedNewestFirst(t *testing.T) {
	w := newApp(t)
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
	w := newApp(t)
	seen := map[string]int{}
	for _, medium := range w.media(w.bakeryToken(), photo) {
		seen[medium["media_type"].(string)]++
		for _, name := range []string{"caption", "like_count"} {
			if _, found := medium[name]; !found {
				seen["no "+name]++
			}
		}
	}
	for _, kind := range []string{"IMAGE", "VIDEO", "CAROUSEL_ALBUM", "no caption", "no like_count"} {
		if seen[kind] == 0 || seen[kind] > 60 {
			t.Errorf("%s: %d of 81", kind, seen[kind])
		}
	}
}

func TestAnAccountCanHideAllLikes(t *testing.T) {
	w := newApp(t)
	for _, medium := range w.media(w.pageToken(w.login("zofia"), studioPage), studioPhoto) {
		if _, told := medium["like_count"]; told {
			t.Fatalf("likes are told: %v", medium)
		}
	}
}
