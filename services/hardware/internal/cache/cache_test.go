package cache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/internal/kit/pace/pacetest"
	"backend.example/services/internal/kit/testkit"
)

// changeLog is a log handler. It receives true for the line that Redis is available again, and false for the line
// that it is unavailable.
type changeLog chan bool

func (c changeLog) Enabled(context.Context, slog.Level) bool { return true }
func (c changeLog) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c changeLog) WithGroup(string) slog.Handler            { return c }

func (c changeLog) Handle(_ context.Context, r slog.Record) error {
	c <- r.Level == slog.LevelInfo
	return nil
}

func (c changeLog) want(t *testing.T, when string, want ...bool) {
	t.Helper()
	var got []bool
	patience, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for range want {
		select {
		case up := <-c:
			got = append(got, up)
		case <-patience.Done():
		}
	}
	for len(c) > 0 {
		got = append(got, <-c)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: reported availability %v, want %v", when, got, want)
	}
}

func newMetrics() *metrics.Metrics { return metrics.New(prometheus.NewRegistry()) }

func TestDialForms(t *testing.T) {
	type bounds struct {
		dial, read, write time.Duration
		byContext         bool
		retries, dials    int
	}
	boundsOf := func(t *testing.T, client redis.UniversalClient) bounds {
		t.Helper()
		switch c := client.(type) {
		case *redis.Client:
			o := c.Options()
			return bounds{o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled, o.MaxRetries,
				o.DialerRetries}
		case *redis.ClusterClient:
			o := c.Options()
			return bounds{o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled, o.MaxRetries,
				o.DialerRetries}
		}
		t.Fatalf("a %T", client)
		return bounds{}
	}
	for url, want := range map[string]redis.UniversalClient{
		"redis://user:password@host:6379/2":                                &redis.Client{},
		"rediss://host:6380":                                               &redis.Client{},
		"unix:///run/redis.sock?db=1":                                      &redis.Client{},
		"redis-cluster://host:6379?addr=host2:6379":                        &redis.ClusterClient{},
		"rediss-cluster://host:6379":                                       &redis.ClusterClient{},
		"redis-sentinel://host:26379?master_name=main&addr=host2:26379":    &redis.Client{},
		"rediss-sentinel://user:password@host:26379?master_name=main&db=3": &redis.Client{},
	} {
		client, err := Dial(url, newMetrics(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if got := fmt.Sprintf("%T", client); got != fmt.Sprintf("%T", want) {
			t.Errorf("%s: got a %s, want a %T", url, got, want)
		}
		wantBounds := bounds{redisTimeout, redisTimeout, redisTimeout, true, 1, 1}
		if got := boundsOf(t, client); got != wantBounds {
			t.Errorf("%s: bounds %+v, want %+v", url, got, wantBounds)
		}
		_ = client.Close()
	}
}

func TestDialRefusesWithoutThePassword(t *testing.T) {
	for _, url := range []string{
		"", "host:6379", "http://user:secret@host", "redis://user:secret@host/name",
		"redis://user:secret@host?unknown=1",
		"redis://user:sec%zzret@host", "redis://:secret#@host:6379", "redis://user:sec ret@host:1",
		"redis-cluster://user:secret#@host", "redis-sentinel://user:secret@ho st", "redis-other://user:secret@host\x7f",
	} {
		client, err := Dial(url, newMetrics(), slog.New(slog.DiscardHandler))
		if err == nil {
			t.Errorf("%q: got %T, want an error", url, client)
			continue
		}
		if strings.Contains(err.Error(), "sec") {
			t.Errorf("%q: the password is in the error %q", url, err)
		}
	}
}

func TestEveryChangeOfAvailabilityIsLoggedOnce(t *testing.T) {
	server := redistest.Start(t)
	changes := make(changeLog, 100)
	client, err := Dial("unix://"+server.Socket, newMetrics(), slog.New(changes))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	ctx := t.Context()
	if err := client.Ping(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	if err := client.Get(ctx, "nothing").Err(); err == nil {
		t.Fatal("want redis.Nil")
	}
	if err := client.Do(ctx, "NOSUCH").Err(); err == nil {
		t.Fatal("want an error that Redis answers")
	}
	gone, leave := context.WithCancel(ctx)
	leave()
	client.Ping(gone)
	changes.want(t, "while Redis answers")
	server.Kill()
	for range 3 {
		began := time.Now()
		if err := client.Ping(ctx).Err(); err == nil {
			t.Fatal("a killed server answers")
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("a call took %v while Redis was away", took)
		}
	}
	changes.want(t, "after Redis was killed", false)
	server.Restart(t)
	for deadline := time.Now().Add(10 * time.Second); client.Ping(ctx).Err() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("Redis does not answer again")
		}
	}
	changes.want(t, "after Redis was restarted", true)
}

func TestEveryExchangeShowsWhetherRedisIsAvailable(t *testing.T) {
	away := redisError("LOADING Redis is loading the dataset in memory")
	for name, exchange := range map[string]func(a *availability, err error) error{
		"connection": func(a *availability, err error) error {
			_, got := a.DialHook(func(context.Context, string, string) (net.Conn, error) { return nil, err })(
				t.Context(), "unix", "",
			)
			return got
		},
		"command": func(a *availability, err error) error {
			return a.ProcessHook(func(context.Context, redis.Cmder) error { return err })(t.Context(), nil)
		},
		"commands": func(a *availability, err error) error {
			return a.ProcessPipelineHook(func(context.Context, []redis.Cmder) error { return err })(t.Context(), nil)
		},
	} {
		changes := make(changeLog, 100)
		a := &availability{metrics: newMetrics(), log: slog.New(changes)}
		want := []bool{false, true}
		if name == "connection" {
			want = want[:1] // only a command shows that it is of use
		}
		for _, err := range []error{nil, away, away, nil, nil} {
			if got := exchange(a, err); !errors.Is(got, err) {
				t.Errorf("%s: error %v, want %v", name, got, err)
			}
		}
		changes.want(t, name, want...)
	}
}

func TestAnUnreachableRedisIsAskedOnce(t *testing.T) {
	for url, want := range map[string]int{"redis://127.0.0.1:0": 1, "": 5} { // a cluster has no address here
		exchanges := 0
		a := &availability{address: url, metrics: newMetrics(), log: slog.New(slog.DiscardHandler)}
		send := a.ProcessHook(func(context.Context, redis.Cmder) error { exchanges++; return errors.New("away") })
		for range 5 {
			if err := send(t.Context(), redis.NewStatusCmd(t.Context())); err == nil {
				t.Error("want an error")
			}
		}
		if exchanges != want {
			t.Errorf("address %q: %d exchanges for 5 commands, want %d", url, exchanges, want)
		}
	}
}

func TestCancelledCallersShowOnlyThatRedisIsAvailable(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	changes := make(changeLog, 100)
	a := &availability{metrics: newMetrics(), log: slog.New(changes)}
	a.note(cancelled, context.Canceled)
	a.note(t.Context(), errors.New("away"))
	a.note(cancelled, nil)
	changes.want(t, "one failure and one success", false, true)
}

func TestDialBoundsASilentRedis(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	client, err := Dial("redis://"+listener.Addr().String(), newMetrics(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	began := time.Now()
	if err := client.Ping(t.Context()).Err(); err == nil {
		t.Fatal("a silent Redis has answered")
	}
	if took, most := time.Since(began), 2500*time.Millisecond; took > most {
		t.Errorf("a call took %v, want at most %v: two attempts of %v each and slack", took, most, redisTimeout)
	}
}

func TestARedisThatRefusesEverythingIsLoggedOnce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("-DENIED Redis is running in protected mode\r\n"))
			_ = conn.Close()
		}
	}()
	changes := make(changeLog, 100)
	client, err := Dial("redis://"+listener.Addr().String(), newMetrics(), slog.New(changes))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for range 20 {
		if err := client.Ping(t.Context()).Err(); err == nil {
			t.Fatal("a Redis that refuses everything has answered")
		}
	}
	changes.want(t, "after 20 refusals", false)
}

func TestARedisThatRefusesWritesIsAway(t *testing.T) {
	for name, refuse := range map[string][]any{
		"OOM":      {"CONFIG", "SET", "maxmemory", "1"},
		"READONLY": {"REPLICAOF", "127.0.0.1", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t)
			changes := make(changeLog, 100)
			client, err := Dial("unix://"+server.Socket, newMetrics(), slog.New(changes))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = client.Close() }()
			if err := client.Do(t.Context(), refuse...).Err(); err != nil {
				t.Fatal(err)
			}
			for _, write := range [][]any{
				{"SET", "key", "value"}, {"EVAL", "return redis.call('SET', KEYS[1], '')", 1, "key"},
			} {
				err := client.Do(t.Context(), write...).Err()
				if code := answeredCode(err); code != name {
					t.Errorf("%v: the code of %v is read as %q, want %s", write, err, code, name)
				}
				client.Ping(t.Context())
			}
			changes.want(t, "after two refused writes", false)
		})
	}
}

func TestWhatARefusalOfRedisMeans(t *testing.T) {
	for text, away := range map[string]bool{
		"OOM command not allowed when used memory > 'maxmemory'.":                                           true,
		"ERR Error running script (call to f_1): @user_script:7: @user_script: 7: -OOM command not allowed": true,
		"MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist":        true,
		"READONLY You can't write against a read only replica.":                                             true,
		"NOREPLICAS Not enough good replicas to write.":                                                     true,
		"LOADING Redis is loading the dataset in memory":                                                    true,
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.":                  true,
		"CLUSTERDOWN The cluster is down":                                                                   true,
		"DENIED Redis is running in protected mode":                                                         true,
		"NOAUTH Authentication required.":                                                                   true,
		"WRONGPASS invalid username-password pair or user is disabled.":                                     true,
		"NOSCRIPT No matching script. Please use EVAL.":                                                     false,
		"WRONGTYPE Operation against a key holding the wrong kind of value":                                 false,
		"ERR unknown command 'GETDEL'":                                                                      false,
	} {
		changes := make(changeLog, 100)
		a := &availability{metrics: newMetrics(), log: slog.New(changes)}
		a.note(t.Context(), redisError(text))
		if away {
			changes.want(t, text, false)
		} else {
			changes.want(t, text)
		}
	}
}

// redisError is an error that Redis answered.
type redisError string

func (e redisError) Error() string { return string(e) }
func (redisError) RedisError()     {}

// agingClock lets tests move the stored times.
type agingClock struct {
	*Clock
	t *testing.T
}

func (c agingClock) Age(key string, d time.Duration) {
	name := "hw:clock:{" + key + "}"
	for field, text := range c.client.HGetAll(c.t.Context(), name).Val() {
		micros, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			c.t.Fatal(err)
		}
		if field == "last" || field == "given" {
			c.client.HSet(c.t.Context(), name, field, micros-d.Microseconds())
		}
	}
}

func TestClock(t *testing.T) {
	pacetest.Run(t, func(t *testing.T) pacetest.Clock {
		return agingClock{NewClock(redistest.Client(t), 3, slog.New(slog.DiscardHandler)), t}
	})
}

func TestClockWithoutRedisGoesOnAlone(t *testing.T) {
	const replicas = 4
	server := redistest.Start(t)
	clock := NewClock(server.Client(t), replicas, slog.New(slog.DiscardHandler))
	next := func(interval time.Duration) time.Duration {
		begin := time.Now()
		at, err := clock.Next(t.Context(), "key", interval, 1)
		if err != nil {
			t.Fatal(err)
		}
		return at.Sub(begin)
	}
	const interval = 50 * time.Millisecond
	next(interval)
	server.Kill()
	for range 2 {
		if wait, least := next(interval), replicas*interval-10*time.Millisecond; wait < least {
			t.Errorf("a slot after %v, want at least %v", wait, least)
		}
	}
	var restarted sync.WaitGroup
	defer restarted.Wait()
	restarted.Go(func() { server.Restart(t) })
	if wait, most := next(time.Minute), time.Minute+5*time.Second; wait > most {
		t.Errorf("a slot in %v though Redis is back, want at most %v", wait, most)
	}
}

func TestSlotsFromBeforeALossAreNotValid(t *testing.T) {
	client := redistest.Client(t)
	clock := NewClock(client, 4, slog.New(slog.DiscardHandler))
	if _, err := clock.Next(t.Context(), "key", time.Second, 1); err != nil {
		t.Fatal(err)
	}
	if !clock.IsValid(t.Context(), "key") {
		t.Error("a slot is not valid though nothing was lost")
	}
	client.Del(t.Context(), clockKey("key"))
	other := NewClock(client, 4, slog.New(slog.DiscardHandler))
	for range 2 {
		if clock.IsValid(t.Context(), "key") {
			t.Error("the slot is still valid after Redis lost it")
		}
		if _, err := other.Next(t.Context(), "key", time.Second, 1); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSourceStoresKeepTheLongestPauseAndCountFailures(t *testing.T) {
	for name, store := range map[string]fetch.SourceStore{
		"memory": &fetch.MemoryStore{}, "redis": NewSources(redistest.Client(t), slog.New(slog.DiscardHandler)),
	} {
		t.Run(name, func(t *testing.T) {
			until := time.Now().Add(time.Hour)
			for _, p := range []fetch.Pause{
				{Until: until, Code: "long"}, {Until: until.Add(-time.Minute), Code: "short"},
			} {
				store.SetPause(t.Context(), "source", p)
			}
			got := store.Pause(t.Context(), "source")
			want := fetch.Pause{Until: until, Code: "long"}
			if diff := cmp.Diff(want, got, cmpopts.EquateApproxTime(time.Second)); diff != "" {
				t.Errorf("pause (-want +got):\n%s", diff)
			}
			var counts []int
			for _, id := range []string{"a", "b", "b", "c"} {
				counts = append(counts, store.AddFailure(t.Context(), "source", id, time.Minute))
			}
			store.ClearFailures(t.Context(), "source")
			counts = append(counts, store.AddFailure(t.Context(), "source", "d", time.Minute))
			testkit.Equal(t, "failures", counts, []int{1, 2, 2, 3, 1})
		})
	}
}
