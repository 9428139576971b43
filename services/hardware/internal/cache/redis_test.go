package cache

import (
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/hardware/internal/redistest"
)

func newRedis(client redis.UniversalClient) *Redis[rankings.Ranking] {
	return NewRedis[rankings.Ranking](client, "ranking", 24*time.Hour, time.Now, slog.New(slog.DiscardHandler))
}

func fresh() *rankings.Answer {
	a := *samples()["ranking"].Answer
	a.FetchedAt = time.Now().UTC()
	a.ExpiresAt = a.FetchedAt.Add(time.Hour)
	return &a
}

func TestRedisRemovesACorruptAnswer(t *testing.T) {
	whole := encoded(t, outcome{Answer: fresh()})
	for name, kept := range map[string]string{
		"garbage": "garbage", "nothing": "", "cut": string(whole[:len(whole)-1]), "fault": string(encoded(t, samples()["fault"])),
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := newMiniredis(t)
			var log strings.Builder
			s := NewRedis[rankings.Ranking](client, "ranking", time.Hour, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
			if err := client.Set(t.Context(), keys(key)[0], kept, 0).Err(); err != nil {
				t.Fatal(err)
			}
			if c, err := s.Claim(t.Context(), key, "one", lease, 0); err != nil || c.Mine || c.Kept != nil {
				t.Fatalf("got claim %+v, error %v, want none", c, err)
			}
			if c, err := s.Claim(t.Context(), key, "one", lease, 0); err != nil || !c.Mine {
				t.Fatalf("claimed again: got %+v, error %v, want the claim", c, err)
			}
			if !strings.Contains(log.String(), "damaged answer removed") {
				t.Errorf("log %q", &log)
			}
		})
	}
}

// TestFormatsAreApart: replicas of the version before and of the next one keep their answers, and
// this one looks up without a warning.
func TestFormatsAreApart(t *testing.T) {
	client, _ := newMiniredis(t)
	var log strings.Builder
	s := NewRedis[rankings.Ranking](client, "ranking", time.Hour, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	own := fmt.Sprintf(":%d", format)
	var others []string
	for _, other := range []byte{format - 1, format + 1} {
		data := encoded(t, outcome{Answer: fresh()})
		data[0] = other
		name := strings.TrimSuffix(keys(key)[0], own) + fmt.Sprintf(":%d", other)
		others = append(others, name)
		if err := client.Set(t.Context(), name, data, time.Hour).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := s.Claim(t.Context(), key, "one", lease, 0); err != nil || !c.Mine {
		t.Errorf("claim %+v, error %v, want it", c, err)
	}
	if err := s.Settle(t.Context(), key, "one", outcome{Answer: fresh()}); err != nil {
		t.Error(err)
	}
	if n := client.Exists(t.Context(), others...).Val(); n != 2 || log.Len() > 0 {
		t.Errorf("%d of 2 answers of other formats are left; logged %q", n, log.String())
	}
	if !strings.HasSuffix(s.channel, own) {
		t.Errorf("channel %q is that of all formats", s.channel)
	}
}

// TestRedisKeysSayNothing: no key shows the words of a query, and every key expires.
func TestRedisKeysSayNothing(t *testing.T) {
	client := redistest.Client(t)
	s := newRedis(client)
	if _, err := s.Claim(t.Context(), key+" other", "one", lease, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context(), key, "one", outcome{Answer: fresh()}); err != nil {
		t.Fatal(err)
	}
	all := client.Keys(t.Context(), "*").Val()
	var ours int
	for _, k := range all {
		if !strings.HasPrefix(k, "hw:") {
			continue
		}
		ours++
		if strings.Contains(k, "rtx") {
			t.Errorf("key %q holds the query", k)
		}
		if left := client.PTTL(t.Context(), k).Val(); left <= 0 || left > time.Hour {
			t.Errorf("key %q has %v left, want at most what it was kept for", k, left)
		}
	}
	if ours != 2 {
		t.Errorf("got keys %q, want an answer and a claim", all)
	}
}

// TestDatabasesExchangeNothing, although they are on one server, which passes what is
// published to the followers of all.
func TestDatabasesExchangeNothing(t *testing.T) {
	server := redistest.Start(t)
	var stores [2]*Redis[rankings.Ranking]
	var received [2]chan message
	for i := range stores {
		o := *server.Client(t).Options()
		o.DB = i + 1
		client := redis.NewClient(&o)
		t.Cleanup(func() { _ = client.Close() })
		stores[i] = newRedis(client)
		inbox, receive := newInbox()
		received[i] = inbox
		follow(t, stores[i], receive)
		eventually(t, "the replica follows", func() bool { return followers(t, client) >= 1 })
	}
	eventually(t, "both replicas follow", func() bool {
		followed := server.Client(t).PubSubChannels(t.Context(), "hw:outcomes:*").Val()
		numbers := server.Client(t).PubSubNumSub(t.Context(), followed...).Val()
		var n int64
		for _, followers := range numbers {
			n += followers
		}
		return n == 2
	})
	for i, s := range stores {
		if err := s.Settle(t.Context(), key, "one", outcome{Answer: fresh()}); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(t.Context(), "the last", "one", outcome{Answer: fresh()}); err != nil {
			t.Fatal(err)
		}
		next(t, received[i])
		if m := next(t, received[i]); m.key != "the last" {
			t.Errorf("database %d received %q twice", i+1, m.key)
		}
	}
	for i, inbox := range received {
		if len(inbox) > 0 {
			t.Errorf("database %d received what another published", i+1)
		}
	}
}

// TestReceivedAnswersAreBounded: the clock of the publisher may be ahead.
func TestReceivedAnswersAreBounded(t *testing.T) {
	client, advance := newMiniredis(t)
	r := redisReplicas(t, client, advance)
	r.settle(t, "one", outcome{Answer: r.answer(48 * time.Hour)})
	a := next(t, r.received[1]).outcome.Answer
	if latest := r.now().Add(24 * time.Hour); a.ExpiresAt.After(latest) {
		t.Errorf("an answer expires at %v, want at most %v", a.ExpiresAt, latest)
	} else if c, err := r.stores[1].Claim(t.Context(), key, "two", lease, 0); err != nil || c.Kept == nil || !c.Kept.ExpiresAt.Equal(latest) {
		t.Errorf("claimed %+v, error %v, want an answer until %v", c, err, latest)
	}
}

func TestRedisAwayIsAnError(t *testing.T) {
	server := redistest.Start(t)
	s := newRedis(server.Client(t))
	server.Kill()
	if c, err := s.Claim(t.Context(), key, "one", lease, 0); err == nil {
		t.Errorf("claim: got %+v, want an error", c)
	}
	if err := s.Renew(t.Context(), key, "one", lease); err == nil {
		t.Error("renew: want an error")
	}
	if err := s.Settle(t.Context(), key, "one", outcome{Answer: fresh()}); err == nil {
		t.Error("settle: want an error")
	}
}

func TestFollowSurvivesARestart(t *testing.T) {
	for name, killed := range map[string]bool{"away from the start": true, "away later": false} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t)
			client := server.Client(t)
			if killed {
				server.Kill()
			}
			s := newRedis(client)
			received, receive := newInbox()
			follow(t, s, receive)
			if !killed {
				eventually(t, "the replica follows", func() bool { return followers(t, client) == 1 })
				server.Kill()
			}
			server.Restart(t)
			eventually(t, "the replica follows again", func() bool { return followers(t, client) == 1 })
			want := outcome{Answer: fresh()}
			if err := s.Settle(t.Context(), key, "one", want); err != nil {
				t.Fatal(err)
			}
			if m := next(t, received); m.key != key || !reflect.DeepEqual(m.outcome, want) {
				t.Fatalf("received %+v, want %+v", m, want)
			}
		})
	}
}

func TestFollowPassesOverWhatItCannotRead(t *testing.T) {
	client := redistest.Client(t)
	var log strings.Builder
	s := NewRedis[rankings.Ranking](client, "ranking", time.Hour, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	received, receive := newInbox()
	follow(t, s, receive)
	eventually(t, "the replica follows", func() bool { return followers(t, client) >= 1 })
	whole := string(encoded(t, samples()["ranking"]))
	damaged := []string{"", "garbage", "\x00", "\x05key", "\x03key" + whole[:len(whole)-1], strings.Repeat("\xff", 12), "\xff\xff\xff\xff\x0fkey"}
	for _, text := range damaged {
		if err := client.Publish(t.Context(), s.channel, text).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.Settle(t.Context(), key, "one", samples()["fault"]); err != nil {
			t.Fatal(err)
		}
		if m := next(t, received); m.key != key {
			t.Fatalf("received %+v of a message that cannot be read", m)
		}
	}
	if n := strings.Count(log.String(), "message not understood"); n != len(damaged) {
		t.Errorf("%d warnings, want one for each of %d messages:\n%s", n, len(damaged), &log)
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	client := redistest.Client(t)
	before := followers(t, client)
	t.Run("follow", func(t *testing.T) { // its end waits for Follow to return
		follow(t, newRedis(client), func(string, outcome) {})
		eventually(t, "the replica follows", func() bool { return followers(t, client) > before })
	})
	eventually(t, "the subscription is given back", func() bool { return followers(t, client) == before })
}

// TestRedisBelievesNoLongLife: an answer that was stored with a later end, by a hand or
// a clock that was wrong, is given out for a day.
func TestRedisBelievesNoLongLife(t *testing.T) {
	now := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	s := NewRedis[rankings.Ranking](nil, "ranking", 24*time.Hour, func() time.Time { return now }, nil)
	for _, tt := range []struct {
		name                   string
		fetched, expires, want time.Duration // from now
		alone                  bool          // not shareable
	}{
		{name: "as it should be", fetched: -time.Hour, expires: 23 * time.Hour, want: 23 * time.Hour},
		{name: "ends too late", fetched: -time.Hour, expires: 1000 * time.Hour, want: 23 * time.Hour},
		{name: "fetched in the future", fetched: 1000 * time.Hour, expires: 1024 * time.Hour, want: 24 * time.Hour},
		{name: "old data given out for a while", fetched: -1000 * time.Hour, expires: time.Minute, want: time.Minute, alone: true},
	} {
		a := &rankings.Answer{Lifetime: lookup.Lifetime{FetchedAt: now.Add(tt.fetched), ExpiresAt: now.Add(tt.expires), Shareable: !tt.alone}}
		s.bound(a)
		if got := a.ExpiresAt.Sub(now); got != tt.want {
			t.Errorf("%s: given out for %v, want %v", tt.name, got, tt.want)
		}
	}
}
