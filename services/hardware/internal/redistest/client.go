package redistest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// defaultURL is where a Redis of the machine is looked for.
	defaultURL = "redis://127.0.0.1:6379"
	// databases is how many logical databases a Redis has by default. The claims on
	// the others are in the first one.
	databases = 16
	// claimTime is when a database is free again whose test has died.
	claimTime = 2 * time.Minute
	// marker is in every database that tests have used before and may empty.
	marker = "redistest:marker"
)

// Client returns a client of an empty Redis, or of an empty database of one, that no
// other test uses. In the second case published messages may be those of other tests.
func Client(t testing.TB) *redis.Client {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil || testing.Short() {
		return Start(t).Client(t)
	}
	url := os.Getenv("TEST_REDIS_URL")
	if url == "" {
		url = defaultURL
	}
	return claimDatabase(t, url)
}

// claimDatabase claims a logical database of the Redis at url until the test ends.
func claimDatabase(t testing.TB, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal("TEST_REDIS_URL is not the address of a Redis") // err may hold a password
	}
	o.DB = 0
	first := connect(t, o)
	if err := first.Ping(t.Context()).Err(); err != nil {
		skip(t, fmt.Sprintf("%s is not installed, and the one of TEST_REDIS_URL does not answer: %v", program, err))
	}
	for n := 1; n < databases; n++ {
		claim := fmt.Sprintf("redistest:database:%d", n)
		if !first.SetNX(t.Context(), claim, os.Getpid(), claimTime).Val() {
			continue
		}
		t.Cleanup(func() { first.Del(context.Background(), claim) })
		o := *o
		o.DB = n
		if client := connect(t, &o); prepare(t, client) {
			return client
		}
	}
	skip(t, "every database of TEST_REDIS_URL is in use")
	return nil
}

// prepare empties a database for a test, unless something other than a test has
// written to it.
func prepare(t testing.TB, client *redis.Client) bool {
	t.Helper()
	ctx := context.Background()
	if client.DBSize(ctx).Val() > 0 && client.Exists(ctx, marker).Val() == 0 {
		return false
	}
	if err := client.FlushDB(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	if err := client.Set(ctx, marker, "", 0).Err(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.FlushDB(context.Background()) })
	return true
}

// Age makes the keys that expire older by d.
func Age(t testing.TB, client redis.Cmdable, d time.Duration) {
	t.Helper()
	ctx := context.Background()
	for _, node := range Nodes(t, client) {
		keys, err := node.Keys(ctx, "*").Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if left := node.PTTL(ctx, key).Val(); left > 0 {
				node.PExpire(ctx, key, left-d)
			}
		}
	}
}

// Nodes returns a client of every server behind client. Each of them has some of the
// keys of a cluster.
func Nodes(t testing.TB, client redis.Cmdable) []redis.Cmdable {
	t.Helper()
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		return []redis.Cmdable{client}
	}
	var mu sync.Mutex
	var nodes []redis.Cmdable
	err := cluster.ForEachMaster(context.Background(), func(_ context.Context, node *redis.Client) error {
		mu.Lock()
		defer mu.Unlock()
		nodes = append(nodes, node)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}
