package directory_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/directory"
)

// heapInUse is what is left of the memory in use without the gaps of the fleet itself.
func (f *fleet) heapInUse() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	for task, order := range f.order {
		order = slices.DeleteFunc(order, func(i directory.ScanItem) bool { return i.ID == 0 })
		for at, item := range order {
			f.place[task][item.CompanyID] = at
		}
		f.order[task], f.begin[task] = append(make([]directory.ScanItem, 0, 2*len(order)), order...), 0
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc >> 20
}

// TestHundredThousandCompanies runs the schedule of two replicas for two days and a
// half. Every answer takes a second: one for each renewal, and two for each company's
// syncs. Each company has its turn within a day, every day, and the memory is flat.
func TestHundredThousandCompanies(t *testing.T) {
	companies := 100_000
	if testing.Short() {
		companies = 1000
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(companies)
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go f.scan(4).Every(ctx, 24*time.Hour)
		}
		var heap []uint64
		for range 5 {
			time.Sleep(12 * time.Hour)
			heap = append(heap, f.heapInUse())
		}
		cancel()
		synctest.Wait()
		var oldest time.Duration
		for _, at := range f.synced[1:] {
			oldest = max(oldest, time.Since(at))
		}
		t.Logf("%d companies, %d calls in 2.5 days, longest between two syncs of a company %v, now %v, heap %d MiB",
			companies, f.calls, f.longest.Round(time.Minute), oldest.Round(time.Minute), heap)
		if day := 24*time.Hour + 30*time.Minute; f.longest > day || oldest > day || slices.Max(heap)-slices.Min(heap) > 8 {
			t.Error("not within a day, or not with flat memory")
		}
	})
}

// TestNobodyStarves: when a round takes longer than the interval, each company has its
// turn before any has its second.
func TestNobodyStarves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(300)
		ctx, cancel := context.WithCancel(t.Context())
		go f.scan(1).Every(ctx, time.Minute) // a round takes ten
		time.Sleep(time.Hour)
		cancel()
		synctest.Wait()
		if f.longest > 15*time.Minute || f.longest < 10*time.Minute {
			t.Errorf("a company waited %v", f.longest)
		}
	})
}

// TestScheduleGoesOn: two replicas scan each company once in an interval, a failure of
// the store ends nothing, and 0 is off.
func TestScheduleGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(10)
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go f.scan(2).Every(ctx, 24*time.Hour)
		}
		f.scan(1).Every(ctx, 0) // returns
		time.Sleep(10*24*time.Hour + 12*time.Hour)
		cancel()
		synctest.Wait()
		if want := 10 * 3 * 11; f.calls > want || f.calls < want-10*3 {
			t.Errorf("%d calls, want about %d", f.calls, want)
		}
	})
}

// TestRenewalsDoNotWait: syncs that take for ever hold up no renewal.
func TestRenewalsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(100)
		f.answer = answersAfter(20 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
		defer cancel()
		_, err := f.scan(4).Run(ctx, nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		renewals := 0
		for _, item := range f.order[directory.ScanRenewal] {
			if item.ID != 0 && !item.At.IsZero() {
				renewals++
			}
		}
		if !errors.Is(err, context.DeadlineExceeded) || renewals != 100 {
			t.Errorf("%d of 100 renewed, %v", renewals, err)
		}
	})
}
