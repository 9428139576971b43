package cache

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/redistest"
)

func TestDialForms(t *testing.T) {
	for url, want := range map[string]redis.UniversalClient{
		"redis://user:password@host:6379/2":                                &redis.Client{},
		"rediss://host:6380":                                               &redis.Client{},
		"unix:///run/redis.sock?db=1":                                      &redis.Client{},
		"redis-cluster://host:6379?addr=host2:6379":                        &redis.ClusterClient{},
		"rediss-cluster://host:6379":                                       &redis.ClusterClient{},
		"redis-sentinel://host:26379?master_name=main&addr=host2:26379":    &redis.Client{},
		"rediss-sentinel://user:password@host:26379?master_name=main&db=3": &redis.Client{},
	} {
		client, err := Dial(url, func(error) {})
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if got := fmt.Sprintf("%T", client); got != fmt.Sprintf("%T", want) {
			t.Errorf("%s: got a %s, want a %T", url, got, want)
		}
		if got, want := boundsOf(t, client),
			(bounds{redisTimeout, redisTimeout, redisTimeout, true, 1, 1}); got != want {
			t.Errorf("%s: bounds %+v, want %+v", url, got, want)
		}
		_ = client.Close()
	}
}

// bounds are those of one exchange with Redis.
type bounds struct {
	dial, read, write time.Duration
	byContext         bool
	retries, dials    int
}

func boundsOf(t *testing.T, client redis.UniversalClient) bounds {
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

func TestDialRefusesWithoutThePassword(t *testing.T) {
	for _, url := range []string{
		"", "host:6379", "http://user:secret@host", "redis://user:secret@host/name",
		"redis://user:secret@host?unknown=1",
		"redis://user:sec%zzret@host", "redis://:secret#@host:6379", "redis://user:sec ret@host:1",
		"redis-cluster://user:secret#@host", "redis-sentinel://user:secret@ho st", "redis-other://user:secret@host\x7f",
	} {
		client, err := Dial(url, func(error) {})
		if err == nil {
			t.Errorf("%q: got %T, want an error", url, client)
			continue
		}
		if strings.Contains(err.Error(), "sec") {
			t.Errorf("%q: the password is in the error %q", url, err)
		}
	}
}

// TestDialTellsOfChanges also holds a call to a Redis that is away to its time.
func TestDialTellsOfChanges(t *testing.T) {
	server := redistest.Start(t)
	changes := make(chan bool, 100)
	client, err := Dial("unix://"+server.Socket, func(down error) { changes <- down == nil })
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
	if len(changes) > 0 {
		t.Fatalf("reported up=%t while nothing changed", <-changes)
	}
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
	if up := <-changes; up || len(changes) > 0 {
		t.Fatalf("reported up=%t and %d more changes, want one that Redis is down", up, len(changes))
	}
	server.Restart(t)
	for client.Ping(ctx).Err() != nil { // the test's own time is the limit
		if ctx.Err() != nil {
			t.Fatal("Redis does not answer again")
		}
	}
	if up := <-changes; !up || len(changes) > 0 {
		t.Fatalf("reported up=%t and %d more changes, want one that Redis is up", up, len(changes))
	}
}

// TestEveryExchangeShowsWhetherRedisIsAvailable: a connection, a command and several commands.
func TestEveryExchangeShowsWhetherRedisIsAvailable(t *testing.T) {
	away := loading{}
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
		var changes []bool
		a := &availability{changed: func(down error) { changes = append(changes, down == nil) }}
		want := []bool{false, true}
		if name == "connection" {
			want = want[:1] // only a command shows that it is of use
		}
		for _, err := range []error{nil, away, away, nil, nil} {
			if got := exchange(a, err); !errors.Is(got, err) || (got == nil) != (err == nil) {
				t.Errorf("%s: error %v, want %v", name, got, err)
			}
		}
		if !slices.Equal(changes, want) {
			t.Errorf("%s: reported %v, want %v", name, changes, want)
		}
	}
}

// loading is what Redis answers while it reads its data.
type loading struct{}

func (loading) Error() string { return "LOADING Redis is loading the dataset in memory" }
func (loading) RedisError()   {}

// TestAnUnreachableRedisCostsNothing lets commands fail without an exchange, but for a cluster, whose
// other nodes may answer.
func TestAnUnreachableRedisCostsNothing(t *testing.T) {
	for url, want := range map[string]int{"redis://127.0.0.1:0": 1, "": 5} {
		exchanges := 0
		a := &availability{url: url, changed: func(error) {}}
		send := a.ProcessHook(func(context.Context, redis.Cmder) error { exchanges++; return errors.New("away") })
		for range 5 {
			if err := send(t.Context(), redis.NewStatusCmd(t.Context())); err == nil {
				t.Error("want an error")
			}
		}
		if exchanges != want {
			t.Errorf("%q: %d exchanges, want %d", url, exchanges, want)
		}
	}
}

// TestCancelledCallersShowOnlyThatRedisIsAvailable: what they failed with says nothing of it.
func TestCancelledCallersShowOnlyThatRedisIsAvailable(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var changes []bool
	a := &availability{changed: func(down error) { changes = append(changes, down == nil) }}
	a.note(cancelled, context.Canceled)
	a.note(t.Context(), errors.New("away"))
	a.note(cancelled, nil)
	if want := []bool{false, true}; !slices.Equal(changes, want) {
		t.Errorf("reported %v, want %v", changes, want)
	}
}

// TestDialBoundsASilentRedis meets a Redis that takes connections and never answers.
func TestDialBoundsASilentRedis(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	client, err := Dial("redis://"+listener.Addr().String(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	began := time.Now()
	if err := client.Ping(t.Context()).Err(); err == nil {
		t.Fatal("a silent Redis has answered")
	}
	if took := time.Since(began); took > 2500*time.Millisecond {
		t.Errorf("a call took %v, want little more than 300 ms and one retry", took)
	}
}

// TestDialTellsOnceOfARefusal meets a Redis that takes every connection and refuses
// to work on it, as one in protected mode does.
func TestDialTellsOnceOfARefusal(t *testing.T) {
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
	changes := make(chan bool, 100)
	client, err := Dial("redis://"+listener.Addr().String(), func(down error) { changes <- down == nil })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for range 20 {
		if err := client.Ping(t.Context()).Err(); err == nil {
			t.Fatal("a Redis that refuses everything has answered")
		}
	}
	if up := <-changes; up || len(changes) > 0 {
		t.Errorf("reported up=%t and %d more changes, want one that Redis is down", up, len(changes))
	}
}

// TestARedisThatRefusesWritesIsAway meets real refusals, of a command and in a script.
// What is read in between does not make it available.
func TestARedisThatRefusesWritesIsAway(t *testing.T) {
	for name, refuse := range map[string][]any{
		"OOM":      {"CONFIG", "SET", "maxmemory", "1"},
		"READONLY": {"REPLICAOF", "127.0.0.1", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t)
			changes := make(chan bool, 10)
			client, err := Dial("unix://"+server.Socket, func(down error) { changes <- down == nil })
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
					t.Errorf("%v: %v is read as %q", write, err, code)
				}
				client.Ping(t.Context())
			}
			if up := <-changes; up || len(changes) > 0 {
				t.Errorf("reported up=%t and %d more changes, want one that Redis is down", up, len(changes))
			}
		})
	}
}

// TestWhatARefusalOfRedisMeans goes by the texts of several versions.
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
		var changes []bool
		a := &availability{changed: func(down error) { changes = append(changes, down == nil) }}
		a.note(t.Context(), redisError(text))
		if got := slices.Equal(changes, []bool{false}); got != away || len(changes) > 1 {
			t.Errorf("%q: reported %v, want that Redis is down: %t", text, changes, away)
		}
	}
}

// redisError is an error that Redis answered.
type redisError string

func (e redisError) Error() string { return string(e) }
func (redisError) RedisError()     {}
