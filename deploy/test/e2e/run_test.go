package e2e

import (
	"strings"
	"syscall"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestMakeRun does what `make run` does once everything is built, twice. Ctrl-C has to
// end every program each time.
func TestMakeRun(t *testing.T) {
	needsOwnPrograms(t)
	for range 2 {
		r := harness.StartMakeRun(t)
		if a := harness.Decode[ranking](t, harness.Get(t, r.URL, "/api/benchmark/gpu?limit=3")); a.Count != 3 {
			t.Errorf("ranking: %+v", a)
		}
		if a := harness.Decode[price](t, harness.Get(t, r.URL, "/api/prices/ceneo?q=rtx+4070+super")); len(a.Offers) == 0 {
			t.Errorf("price: %+v", a)
		}
		harness.LoggedIn(t, r.URL, "biuro@demo.example").Connect(t, harness.SearchProfile, "anna")
		if err := r.Stop(syscall.SIGINT); err != nil {
			t.Errorf("Ctrl-C: %v", err)
		}
		harness.Client().CloseIdleConnections()
		for _, addr := range r.Addresses {
			if harness.Listens(addr) {
				t.Errorf("something still listens on %s", addr)
			}
		}
	}
}

func TestMakeRunNamesTheTakenPort(t *testing.T) {
	needsOwnPrograms(t)
	taken := strings.TrimPrefix(harness.StartSandbox(t, "http://127.0.0.1:1").Control, "http://")
	r := harness.StartMakeRun(t, "SANDBOX_CONTROL_ADDR="+taken)
	if err := r.Wait(); err == nil {
		t.Error("run.sh succeeded although a port was taken")
	}
	if !strings.Contains(r.Log.String(), taken+" is taken") {
		t.Errorf("run.sh does not name the port %s: %s", taken, r.Log.String())
	}
}
