package redistest

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestServersAreApart(t *testing.T) {
	first, second := Client(t), Client(t)
	if err := first.Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if n := second.Exists(t.Context(), "key").Val(); n != 0 {
		t.Fatal("two tests meet in one Redis")
	}
}

func TestServerIsKilledAndStartedAgain(t *testing.T) {
	server := Start(t)
	client := server.Client(t)
	if err := client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	if err := client.Ping(t.Context()).Err(); err == nil {
		t.Fatal("a killed server answers")
	}
	server.Restart(t)
	switch n, err := client.Exists(t.Context(), "key").Result(); {
	case err != nil:
		t.Fatalf("after the restart: %v", err)
	case n != 0:
		t.Fatal("the restarted server is not empty")
	}
}

func mustParse(t *testing.T, url string) *redis.Options {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestDatabasesOfOneServerAreApart(t *testing.T) {
	url := "unix://" + Start(t).Socket
	foreign := connect(t, mustParse(t, url+"?db=1"))
	if err := foreign.Set(t.Context(), "data", "foreign", 0).Err(); err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{1: true}
	for range 3 {
		n := claimDatabase(t, url).Options().DB
		if seen[n] {
			t.Fatalf("database %d was handed out though it is in use", n)
		}
		seen[n] = true
	}
	if v := foreign.Get(t.Context(), "data").Val(); v != "foreign" {
		t.Fatal("data that no test wrote are gone")
	}
}

func TestDatabaseIsFreeAfterTheTest(t *testing.T) {
	url := "unix://" + Start(t).Socket
	for range 3 {
		t.Run("user", func(t *testing.T) {
			client := claimDatabase(t, url)
			if n := client.Options().DB; n != 1 {
				t.Fatalf("got database %d, want 1", n)
			}
			if n := client.Exists(t.Context(), "key").Val(); n != 0 {
				t.Fatal("the database is not empty")
			}
			client.Set(t.Context(), "key", "value", 0)
		})
	}
}

func TestAge(t *testing.T) {
	client := Client(t)
	ctx := t.Context()
	client.Set(ctx, "short", "", time.Minute)
	client.Set(ctx, "long", "", time.Hour)
	client.Set(ctx, "endless", "", 0)
	Age(t, client, 30*time.Minute)
	if client.Exists(ctx, "short").Val() != 0 || client.Exists(ctx, "endless").Val() != 1 {
		t.Error("want the short-lived key gone and the endless one kept")
	}
	if left := client.PTTL(ctx, "long").Val(); left > 30*time.Minute || left < 29*time.Minute {
		t.Errorf("an hour's key has %v left after half an hour", left)
	}
}
