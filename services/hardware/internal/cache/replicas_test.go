package cache

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/throttle"
)

// site is an aggregator without the products that begin with "no". It notes what it was asked for.
type site struct {
	pacer *throttle.Pacer
	asked *asked
}

type asked struct {
	mu    sync.Mutex
	names []string
}

func (s site) request(ctx context.Context, r *lookup.Request) error {
	sent, err := s.pacer.Turn(ctx, r)
	if err == nil {
		sent()
	}
	return err
}

func (s site) Search(ctx context.Context, r *lookup.Request, q catalog.Query) (string, prices.Finding, error) {
	if err := s.request(ctx, r); err != nil {
		return "", prices.Finding{}, err
	}
	s.asked.mu.Lock()
	defer s.asked.mu.Unlock()
	s.asked.names = append(s.asked.names, q.Text)
	if strings.HasPrefix(q.Text, "no") {
		return "", prices.Finding{ProductURL: "https://prices.example"}, nil
	}
	return q.Text, prices.Finding{ProductName: q.Text}, nil
}

func (s site) Product(ctx context.Context, r *lookup.Request, number string, _ int) (prices.Finding, error) {
	return prices.Finding{ProductName: number, Offers: []prices.Offer{{Store: "a.example", Price: 99}}}, s.request(ctx, r)
}

// service is some replicas behind one Redis, whose time is that of the bubble.
type service struct {
	server *miniredis.Miniredis
	prices []*prices.Prices
	quotes []*prices.Quotes
	asked  asked
}

func runService(t *testing.T, replicas int, interval time.Duration, test func(t *testing.T, s *service)) {
	server := miniredis.RunT(t) // outside the bubble, whose time passes only while all in it sleep
	synctest.Test(t, func(t *testing.T) {
		s, log := &service{server: server}, slog.New(slog.DiscardHandler)
		for range replicas {
			client := redis.NewClient(&redis.Options{Addr: server.Addr()})
			defer client.Close()
			pacer := throttle.NewRedisPacer(client, "shop", throttle.Options{Interval: interval, MaxWait: 25 * time.Second, Replicas: replicas, Log: log})
			p := prices.New(prices.Options{
				Aggregator: "shop", Host: "prices.example", Source: site{pacer, &s.asked}, Breaker: throttle.NewRedisBreaker(client, log),
				Matches: layersOf[prices.Match](client, pacer, "match"), Offers: layersOf[prices.Price](client, pacer, "price"),
				TTL: 24 * time.Hour, ProductTTL: 24 * time.Hour, Now: time.Now,
				Answered: func(lookup.Via, error) {}, LookedUp: func(string, time.Time) {},
			})
			s.prices, s.quotes = append(s.prices, p), append(s.quotes, prices.NewQuotes(p, pacer, NewRedisBoard(client), log))
		}
		ctx, cancel := context.WithCancel(t.Context())
		var clock sync.WaitGroup
		defer func() { time.Sleep(2 * time.Minute); cancel(); clock.Wait() }() // what is under way is dropped
		clock.Go(func() {
			const tick = 50 * time.Millisecond
			for ; ctx.Err() == nil; time.Sleep(tick) {
				server.SetTime(time.Now())
				server.FastForward(tick)
			}
		})
		time.Sleep(2 * time.Second)
		test(t, s)
	})
}

func layersOf[V lookup.Value](client *redis.Client, pacer *throttle.Pacer, kind string) *lookup.Layers[V] {
	log := slog.New(slog.DiscardHandler)
	return lookup.New(lookup.Options[V]{
		Local: lookup.NewLocal(8 << 20), Shared: NewRedis[V](client, kind, 24*time.Hour, time.Now, log),
		Timing: lookup.DefaultTiming(), Join: pacer.Join, Now: time.Now, Log: log,
	})
}

// states asks a replica for a list, and counts how far its items are.
func (s *service) states(t *testing.T, replica int, client string, list []catalog.Query) map[string]int {
	states := map[string]int{}
	for _, q := range s.quotes[replica%len(s.quotes)].Ask(t.Context(), lookup.Caller{Client: client}, list) {
		switch {
		case q.Fault != nil:
			states[q.Fault.Code]++
		case q.Answer != nil:
			states["ready"]++
		case q.Place.Number > 0:
			states["placed"]++
		default:
			states["under way"]++
		}
	}
	return states
}

func parts(name string, n int) (list []catalog.Query) {
	for i := range n {
		list = append(list, catalog.Query{Text: fmt.Sprint(name, " part ", i)})
	}
	return list
}

// A client reaches another replica each time. What no cache keeps stays as it is, and is
// searched for once, even while Redis is away from the only replica that is asked.
func TestAnOutcomeIsThatOfAllReplicas(t *testing.T) {
	for name, tt := range map[string]struct {
		replicas, asked int
		away            bool
	}{
		"two":                  {replicas: 2, asked: 2},
		"twenty":               {replicas: 20, asked: 20},
		"one of two, no Redis": {replicas: 2, asked: 1, away: true},
	} {
		t.Run(name, func(t *testing.T) {
			runService(t, tt.replicas, time.Second, func(t *testing.T, s *service) {
				if tt.away {
					s.server.SetError("LOADING")
				}
				list := parts("no", 1)
				ready := false
				for n := range 28 {
					states := s.states(t, n%tt.asked, "a", list)
					if ready = ready || states["ready"] == 1; ready != (states["ready"] == 1) || !ready && n > 4 {
						t.Errorf("%d: %v", n, states)
					}
					time.Sleep(2 * time.Second)
				}
				if n := len(s.asked.names); n != 1 {
					t.Errorf("%d searches", n)
				}
			})
		})
	}
}

// A client comes every five seconds, to each of twenty replicas every 100 s. Its list takes as
// long, and none of its look-ups is made twice or loses its place.
func TestAListIsWantedInAllReplicas(t *testing.T) {
	runService(t, 20, 6*time.Second, func(t *testing.T, s *service) {
		begun, states := time.Now(), map[string]int{}
		for n := 0; states["ready"] < 9 && n < 40; n++ {
			states = s.states(t, n, "a", parts("a", 9))
			if states["ready"]+states["placed"]+states["under way"] != 9 || states["under way"] > 1 {
				t.Errorf("after %v: %v", time.Since(begun), states)
			}
			time.Sleep(5 * time.Second)
		}
		var want []string
		for _, q := range parts("a", 9) {
			want = append(want, q.Text)
		}
		if took := time.Since(begun); !slices.Equal(s.asked.names, want) || took > 2*time.Minute {
			t.Errorf("%v after %v, searched for %q", states, took, s.asked.names)
		}
	})
}

// A product near the end of a list that another replica looks up takes as long as one that
// is not in it.
func TestAListOfAnotherReplicaDelaysNoSingleQuestion(t *testing.T) {
	took := map[string]time.Duration{}
	for _, name := range []string{"list", "single"} {
		runService(t, 2, time.Second, func(t *testing.T, s *service) {
			s.states(t, 0, "a", parts("list", 10))
			begun := time.Now()
			if _, _, err := s.prices[1].Get(t.Context(), lookup.Caller{Client: "b"}, parts(name, 10)[8]); err != nil {
				t.Error(err)
			}
			took[name] = time.Since(begun)
		})
	}
	t.Log(took)
	if took["list"] > took["single"]+time.Second {
		t.Errorf("%v in the list of another client, otherwise %v", took["list"], took["single"])
	}
}

func TestReplicasThatAreGoneDoNotCount(t *testing.T) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { _ = client.Close() })
	for _, step := range []struct {
		at   time.Duration
		name string
		want int
	}{{0, "a", 1}, {30 * time.Second, "b", 2}, {40 * time.Second, "a", 2}, {95 * time.Second, "a", 1}} {
		server.SetTime(noon.Add(step.at))
		if n, err := CountReplicas(t.Context(), client, step.name); n != step.want || err != nil {
			t.Errorf("after %v: %d replicas, error %v, want %d", step.at, n, err, step.want)
		}
	}
	if left := client.TTL(t.Context(), "hw:replicas").Val(); left != replicaGone {
		t.Errorf("the replicas are kept for %v", left)
	}
}
