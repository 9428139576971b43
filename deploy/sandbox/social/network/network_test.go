package network_test

import (
	"reflect"
	"testing"
	"time"

	"backend.example/deploy/sandbox/social/network"
)

func moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}

func now() time.Time { return moment("2026-11-21T10:30:00Z") }

func TestDaysChangeInTheMorning(t *testing.T) {
	cases := map[string]string{
		"2026-11-21T07:59:59Z": "2026-11-20T08:00:00Z",
		"2026-11-21T08:00:00Z": "2026-11-21T08:00:00Z",
		"1969-12-31T07:00:00Z": "1969-12-30T08:00:00Z",
	}
	for at, want := range cases {
		if got := network.DayOf(moment(at)).Start(); !got.Equal(moment(want)) {
			t.Errorf("the day of %s begins at %s, want %s", at, got, want)
		}
	}
	if day := network.LastEnded(now()); !day.End().Equal(moment("2026-11-21T08:00:00Z")) {
		t.Errorf("the last day ended at %s", day.End())
	}
}

func TestIDsLeadToWhatHasThem(t *testing.T) {
	n := network.New()
	seen := map[string]bool{}
	for _, person := range n.People() {
		seen[person.ID] = true
		if got, found := n.Person(person.ID); !found || got.Key != person.Key {
			t.Errorf("%s: %v", person.ID, got)
		}
	}
	for _, page := range n.Pages() {
		seen[page.ID] = true
		if got, found := n.Page(page.ID); !found || got.Name() != page.Name() {
			t.Errorf("%s: %v", page.ID, got)
		}
		if photo, found := n.Photo(page.PhotoID); found != (page.PhotoID != "") {
			t.Errorf("%s: account %v", page.ID, photo)
		}
	}
	if len(seen) != len(n.People())+len(n.Pages()) {
		t.Error("an id stands there twice")
	}
	for _, id := range []string{"", "1", n.Pages()[0].ID} {
		if _, found := n.Person(id); found {
			t.Errorf("%q is a person", id)
		}
		if _, _, found := n.Medium(id, now()); found {
			t.Errorf("%q is a medium", id)
		}
	}
}

func TestEveryPageIsManaged(t *testing.T) {
	n := network.New()
	managed := map[string]int{}
	for _, person := range n.People() {
		for _, role := range person.Manages {
			managed[role.PageID]++
			if !person.HasRole(role.PageID) {
				t.Errorf("%s has no role for %s", person.Key, role.PageID)
			}
		}
		if person.HasRole("1") || person.Note == "" {
			t.Errorf("%+v", person)
		}
	}
	for _, page := range n.Pages() {
		if managed[page.ID] != 1 {
			t.Errorf("%s has %d managers", page.ID, managed[page.ID])
		}
	}
}

func TestOnlySomeRolesAct(t *testing.T) {
	for _, person := range network.New().People() {
		acting := 0
		for _, role := range person.Manages {
			if role.Acts() {
				acting++
			}
		}
		if want := map[string]int{"anna": 2, "marek": 1, "zofia": 2, "piotr": 135, "tomasz": 0}[person.Key]; acting != want {
			t.Errorf("%s can act for %d pages, want %d", person.Key, acting, want)
		}
	}
}

func TestFiguresAreTheSameOnEveryStart(t *testing.T) {
	first, second := network.New(), network.New()
	for i, page := range first.Pages()[:12] {
		other := second.Pages()[i]
		if page.Followers(now()) != other.Followers(now()) || page.Views(20000) != other.Views(20000) {
			t.Errorf("%s differs", page.ID)
		}
	}
	photo, _ := first.Photo(first.Pages()[0].PhotoID)
	if !reflect.DeepEqual(photo.Media(now()), photo.Media(now())) {
		t.Error("media differ")
	}
}

func TestFollowersComeAndGo(t *testing.T) {
	page := network.New().Pages()[0]
	last := network.LastEnded(now())
	for day := last - 100; day <= last; day++ {
		if got := page.FollowersAfter(day) - page.FollowersAfter(day-1); got != page.Joined(day)-page.Left(day) {
			t.Fatalf("day %d: %d more, but %d came and %d left", day, got, page.Joined(day), page.Left(day))
		}
	}
	if fans, followers := page.Fans(now()), page.Followers(now()); fans >= followers || fans < followers/2 || followers <= page.Followers(now().AddDate(-1, 0, 0)) {
		t.Errorf("%d fans of %d followers", fans, followers)
	}
}

func TestMediaGrowOld(t *testing.T) {
	n := network.New()
	photo, _ := n.Photo(n.Pages()[0].PhotoID)
	media := photo.Media(now())
	for i, medium := range media[1:] {
		if !medium.Posted.Before(media[i].Posted) {
			t.Errorf("%s is not older than %s", medium.ID, media[i].ID)
		}
	}
	medium := media[0]
	reach := -1
	for hours := range 6 * 24 {
		at := medium.Posted.Add(time.Duration(hours) * time.Hour)
		if got := medium.Reach(at); got < reach {
			t.Fatalf("after %d hours %d, before that %d", hours, got, reach)
		} else {
			reach = got
		}
	}
	if medium.Reach(medium.Posted) != 0 || reach < 300 || medium.Reach(medium.Posted.AddDate(1, 0, 0)) != reach {
		t.Errorf("reach %d at first, %d at last", medium.Reach(medium.Posted), reach)
	}
}

func TestMediaAreFoundByID(t *testing.T) {
	n := network.New()
	ids := map[string]bool{}
	for _, page := range n.Pages() {
		photo, linked := n.Photo(page.PhotoID)
		if !linked {
			continue
		}
		for _, medium := range append(photo.Media(now()), photo.Stories(now())...) {
			if got, child, found := n.Medium(medium.ID, now()); !found || child || got.Posted != medium.Posted || ids[medium.ID] {
				t.Errorf("%s: %v %t %t", medium.ID, got, child, found)
			}
			ids[medium.ID] = true
			for _, id := range medium.Children {
				if got, child, found := n.Medium(id, now()); !found || !child || got.ID != medium.ID || ids[id] {
					t.Errorf("%s: %v %t %t", id, got, child, found)
				}
				ids[id] = true
			}
		}
	}
	if len(ids) < 150 {
		t.Errorf("%d media in all", len(ids))
	}
}
