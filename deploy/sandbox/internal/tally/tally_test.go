package tally_test

import (
	"maps"
	"sync"
	"testing"

	"backend.example/deploy/sandbox/internal/tally"
)

func TestCounting(t *testing.T) {
	var counters tally.Tally
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() { counters.Add("token_requests", "refresh_token") })
	}
	group.Wait()
	counters.Add("token_requests", "authorization_code")
	counters.Add("issued", "code")

	want := map[string]int{"refresh_token": 50, "authorization_code": 1}
	if got := counters.Count("token_requests"); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := counters.Count("nothing"); got == nil || len(got) != 0 {
		t.Errorf("an unknown group gives %v, want an empty map", got)
	}
	counters.Count("issued")["code"] = 9
	if got := counters.Count("issued")["code"]; got != 1 {
		t.Errorf("a copy was changed, and the tally with it: %d", got)
	}
	counters.Clear()
	if got := counters.Count("issued"); len(got) != 0 {
		t.Errorf("after clearing: %v", got)
	}
}
