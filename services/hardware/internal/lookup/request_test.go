package lookup_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// queued is a look-up that is queued before it begins.
type queued struct {
	work
	line time.Duration
}

func (q *queued) load(ctx context.Context, r *lookup.Request) (*answer, error) {
	err := r.AwaitTurn(func() error {
		select {
		case <-time.After(q.line):
			return nil
		case <-ctx.Done():
			return lookup.Abandoned(ctx.Err())
		}
	})
	if err != nil {
		return nil, err
	}
	return q.work.load(ctx, r)
}

// getFor asks l on behalf of c, for at most d.
func getFor(t *testing.T, l *layers, c lookup.Caller, d time.Duration, load lookup.Load[text]) string {
	ctx, leave := context.WithTimeout(t.Context(), d)
	defer leave()
	_, via, err := l.Get(ctx, "key", c, load)
	if f := fault.From(err); f != nil && f.Code != "internal" {
		return f.Code
	}
	if err != nil {
		return err.Error()
	}
	return string(via)
}

func expectAnswered(t *testing.T, got string) {
	t.Helper()
	if got != "source" && got != "collapsed" && got != "shared" {
		t.Errorf("got %s, want an answer", got)
	}
}

func TestALookupWithoutCallersIsDroppedInTheQueue(t *testing.T) {
	for _, tt := range []struct {
		name   string
		leave  time.Duration // when the first caller leaves
		second time.Duration // when another one joins; zero if none does
		stays  time.Duration // for how long that one waits
		before time.Duration // when it can be queued, because another replica looks up as well
		began  int32
	}{
		{name: "queued", leave: time.Second},
		{name: "not queued yet", leave: time.Second, before: 5 * time.Second},
		{name: "queued, but another waits", leave: 2 * time.Second, second: time.Second, stays: time.Minute, began: 1},
		{name: "queued, and another leaves", leave: 2 * time.Second, second: time.Second, stays: 3 * time.Second},
		{name: "begun", leave: 11 * time.Second, began: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, q := newStore(), &queued{work: work{ttl: day, takes: 5 * time.Second}, line: 10 * time.Second}
				if tt.before > 0 {
					s.claimElsewhere(tt.before)
				}
				l := s.replica()
				var callers sync.WaitGroup
				callers.Go(func() {
					expectVia(t, getFor(t, l, lookup.Caller{}, tt.leave, q.load), context.DeadlineExceeded.Error())
				})
				if tt.second > 0 {
					callers.Go(func() {
						time.Sleep(tt.second)
						want := "collapsed"
						if tt.began == 0 {
							want = context.DeadlineExceeded.Error()
						}
						expectVia(t, getFor(t, l, lookup.Caller{}, tt.stays, q.load), want)
					})
				}
				callers.Wait()
				time.Sleep(tt.before)
				synctest.Wait()
				if dropped := tt.began == 0; dropped && s.isClaimed() {
					t.Error("the claim of a dropped look-up was left behind")
				}
				time.Sleep(time.Minute)
				q.expect(t, tt.began)
				if _, kept := l.Kept("key"); kept != (tt.began > 0) {
					t.Errorf("the answer is kept: %t", kept)
				}
			})
		})
	}
}

// TestADroppedLookupDoesNotFailOthers: who joins at the moment of the drop, and another
// replica that waits for the outcome, look up themselves.
func TestADroppedLookupDoesNotFailOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := newStore(), &queued{work: work{ttl: day}, line: 10 * time.Second}
		one, two := s.replica(), s.replica()
		var callers sync.WaitGroup
		callers.Go(func() { getFor(t, one, lookup.Caller{}, time.Second, q.load) })
		synctest.Wait()
		callers.Go(func() { expectAnswered(t, getFor(t, two, lookup.Caller{}, time.Minute, q.load)) })
		time.Sleep(time.Second)
		began := time.Now()
		expectAnswered(t, getFor(t, one, lookup.Caller{}, time.Minute, q.load))
		if d := time.Since(began); d > q.line+2*timing.Poll {
			t.Errorf("answered %v after the drop", d)
		}
		callers.Wait()
		q.expect(t, 1)
	})
}

// TestARefusalIsTheAskersOwn: a client that is refused does not fail the others who asked for the
// same.
func TestARefusalIsTheAskersOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := newStore(), &work{ttl: day}
		refused := fault.Wrap(lookup.ErrNotAsked, fault.Unavailable, "throttle_queue_full", "")
		load := func(ctx context.Context, r *lookup.Request) (*answer, error) {
			time.Sleep(time.Second)
			if r.Client == "greedy" {
				return nil, refused
			}
			return w.load(ctx, r)
		}
		replicas := []*layers{s.replica(), s.replica()}
		var callers sync.WaitGroup
		for i := range 6 {
			callers.Go(func() {
				if i == 0 {
					got := getFor(t, replicas[0], lookup.Caller{Client: "greedy"}, time.Minute, load)
					expectVia(t, got, "throttle_queue_full")
					return
				}
				expectAnswered(t, getFor(t, replicas[i%2], lookup.Caller{Client: fmt.Sprint("modest ", i)}, time.Minute, load))
			})
			synctest.Wait() // the greedy client leads
		}
		callers.Wait()
		w.expect(t, 1)
	})
}

// Callers join a look-up that another one leads, in this process or elsewhere, until it has
// ended. The second one is refused when it asks again.
func TestCallersJoinALookupInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := newStore(), &queued{work: work{ttl: day}, line: 10*time.Second + timing.Poll/2} // ends between two polls
		one, two, alone := s.replica(), s.replica(), newLayers(nil)
		begun, joined := time.Now(), map[string][]time.Duration{}
		var mu sync.Mutex
		for _, l := range append(s.replicas, alone) {
			l.Join = func(_ context.Context, c lookup.Caller, key string) (time.Duration, error) {
				mu.Lock()
				defer mu.Unlock()
				at := time.Since(begun)
				joined[c.Client+key] = append(joined[c.Client+key], at)
				if c.Client == "refused " && at > 5*time.Second {
					return 0, lookup.Paused(time.Minute)
				}
				if at < 400*time.Millisecond {
					return 0, nil
				}
				return 6 * time.Second, nil
			}
		}
		var callers sync.WaitGroup
		for _, caller := range []struct {
			layers *layers
			lookup.Caller
			want string
		}{
			{one, client("first "), "source"}, {one, client("joins "), "collapsed"}, {one, client("refused "), lookup.CodePaused},
			{one, lookup.Caller{Client: "idle ", Class: lookup.Idle}, "collapsed"}, {two, client("elsewhere "), "collapsed"},
			{alone, client("alone "), "source"}, {alone, client("joins alone "), "collapsed"},
		} {
			callers.Go(func() { expectVia(t, getFor(t, caller.layers, caller.Caller, 2*time.Minute, q.load), caller.want) })
			synctest.Wait()
		}
		callers.Wait()
		poll := timing.Poll
		again := 2*poll + 6*time.Second
		want := map[string][]time.Duration{"joins key": {0, poll, 2 * poll, again}, "refused key": {0, poll, 2 * poll, again}, "elsewhere key": {poll, 2 * poll, again}, "joins alone key": {0, poll, 2 * poll, again}}
		if !reflect.DeepEqual(joined, want) {
			t.Errorf("joined %v, want %v", joined, want)
		}
	})
}

// A caller whose look-up is another's, in any replica, is queued.
func TestALookupOfAnotherIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := newStore(), &work{takes: time.Minute}
		s.claimElsewhere(time.Hour)
		l := s.replica()
		for _, name := range []string{"first", "second"} {
			c := lookup.Caller{Queued: make(chan struct{}, 1)}
			go func() { _, _, _ = l.Get(t.Context(), "key", c, w.load) }()
			synctest.Wait()
			if len(c.Queued) == 0 {
				t.Errorf("the %s caller is not queued", name)
			}
		}
		time.Sleep(2 * timing.Limit)
	})
}

// A caller who comes late to a look-up that waits for another replica has all of its own time.
func TestALateCallerHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := newStore(), &work{ttl: day}
		l := s.replica()
		s.claimElsewhere(timing.Limit + 5*time.Second)
		var callers sync.WaitGroup
		callers.Go(func() { expectVia(t, get(l, w), lookup.CodeSlow) })
		time.Sleep(timing.Limit - time.Second)
		callers.Go(func() { expectVia(t, get(l, w), "source") })
		callers.Wait()
	})
}

func client(name string) lookup.Caller { return lookup.Caller{Client: name} }

func TestALookupOfAListHasMoreTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := newStore(), &queued{work: work{ttl: day}, line: 2 * time.Minute}
		l := s.replica()
		var callers sync.WaitGroup
		callers.Go(func() {
			expectVia(t, getFor(t, l, lookup.Caller{Class: lookup.Listed}, time.Hour, q.load), "source")
		})
		synctest.Wait()
		for _, class := range []lookup.Class{lookup.Awaited, lookup.Idle} {
			callers.Go(func() {
				began := time.Now()
				expectVia(t, getFor(t, l, lookup.Caller{Class: class}, time.Hour, q.load), lookup.CodeSlow)
				if d := time.Since(began); d < timing.Limit || d > timing.Limit+time.Second {
					t.Errorf("class %d, which waits for the answer of a list, was let go after %v", class, d)
				}
			})
		}
		callers.Wait()
	})
}

func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := newStore(), &work{ttl: day, takes: time.Second}
		one, two := s.replica(), s.replica()
		refresh := func(l *layers, began int32) {
			t.Helper()
			if a, err := l.Refresh(t.Context(), "key", lookup.Caller{}, time.Hour, w.load); err != nil || a == nil || a.Value != "x" {
				t.Errorf("%+v, %v", a, err)
			}
			w.expect(t, began)
		}
		refresh(one, 1)
		time.Sleep(day - time.Hour - time.Minute)
		refresh(one, 1) // more than an hour is left
		time.Sleep(time.Minute)
		go func() {
			synctest.Wait()
			expectVia(t, get(one, w), "local") // the old answer goes on
		}()
		refresh(one, 2)
		refresh(two, 2) // it has heard of the new answer
		refresh(s.replica(), 2)
		time.Sleep(day - 2*time.Hour)
		expectVia(t, get(two, w), "local")

		w.err = errors.New("down")
		time.Sleep(time.Hour)
		if _, err := one.Refresh(t.Context(), "key", lookup.Caller{}, time.Hour, w.load); err == nil {
			t.Error("a refresh that failed returned no error")
		}
		expectVia(t, get(one, w), "local")
	})
}

// Of two who refresh at once, the second one looks up itself if the first one is refused, but
// shares its failure.
func TestTwoRefreshAtOnce(t *testing.T) {
	for _, tt := range []struct {
		err           error
		first, second string
		loads         int32
	}{
		{lookup.Abandoned(errAway), "lookup_abandoned", "", 2},
		{lookup.Unreachable(errAway), lookup.CodeUnavailable, lookup.CodeUnavailable, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, w := newStore().replica(), &work{ttl: day, takes: time.Second}
			refresh := func(want string, load lookup.Load[text]) {
				if _, err := l.Refresh(t.Context(), "key", lookup.Caller{}, time.Hour, load); codeOf(err) != want {
					t.Errorf("%v, want %q", err, want)
				}
			}
			go refresh(tt.first, func(ctx context.Context, r *lookup.Request) (*answer, error) {
				_, _ = w.load(ctx, r)
				return nil, tt.err
			})
			synctest.Wait()
			refresh(tt.second, w.load)
			w.expect(t, tt.loads)
		})
	}
}
