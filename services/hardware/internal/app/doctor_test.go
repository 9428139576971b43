package app_test

import (
	"encoding/json"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/redistest"
)

// TestDoctorFindsProblems checks the state of each check with the sources at one address, which
// answers or not.
func TestDoctorFindsProblems(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	reached, away := "http://"+listener.Addr().String(), "http://127.0.0.1:1"
	redis := redistest.Start(t)
	for name, test := range map[string]struct {
		environ []string
		want    map[string]string
	}{
		"all well": {
			[]string{"HARDWARE_BENCHMARK_BASE_URL=" + reached, "HARDWARE_AGGREGATOR_BASE_URL=" + reached},
			map[string]string{"settings": "ok", "folder": "ok", "contact": "off", "redis": "off",
				"benchmark site": "ok",
				"price site":     "ok"},
		},
		"no network, no Redis, no folder": {
			[]string{"HARDWARE_BENCHMARK_BASE_URL=" + away, "HARDWARE_AGGREGATOR_BASE_URL=" + away,
				"HARDWARE_REDIS_URL=redis://127.0.0.1:1", "HARDWARE_STATE_DIR=/dev/null/no"},
			map[string]string{"settings": "ok", "folder": "problem", "contact": "off", "redis": "problem",
				"benchmark site": "problem",
				"price site":     "problem"},
		},
		"a Redis with another password": {
			[]string{"HARDWARE_BENCHMARK_BASE_URL=" + reached, "HARDWARE_AGGREGATOR_BASE_URL=" + reached,
				"HARDWARE_REDIS_URL=unix://user:wrong@" + redis.Socket},
			map[string]string{"settings": "ok", "folder": "ok", "contact": "off", "redis": "problem",
				"benchmark site": "ok",
				"price site":     "ok"},
		},
		"a wrong setting": {[]string{"HARDWARE_RATE=-1"}, map[string]string{"settings": "problem"}},
	} {
		out, err := command(t, test.environ, "doctor", "--json")
		var findings []struct{ Check, State string }
		if err := json.Unmarshal([]byte(out), &findings); err != nil {
			t.Fatalf("%s: %v in %q", name, err, out)
		}
		got, failed := map[string]string{}, false
		for _, f := range findings {
			got[f.Check] = f.State
			failed = failed || f.State == "problem"
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if (err != nil) != failed {
			t.Errorf("%s: ended with %v", name, err)
		}
	}
}
