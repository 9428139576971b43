package budget_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// shared is what all replicas take from, as database.DB.TakeTurns does, and when each
// request was sent.
type shared struct {
	mu         sync.Mutex
	until      time.Time
	statements int
	sent       []time.Time
	refused    atomic.Int64
	log        bytes.Buffer
}

func (s *shared) take(_ context.Context, _ string, length, room time.Duration) (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statements++
	now := time.Now()
	until := s.until
	if until.Before(now) {
		until = now
	}
	if until = until.Add(length); until.After(now.Add(room)) {
		return until.Sub(now.Add(room)), nil
	}
	s.until = until
	return 0, nil
}

func (s *shared) replica(perMinute int) *budget.Budget {
	return budget.New(budget.Options{
		Provider: provider.Search, PerMinute: perMinute, Take: s.take, Log: slog.New(slog.NewTextHandler(&s.log, nil)),
		OnTurn: func(string) { s.mu.Lock(); s.sent = append(s.sent, time.Now()); s.mu.Unlock() },
		OnBusy: func() { s.refused.Add(1) },
	})
}

// TestEachAPIHasABudget checks that the turns of one API leave those of another free.
func TestEachAPIHasABudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		apis := map[string]*shared{} // by the name that is taken from
		budgets := budget.Budgets{}
		for _, api := range []string{"places", "searchconsole"} {
			budgets[api] = budget.New(budget.Options{
				Provider: provider.Search, API: api, PerMinute: 60,
				Take: func(ctx context.Context, name string, length, room time.Duration) (time.Duration, error) {
					if apis[name] == nil {
						apis[name] = &shared{}
					}
					return apis[name].take(ctx, name, length, room)
				},
			})
		}
		begin := time.Now()
		for time.Since(begin) == 0 {
			if err := budgets.Person(t.Context(), "places"); err != nil {
				t.Fatal(err)
			}
		}
		begin = time.Now()
		if err := budgets.Scan(t.Context(), "searchconsole"); err != nil || time.Since(begin) > 0 || len(apis) != 2 {
			t.Errorf("%v after %s, budgets: %v", err, time.Since(begin), apis)
		}
	})
}

// repeat takes turns until ctx ends, n at a time.
func repeat(ctx context.Context, n int, turn func(context.Context) error) {
	for range n {
		go func() {
			for ctx.Err() == nil {
				if turn(ctx) != nil {
					time.Sleep(time.Second)
				}
			}
		}()
	}
}

// TestBudgetHoldsOverReplicas checks that no minute has more requests than allowed, that
// nearly all of the budget can be used, and that a request costs at most two statements.
func TestBudgetHoldsOverReplicas(t *testing.T) {
	for _, perMinute := range []int{budget.Fewest, 240, 600} {
		synctest.Test(t, func(t *testing.T) {
			s := &shared{}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			for range 2 {
				b := s.replica(perMinute)
				repeat(ctx, 4, b.Scan)
				repeat(ctx, 2, b.Person)
			}
			<-ctx.Done()
			synctest.Wait()
			first := 0
			for i, at := range s.sent {
				for at.Sub(s.sent[first]) >= time.Minute {
					first++
				}
				if n := i - first + 1; n > perMinute {
					t.Fatalf("%d: %d requests in a minute", perMinute, n)
				}
			}
			if n := len(s.sent) / 10; n < perMinute*3/4 {
				t.Errorf("%d: only %d requests in a minute", perMinute, n)
			}
			if perMinute == 600 && s.statements > 2*len(s.sent) {
				t.Errorf("%d statements for %d requests", s.statements, len(s.sent))
			}
			time.Sleep(time.Minute)
		})
	}
}

// TestNoTurnIsLeftUnused checks that two replicas with few requests each, one after the
// other, can use nearly all of the budget without a wait.
func TestNoTurnIsLeftUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		replicas := []*budget.Budget{s.replica(240), s.replica(240)}
		begin := time.Now()
		for n := range 600 {
			time.Sleep(time.Until(begin.Add(time.Duration(n) * 300 * time.Millisecond)))
			if err := replicas[n%2].Person(t.Context()); err != nil {
				t.Fatalf("request %d, after %s: %v", n, time.Since(begin), err)
			}
		}
		if late := time.Since(begin) - 599*300*time.Millisecond; late > 0 {
			t.Errorf("requests waited %s", late)
		}
	})
}

// TestUnusedTurnsExpire checks that turns for requests that were given up are not added to
// those of a later minute: they can be used for a second.
func TestUnusedTurnsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, giveUp := context.WithCancel(t.Context())
		taken := 0
		b := budget.New(budget.Options{PerMinute: 240, Take: func(context.Context, string, time.Duration, time.Duration) (time.Duration, error) {
			if taken++; taken == 1 {
				return time.Second, nil
			}
			giveUp() // of the others, for which turns are taken, too
			return 0, nil
		}})
		scan := func(ctx context.Context) { _ = b.Scan(ctx) }
		go scan(t.Context())
		synctest.Wait()
		for range 3 {
			go scan(ctx)
		}
		time.Sleep(2 * time.Second)
		if scan(t.Context()); taken != 3 {
			t.Errorf("turns were taken %d times, want again", taken)
		}
	})
}

// TestPeopleGoFirst checks that a person's requests are sent at once while scans of both
// replicas use up their part.
func TestPeopleGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		ctx, cancel := context.WithCancel(t.Context())
		first, second := s.replica(240), s.replica(240)
		repeat(ctx, 20, first.Scan)
		repeat(ctx, 20, second.Scan)
		time.Sleep(time.Minute)
		begin := time.Now()
		for range 4 {
			if err := second.Person(ctx); err != nil || time.Since(begin) > 0 {
				t.Errorf("after %s: %v", time.Since(begin), err)
			}
		}
		cancel()
		synctest.Wait()
		time.Sleep(time.Minute)
	})
}

// TestPersonIsRefusedInTime checks that none of many people waits longer than 5 s, and that
// those who are refused learn when to try again and are counted.
func TestPersonIsRefusedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		b, begin := s.replica(60), time.Now()
		var people sync.WaitGroup
		var mu sync.Mutex
		refused := 0
		for range 20 {
			people.Go(func() {
				err := b.Person(t.Context())
				if time.Since(begin) > 5*time.Second {
					t.Errorf("waited %s", time.Since(begin))
				}
				f := fault.From(err)
				if err == nil {
					return
				}
				if !fault.Is(err, provider.CodeThrottled) || f.Kind != fault.Limited || f.RetryAfter <= 0 || !errors.Is(err, provider.ErrNoTurn) {
					t.Errorf("err = %+v", f)
				}
				mu.Lock()
				refused++
				mu.Unlock()
			})
		}
		people.Wait()
		if counted := int(s.refused.Load()); refused == 0 || refused == 20 || counted != refused {
			t.Errorf("%d of 20 refused, %d counted", refused, counted)
		}
	})
}

// TestPersonBehindASlowDatabase checks that a person waits no longer than 5 s for those in
// front, too, nor longer than for the answer.
func TestPersonBehindASlowDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(budget.Options{PerMinute: 60, Log: slog.New(slog.DiscardHandler), Take: func(context.Context, string, time.Duration, time.Duration) (time.Duration, error) {
			time.Sleep(time.Minute)
			return 0, nil
		}})
		go func() { _ = b.Person(t.Context()) }()
		synctest.Wait()
		begin := time.Now()
		err := b.Person(t.Context())
		if waited := time.Since(begin); waited != 5*time.Second || !fault.Is(err, provider.CodeThrottled) || fault.From(err).RetryAfter != 5*time.Second {
			t.Errorf("after %s: %+v", waited, err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := b.Person(gone); !errors.Is(err, provider.ErrNoTurn) || !errors.Is(err, context.Canceled) {
			t.Errorf("who has left: %v", err)
		}
		time.Sleep(time.Minute)
	})
}

// TestLongWait checks that a scan waits for as long as its context lasts, and that long
// waits are logged once in a minute.
func TestLongWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shared{}
		b := s.replica(60)
		s.until = time.Now().Add(20 * time.Second)
		for _, want := range []int{1, 1, 1, 2, 2} {
			if err := b.Scan(t.Context()); err != nil {
				t.Error(err)
			}
			s.until = s.until.Add(20 * time.Second)
			if n := strings.Count(s.log.String(), "wait long for the budget"); n != want {
				t.Errorf("%d lines, want %d: %s", n, want, &s.log)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.Scan(ctx); !errors.Is(err, provider.ErrNoTurn) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
		failing := errors.New("database is away")
		b = budget.New(budget.Options{PerMinute: 60, Take: func(context.Context, string, time.Duration, time.Duration) (time.Duration, error) { return 0, failing }})
		if err := b.Person(t.Context()); !errors.Is(err, failing) {
			t.Errorf("err = %v", err)
		}
	})
}

// TestHowMuchMayBeUsedAtOnce checks that this is a twentieth of the budget, half of it by
// scans, but at least two requests and one.
func TestHowMuchMayBeUsedAtOnce(t *testing.T) {
	for perMinute, want := range map[int][2]int{budget.Fewest: {2, 1}, 40: {2, 1}, 60: {3, 2}, 240: {12, 6}} {
		synctest.Test(t, func(t *testing.T) {
			for i, turn := range []func(*budget.Budget, context.Context) error{(*budget.Budget).Person, (*budget.Budget).Scan} {
				b, ctx, n := (&shared{}).replica(perMinute), t.Context(), 0
				for begin := time.Now(); ; n++ {
					if err := turn(b, ctx); err != nil && !errors.Is(err, provider.ErrNoTurn) {
						t.Fatal(err)
					} else if err != nil || time.Since(begin) > 0 {
						break
					}
				}
				if n != want[i] {
					t.Errorf("%d: %d at once, want %d", perMinute, n, want[i])
				}
			}
		})
	}
}

// TestTurnsAreCounted checks what is known of a turn: for whom it was, and the budget from
// which it was taken.
func TestTurnsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var taken, turns []string
		wait := 20 * time.Second
		budgets := budget.Budgets{"places": budget.New(budget.Options{
			Provider: provider.Search, API: "places", PerMinute: 60, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Take: func(_ context.Context, name string, _, _ time.Duration) (left time.Duration, err error) {
				taken = append(taken, name)
				left, wait = wait, 0
				return left, nil
			},
			OnTurn: func(by string) { turns = append(turns, by) },
		})}
		if err := errors.Join(budgets.Scan(t.Context(), "places"), budgets.Person(t.Context(), "places")); err != nil {
			t.Fatal(err)
		}
		const name = "budget provider_search/places"
		if !slices.Equal(taken, []string{name, name, name}) || !slices.Equal(turns, []string{"scans", "people"}) {
			t.Errorf("taken %q, turns %q", taken, turns)
		}
		if line := "provider=provider_search api=places by=scans waited=20s per_minute=60\n"; strings.Count(log.String(), "\n") != 1 || !strings.HasSuffix(log.String(), line) {
			t.Errorf("log %s", &log)
		}
	})
}

// TestLongestWaitOfAPerson checks that a wait that ends in time is waited, and one that would
// not is refused at once.
func TestLongestWaitOfAPerson(t *testing.T) {
	for wait, ok := range map[time.Duration]bool{5 * time.Second: true, 5*time.Second + 1: false} {
		synctest.Test(t, func(t *testing.T) {
			left := wait
			budgets := budget.Budgets{"": budget.New(budget.Options{PerMinute: 60, Take: func(context.Context, string, time.Duration, time.Duration) (next time.Duration, err error) {
				next, left = left, 0
				return next, nil
			}})}
			begin := time.Now()
			err := budgets.Person(t.Context(), "")
			if waited := time.Since(begin); (err == nil) != ok || (waited == wait) != ok || !ok && (waited > 0 || fault.From(err).RetryAfter != wait) {
				t.Errorf("%s: %v after %s", wait, err, waited)
			}
		})
	}
}

// TestBudgetWithoutTheDatabase checks that nothing is sent then.
func TestBudgetWithoutTheDatabase(t *testing.T) {
	failing := errors.New("database is away")
	budgets := budget.Budgets{"": budget.New(budget.Options{PerMinute: 60, Take: func(context.Context, string, time.Duration, time.Duration) (time.Duration, error) { return 0, failing }})}
	for name, turn := range map[string]func(context.Context, string) error{"person": budgets.Person, "scan": budgets.Scan} {
		if err := turn(t.Context(), ""); !errors.Is(err, failing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
