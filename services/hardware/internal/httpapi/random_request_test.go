package httpapi_test

import (
	"testing"
	"time"
)

// TestEveryRequestIsAnsweredAsDocumented sends 500 random requests, valid and invalid.
func TestEveryRequestIsAnsweredAsDocumented(t *testing.T) {
	s := newService(t, time.Hour)
	valid, invalid := checker.SendAll(t, s.echo, checker.RandomRequests(1, 100, map[string][]any{
		"q": {"rtx 4070 super"}, "aggregator": {"ceneo"}, "If-None-Match": {s.get("/api/benchmark/gpu").Header().Get("ETag"), "*"},
	}))
	if valid[200] < 80 || invalid[400] < 80 || invalid[404] < 8 || valid[304] == 0 {
		t.Errorf("answers to valid requests: %v, to invalid ones: %v", valid, invalid)
	}
	for status := range valid {
		if status != 200 && status != 304 && status != 400 && status != 404 {
			t.Errorf("a request as documented is answered %d", status)
		}
	}
	if len(s.families) == 0 || len(s.queries) == 0 {
		t.Error("nothing was looked up")
	}
}
