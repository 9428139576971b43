package lookup_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
)

// text is a value.
type text string

// source counts its look-ups, each of which takes a second.
type source struct {
	mu    sync.Mutex
	asked []string
}

func (s *source) load(_ context.Context, r *fetch.Request) (*lookup.Answer[text], error) {
	s.mu.Lock()
	s.asked = append(s.asked, r.ID)
	s.mu.Unlock()
	time.Sleep(time.Second)
	switch r.ID {
	case "fails":
		return nil, fetch.Unreachable.Wrap(errors.New("down"))
	case "panics":
		panic("a parser")
	}
	now := time.Now()
	return &lookup.Answer[text]{
		Value: text(r.ID), Lifetime: lookup.Lifetime{FetchedAt: now, ExpiresAt: now.Add(time.Hour)},
	}, nil
}

// newLookups have a slot every ten seconds.
func newLookups() *lookup.Lookups[text] {
	log := slog.New(slog.DiscardHandler)
	m := metrics.New(prometheus.NewRegistry())
	gate := &fetch.Gate{
		Source: "source",
		Queue:  pace.NewQueue(&pace.Memory{}, "source", pace.Rate{Interval: 10 * time.Second, Burst: 1, Turns: 1}),
		Store:  &fetch.MemoryStore{}, MaxWait: time.Minute, Failures: 5, Refusal: time.Minute, Metrics: m, Log: log,
	}
	return lookup.New[text](lookup.NewLocal(1<<20), nil, gate, time.Now, log)
}

func TestCallersShareOneLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, s := newLookups(), &source{}
		vias := make(chan lookup.Via)
		for _, class := range []pace.Class{pace.Person, pace.Person, pace.Listed, pace.Idle} {
			go func() {
				a, via, err := l.Get(t.Context(), "key", lookup.Caller{Class: class}, s.load)
				if err != nil || a.Value != "key" {
					t.Errorf("%v: %v, %v", class, a, err)
				}
				vias <- via
			}()
		}
		got := map[lookup.Via]int{}
		for range 4 {
			got[<-vias]++
		}
		if got[lookup.ViaSource] != 1 || len(s.asked) != 1 {
			t.Errorf("%d look-ups for answers from %v, want one", len(s.asked), got)
		}
		time.Sleep(time.Minute) // the queue ends
	})
}

func TestCallersLeave(t *testing.T) {
	for name, test := range map[string]struct {
		patience time.Duration
		asked    int
	}{"before the slot": {time.Second, 0}, "after it": {10*time.Second + time.Second/2, 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, s := newLookups(), &source{}
				ctx, cancel := context.WithTimeout(t.Context(), test.patience)
				defer cancel()
				if _, _, err := l.Get(ctx, "key", lookup.Caller{}, s.load); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				time.Sleep(time.Minute)
				if _, kept := l.Kept("key"); len(s.asked) != test.asked || kept != (test.asked > 0) {
					t.Errorf("%d look-ups, kept %t", len(s.asked), kept)
				}
			})
		})
	}
}

func TestPersonOvertakesList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, s := newLookups(), &source{}
		ended := make(chan string, 3)
		get := func(key string, class pace.Class) {
			go func() {
				if _, _, err := l.Get(t.Context(), key, lookup.Caller{Class: class}, s.load); err != nil {
					t.Error(err)
				}
				ended <- key + " " + class.String()
			}()
			synctest.Wait()
		}
		get("first", pace.Listed)
		get("key", pace.Listed)
		get("key", pace.Person)
		if got := <-ended; got != "key person" {
			t.Errorf("%q ended first, want the person's look-up", got)
		}
		<-ended
		<-ended
		if want := []string{"key", "first"}; !slices.Equal(s.asked, want) {
			t.Errorf("asked for %q, want %q", s.asked, want)
		}
		time.Sleep(time.Minute) // the queue ends
	})
}

func TestFailuresAreNotKept(t *testing.T) {
	for _, key := range []string{"fails", "panics"} {
		synctest.Test(t, func(t *testing.T) {
			l, s := newLookups(), &source{}
			for range 2 {
				if _, _, err := l.Get(t.Context(), key, lookup.Caller{}, s.load); fault.From(err) == nil {
					t.Errorf("%s: %v", key, err)
				}
			}
			if len(s.asked) != 2 {
				t.Errorf("%s: %d look-ups, want one for each caller", key, len(s.asked))
			}
		})
	}
}

func TestRefreshLooksUpWhatExpiresSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, s := newLookups(), &source{}
		for _, rest := range []time.Duration{0, 30 * time.Minute, 2 * time.Hour} {
			if _, _, err := l.Refresh(t.Context(), "key", lookup.Caller{}, rest, s.load); err != nil {
				t.Fatal(err)
			}
		}
		if len(s.asked) != 2 {
			t.Errorf("%d look-ups, want a second one for an answer that expires too soon", len(s.asked))
		}
	})
}
