package directory

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var (
	scanProfile = Connection{ID: 1, CompanyID: 1, Pair: profilePair, Active: true, AccessToken: "access-1"}
	scanPage    = Connection{ID: 2, CompanyID: 1, Pair: pagesPair, Active: true, Chosen: ChosenPage, AccessToken: "page-1", UserAccessToken: "user-1"}
	scanPageOf3 = Connection{ID: 3, CompanyID: 3, Pair: pagesPair, Active: true, Chosen: ChosenPage, AccessToken: "page-3", UserAccessToken: "user-3"}
)

// newScanWorld holds company 1 with two connections and company 3 with one.
func newScanWorld() *scanWorld {
	w := &scanWorld{
		connections: map[int64][]Connection{1: {scanProfile, scanPage}, 3: {scanPageOf3}},
		errs:        map[string]error{},
	}
	w.logger = slog.New(slog.NewTextHandler(&w.log, nil))
	return w
}

func TestScan(t *testing.T) {
	var (
		temporary = Temporary(errors.New("503"))
		throttled = Throttled(errors.New("429"), time.Hour)
		dead      = Dead(errors.New("190"), "Dostęp wygasł.")
		of3       = []string{"renew 3", "photos 3", "page 3"}
		all       = append([]string{"renew 1", "renew 2", "photos 1", "page 1"}, of3...)
	)
	for name, tt := range map[string]struct {
		change func(*scanWorld)
		done   []string
		want   ScanResult
	}{
		"all well": {func(*scanWorld) {}, all, ScanResult{Companies: 2, Synced: 4}},
		"tokens renewed": {
			func(w *scanWorld) { w.renewal = map[int64]string{1: "access-2", 2: "user-2"} }, all,
			ScanResult{Companies: 2, Renewed: 2, Synced: 4},
		},
		"renewal fails":     {func(w *scanWorld) { w.errs["renew 1"] = temporary }, all, ScanResult{Companies: 2, Synced: 4, Failed: 1}},
		"user's token lost": {func(w *scanWorld) { w.errs["renew 2"] = dead }, all, ScanResult{Companies: 2, Synced: 4, Failed: 1}},
		"company not readable": {
			func(w *scanWorld) { w.errs["list 1"] = errors.New("database") }, of3, ScanResult{Companies: 2, Synced: 2, Failed: 1},
		},
		"photos fail": {func(w *scanWorld) { w.errs["photos 1"] = temporary }, all, ScanResult{Companies: 2, Synced: 3, Failed: 1}},
		"page fails":  {func(w *scanWorld) { w.errs["page 1"] = temporary }, all, ScanResult{Companies: 2, Synced: 3, Failed: 1}},
		"no photo network": {
			func(w *scanWorld) { w.errs["photos 1"] = Gone(nil) }, all, ScanResult{Companies: 2, Synced: 3},
		},
		"page's token lost": {
			func(w *scanWorld) { w.errs["photos 1"] = dead },
			append([]string{"renew 1", "renew 2", "photos 1"}, of3...), ScanResult{Companies: 2, Synced: 2, Failed: 1},
		},
		"provider asks to wait": {
			func(w *scanWorld) { w.errs["photos 1"] = throttled },
			[]string{"renew 1", "renew 2", "photos 1"}, ScanResult{Companies: 2, Skipped: 1, Failed: 1},
		},
		"... at the renewal": {
			func(w *scanWorld) { w.errs["renew 2"] = throttled },
			[]string{"renew 1", "renew 2"}, ScanResult{Companies: 2, Skipped: 1, Failed: 1},
		},
		"the other provider asks": {
			func(w *scanWorld) { w.errs["renew 1"] = throttled }, all, ScanResult{Companies: 2, Synced: 4, Failed: 1},
		},
		"waits for its user": {
			func(w *scanWorld) { w.connections[1][1].ReconnectReason = "Dostęp wygasł." },
			append([]string{"renew 1"}, of3...), ScanResult{Companies: 2, Synced: 2, Skipped: 1},
		},
		"disconnected": {
			func(w *scanWorld) { w.connections[1][1].Active = false },
			append([]string{"renew 1"}, of3...), ScanResult{Companies: 2, Synced: 2},
		},
		"no page yet": {
			func(w *scanWorld) { w.connections[1][1].Chosen = ChosenNothing },
			append([]string{"renew 1", "renew 2"}, of3...), ScanResult{Companies: 2, Synced: 2},
		},
		"nobody connected": {func(w *scanWorld) { w.connections = nil }, nil, ScanResult{}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newScanWorld()
			tt.change(w)
			tt.want.Ran = true
			got, err := w.scan(time.Now).Run(t.Context(), nil)
			if err != nil || got != tt.want || !slices.Equal(w.done, tt.done) {
				t.Errorf("Run = %+v, %v after %q, want %+v after %q", got, err, w.done, tt.want, tt.done)
			}
			if logged := w.logged("scan step failed"); logged != tt.want.Failed {
				t.Errorf("%d failures logged, want %d", logged, tt.want.Failed)
			}
		})
	}
}

func TestScanProgress(t *testing.T) {
	w := newScanWorld()
	w.errs["page 1"] = Temporary(nil)
	var got []ScanProgress
	if _, err := w.scan(time.Now).Run(t.Context(), func(p ScanProgress) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	want := []ScanProgress{{Done: 1, Total: 2, CompanyID: 1, Failed: true}, {Done: 2, Total: 2, CompanyID: 3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("progress = %+v, want %+v", got, want)
	}
}

func TestScanOfManyCompanies(t *testing.T) {
	w := newScanWorld()
	for id := range int64(250) {
		w.connections[id+1] = []Connection{{ID: id + 1, Pair: Pairs()[id%4], Active: true}, {ID: id + 1000, Pair: profilePair, Active: true}}
	}
	if got, err := w.scan(time.Now).Run(t.Context(), nil); err != nil || got.Companies != 250 || len(w.done) != 500 {
		t.Errorf("Run = %+v, %v after %d steps, want each company once", got, err, len(w.done))
	}
}

func TestOneScanAtATime(t *testing.T) {
	w := newScanWorld()
	var second ScanResult
	w.during = func(step string) {
		if step == "renew 1" {
			second, _ = w.scan(time.Now).Run(t.Context(), nil)
		}
	}
	first, err := w.scan(time.Now).Run(t.Context(), nil)
	if err != nil || !first.Ran || first.Companies != 2 || second != (ScanResult{}) {
		t.Errorf("first = %+v, %v, second = %+v", first, err, second)
	}
}

func TestScanEndsWithItsContext(t *testing.T) {
	for _, last := range []string{"renew 1", "photos 1", "page 3"} {
		w := newScanWorld()
		w.errs[last] = context.Canceled
		ctx, cancel := context.WithCancel(t.Context())
		w.during = func(step string) {
			if step == last {
				cancel()
			}
		}
		got, err := w.scan(time.Now).Run(ctx, nil)
		if !errors.Is(err, context.Canceled) || w.done[len(w.done)-1] != last || got.Failed > 0 || !got.Ran {
			t.Errorf("Run = %+v, %v after %q", got, err, w.done)
		}
	}
}

func TestScanWithoutItsList(t *testing.T) {
	w := newScanWorld()
	w.listErr = errors.New("database is away")
	if got, err := w.scan(time.Now).Run(t.Context(), nil); !errors.Is(err, w.listErr) || got.Companies > 0 {
		t.Errorf("Run = %+v, %v", got, err)
	}
}

// Two replicas run for ten days and a random part of the first.
func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const interval = 24 * time.Hour
		w := newScanWorld()
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go w.scan(time.Now).Every(ctx, interval)
		}
		time.Sleep(interval)
		synctest.Wait()
		if got := w.turns(); got != 1 {
			t.Errorf("%d scans in the first interval, want 1", got)
		}
		time.Sleep(10 * interval)
		cancel()
		synctest.Wait()
		if got := w.turns(); got < 10 || got > 12 || w.logged("scan done") != got {
			t.Errorf("%d turns, %d scans in 11 intervals", got, w.logged("scan done"))
		}
		for i, used := range w.used[1:] {
			if gap := used.Sub(w.used[i]); gap < interval/10*9 || gap > 2*interval {
				t.Errorf("%v between two scans", gap)
			}
		}
	})
}

func TestScheduleGoesOnAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newScanWorld()
		w.listErr = errors.New("database is away")
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour+time.Minute)
		defer cancel()
		w.scan(time.Now).Every(ctx, time.Hour)
		if got := w.logged("scan failed"); got < 3 {
			t.Errorf("%d failures logged, want one an hour", got)
		}
	})
}

func TestScheduleThatIsOff(t *testing.T) {
	w := newScanWorld()
	w.scan(time.Now).Every(t.Context(), 0) // returns
	w.scan(time.Now).Every(t.Context(), -time.Hour)
	if len(w.done)+len(w.used) > 0 {
		t.Errorf("steps = %q", w.done)
	}
}
