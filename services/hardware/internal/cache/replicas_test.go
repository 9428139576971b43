package cache

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/hardware/internal/redistest"
)

// clock starts now and goes on when it is told to.
type clock struct{ passed atomic.Int64 }

func (c *clock) now() time.Time       { return noon.Add(time.Duration(c.passed.Load())) }
func (c *clock) pass(d time.Duration) { c.passed.Add(int64(d)) }

// inbox takes in what one replica is told.
func inbox() (told chan message, tell func(string, outcome)) {
	told = make(chan message, 100)
	return told, func(key string, o outcome) { told <- message{key, o} }
}

// openMemory has both replicas in one process, which is all that Memory serves.
func openMemory(*testing.T) func(t *testing.T) replicas {
	return func(*testing.T) replicas {
		var c clock
		first, tellFirst := inbox()
		second, tellSecond := inbox()
		m := NewMemory(NewLocal(1<<20), c.now, func(key string, o outcome) { tellFirst(key, o); tellSecond(key, o) })
		return replicas{
			stores: [2]lookup.SharedStore[rankings.Ranking]{m, m}, told: [2]chan message{first, second},
			now: c.now, pass: c.pass,
		}
	}
}

func openMini(*testing.T) func(t *testing.T) replicas {
	return func(t *testing.T) replicas {
		server := miniredis.RunT(t)
		client := redis.NewClient(&redis.Options{Addr: server.Addr()})
		t.Cleanup(func() { _ = client.Close() })
		return redisReplicas(t, client, server.FastForward)
	}
}

func openRedis(t *testing.T) func(t *testing.T) replicas { return emptied(redistest.Client(t)) }

// openCluster has a cluster of three nodes, which refuse scripts whose keys are in
// several slots or not declared.
func openCluster(t *testing.T) func(t *testing.T) replicas { return emptied(cluster(t)) }

func emptied(client redis.UniversalClient) func(t *testing.T) replicas {
	return func(t *testing.T) replicas {
		for _, node := range redistest.Nodes(t, client) {
			for _, k := range node.Keys(t.Context(), "hw:*").Val() {
				node.Del(t.Context(), k)
			}
		}
		eventually(t, "nobody follows any more", func() bool { return followers(t, client) == 0 })
		return redisReplicas(t, client, func(d time.Duration) { redistest.Age(t, client, d) })
	}
}

func redisReplicas(t *testing.T, client redis.UniversalClient, pass func(time.Duration)) replicas {
	t.Helper()
	var c clock
	r := replicas{now: c.now, pass: func(d time.Duration) { c.pass(d); pass(d) }}
	for i := range r.stores {
		s := NewRedis[rankings.Ranking](client, "ranking", c.now, slog.New(slog.DiscardHandler))
		told, tell := inbox()
		follow(t, s, tell)
		r.stores[i], r.told[i] = s, told
	}
	eventually(t, "both replicas follow", func() bool { return followers(t, client) == len(r.stores) })
	return r
}

// follow runs Follow until the test ends.
func follow(t *testing.T, s *Redis[rankings.Ranking], tell func(string, outcome)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Follow(ctx, tell)
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func followers(t *testing.T, client redis.UniversalClient) (n int) {
	t.Helper()
	for _, node := range redistest.Nodes(t, client) {
		n += int(node.PubSubNumSub(context.Background(), "hw:outcomes:ranking").Val()["hw:outcomes:ranking"])
	}
	return n
}

// patience is how long a test waits for what another process does; only a test
// that fails waits as long.
const patience = 10 * time.Second

// eventually asks until ok, which another process decides.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); <-time.After(2 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("never came true: %s", what)
		}
	}
}

// next is what a replica is told next.
func next(t *testing.T, told <-chan message) message {
	t.Helper()
	select {
	case m := <-told:
		return m
	case <-time.After(patience):
		t.Fatal("nothing was told")
		return message{}
	}
}

// wantTold reads what a replica is told until it is what is wanted: a node of a
// cluster may pass on late what was said before the replica followed.
func wantTold(t *testing.T, replica int, told <-chan message, wanted func(message) bool) {
	t.Helper()
	var last message
	for !wanted(last) {
		select {
		case last = <-told:
		case <-time.After(patience):
			t.Fatalf("replica %d was told %+v of %q last", replica, last.outcome, last.key)
		}
	}
}

// cluster returns a client of a cluster of three nodes that share the slots.
func cluster(t *testing.T) *redis.ClusterClient {
	t.Helper()
	const slots = 16384
	ctx := t.Context()
	nodes := []clusterMember{clusterNode(t), clusterNode(t), clusterNode(t)}
	first := nodes[0].Client(t)
	for i, node := range nodes {
		client := node.Client(t)
		if err := client.ClusterAddSlotsRange(ctx, i*slots/len(nodes), (i+1)*slots/len(nodes)-1).Err(); err != nil {
			t.Fatal(err)
		}
		if err := first.Do(ctx, "CLUSTER", "MEET", "127.0.0.1", node.port, node.busPort).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, node := range nodes {
		client := node.Client(t)
		eventually(t, "the cluster is up", func() bool {
			info := client.ClusterInfo(ctx).Val()
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")
		})
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:" + nodes[0].port}})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

type clusterMember struct {
	*redistest.Server
	port, busPort string
}

func clusterNode(t *testing.T) clusterMember {
	t.Helper()
	m := clusterMember{port: freePort(t), busPort: freePort(t)}
	m.Server = redistest.Start(t, "--bind", "127.0.0.1", "--port", m.port, "--cluster-enabled", "yes", "--cluster-port", m.busPort,
		"--cluster-announce-ip", "127.0.0.1")
	return m
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
