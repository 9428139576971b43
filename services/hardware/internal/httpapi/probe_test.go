package httpapi_test

import (
	"testing"
	"time"
)

// TestEveryRequestIsAnsweredAsDocumented sends 2000 requests that are made up from
// the contract, good and bad.
func TestEveryRequestIsAnsweredAsDocumented(t *testing.T) {
	s, rankings, prices := fakes(t, time.Hour)
	sound, others := checker.Hammer(t, s.echo, checker.Probes(1, 500, map[string][]any{
		"q": {"rtx 4070 super"}, "aggregator": {"ceneo"}, "If-None-Match": {`"` + rankings.answer.Digest + `"`, "*"},
	}))
	t.Logf("sound requests: %v, others: %v", sound, others)
	if sound[200] < 300 || others[400] < 300 || others[404] < 20 || sound[304] == 0 {
		t.Errorf("sound requests: %v, others: %v", sound, others)
	}
	for status := range sound {
		if status != 200 && status != 304 && status != 400 && status != 404 {
			t.Errorf("a request as documented is answered %d", status)
		}
	}
	if len(rankings.asked) == 0 || len(prices.asked) == 0 {
		t.Error("nothing was looked up")
	}
}
