package bench

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// The bounds of a service.
const (
	startBound  = 300 * time.Millisecond
	idleBound   = 35 << 20
	loadedBound = 100 << 20
)

// TestFootprint measures the start of both services, and their memory idle and under load.
func TestFootprint(t *testing.T) {
	table := newTable(t, "footprint", "what", "hardware", "directory", "wanted", "")
	s := harness.New(t, harness.Options{Redis: true, Directories: 1})
	hardware, directory := s.Hardware[0], s.Directories[0]
	c := newPriceCache(t, s)

	unchanged := func() {}
	h, d := starts(t, hardware, unchanged), starts(t, directory, unchanged)
	table.row("from exec to ready, median of 9 starts", short(h), short(d), "below 300 ms", verdict(max(h, d) < startBound))
	settings := directory.Env
	table.row("the same with no database yet", "", short(starts(t, directory, func() {
		directory.Env = slices.Concat(settings, []string{"DIRECTORY_DATABASE_URL=sqlite:" + filepath.Join(t.TempDir(), "directory.db")})
	})), "", "")

	directory.Env = settings
	restart(t, directory)
	idleHardware, idleDirectory := idle(t, hardware), idle(t, directory)
	table.row("memory, idle", megabytes(idleHardware), megabytes(idleDirectory), "below 35 MB", verdict(max(idleHardware, idleDirectory) < idleBound))

	const answers = 10_000
	c.fill(t, answers)
	c.warm(t, hardware, answers)
	c.load(t, s.Hardware, 8*time.Second)
	local := c.load(t, s.Hardware, 2*time.Second).local
	readAudits(t, directory)
	fullHardware, fullDirectory := hardware.Memory(t, "VmHWM"), directory.Memory(t, "VmHWM")
	table.row("memory at most, under full load", megabytes(fullHardware), megabytes(fullDirectory), "below 100 MB", verdict(max(fullHardware, fullDirectory) < loadedBound))
	table.row(fmt.Sprintf("of %d cached answers, in the process's own copy", answers), fmt.Sprintf("%.0f%%", 100*local), "", "", "")
	table.row("memory of the gateway at most", megabytes(s.Proxy.Memory(t, "VmHWM")), "", "", "")
}

// starts returns the median time from exec to the first 200 of /readyz. prepare is called
// before each start.
func starts(t *testing.T, s *harness.Service, prepare func()) time.Duration {
	t.Helper()
	var times []float64
	for range 9 {
		prepare()
		times = append(times, float64(restart(t, s)))
	}
	return time.Duration(quantile(times, 0.5))
}

// restart restarts the service and returns the time from exec until it was ready.
func restart(t *testing.T, s *harness.Service) time.Duration {
	t.Helper()
	s.Terminate(t)
	program := s.Program(t)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	begun := time.Now()
	s.Process = harness.Start(t, filepath.Base(program), s.Folder, s.Env, program)
	for time.Since(begun) < harness.Patience {
		if harness.CheckOK(harness.Send(t.Context(), client, http.MethodGet, s.AdminURL()+"/readyz", nil)) == nil {
			return time.Since(begun)
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s is not ready", program)
	return 0
}

// idle returns the maximum of memory within two seconds after a health check.
func idle(t *testing.T, s *harness.Service) (most int) {
	t.Helper()
	harness.Healthy(t, s.AdminURL()+"/healthz")
	for range 20 {
		most = max(most, s.Memory(t, "VmRSS"))
		time.Sleep(100 * time.Millisecond)
	}
	return most
}

// readAudits loads the directory with reads of an audit.
func readAudits(t *testing.T, s *harness.Service) {
	t.Helper()
	visitor := harness.LoggedIn(t, s.URL(), "biuro@demo.example")
	harness.OK(t, visitor.Post(t, "/api/bizprofile/audit", map[string]any{"company_id": 1, "fetch_external": false}))
	load := wrkLoad{URL: s.URL() + "/api/bizprofile/audit?company_id=1", Connections: 16, Time: 5 * time.Second, CPU: -1}
	if report, err := runWrk(t.Context(), load); err != nil || report.Wrong > 0 {
		t.Fatalf("%d wrong answers, %v", report.Wrong, err)
	}
}

func megabytes(bytes int) string   { return fmt.Sprintf("%.0f MB", float64(bytes)/(1<<20)) }
func short(d time.Duration) string { return d.Round(time.Millisecond).String() }
