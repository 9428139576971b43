package social

import (
	"testing"
	"time"
)

func moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}

func TestDaysChangeInTheMorning(t *testing.T) {
	for at, want := range map[string]string{
		"2026-11-21T07:59:59Z": "2026-11-20T08:00:00Z",
		"2026-11-21T08:00:00Z": "2026-11-21T08:00:00Z",
		"1969-12-31T07:00:00Z": "1969-12-30T08:00:00Z",
	} {
		if got := dayOf(moment(at)).start(); !got.Equal(moment(want)) {
			t.Errorf("the day of %s begins at %s, want %s", at, got, want)
		}
	}
}

func TestFollowersComeAndGo(t *testing.T) {
	now := moment("2026-11-21T10:30:00Z")
	p := newPages(newPhotos())[0]
	for d := lastEnded(now) - 100; d <= lastEnded(now); d++ {
		if got := p.growth.after(d, p.id) - p.growth.after(d-1, p.id); got != p.growth.joined(d, p.id)-p.growth.left(d, p.id) {
			t.Fatalf("day %d: %d more", d, got)
		}
	}
	if fans, followers := p.fans(now), p.followers(now); fans != 4931 || followers != 5136 {
		t.Errorf("%d fans of %d followers: the demo shows other figures", fans, followers)
	}
}

func TestMediaGrowOld(t *testing.T) {
	for age, want := range map[time.Duration]int{-time.Hour: 0, 0: 0, 60 * time.Hour: 750, 120 * time.Hour: 1000, 9999 * time.Hour: 1000} {
		if got := mature(1000, age); got != want {
			t.Errorf("after %s seen by %d, want %d", age, got, want)
		}
	}
}
