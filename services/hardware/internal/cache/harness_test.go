package cache

import (
	"context"
	"log/slog"
	"math/rand/v2"
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

// message is an outcome as a replica receives it.
type message struct {
	key     string
	outcome outcome
}

// replicas are one shared store as two processes see it, and the time of both.
type replicas struct {
	stores   [2]lookup.SharedStore[rankings.Ranking]
	received [2]chan message
	now      func() time.Time
	advance  func(d time.Duration)
}

// newClock starts at noon and moves only with advance.
func newClock() (now func() time.Time, advance func(d time.Duration)) {
	var passed atomic.Int64
	return func() time.Time { return noon.Add(time.Duration(passed.Load())) }, func(d time.Duration) { passed.Add(int64(d)) }
}

// newInbox keeps what one replica receives.
func newInbox() (received chan message, receive func(string, outcome)) {
	received = make(chan message, 100)
	return received, func(key string, o outcome) { received <- message{key, o} }
}

// newMiniredis starts a Redis in memory whose time passes only with advance.
func newMiniredis(t *testing.T) (client *redis.Client, advance func(d time.Duration)) {
	t.Helper()
	server := miniredis.RunT(t)
	client = redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { _ = client.Close() })
	return client, server.FastForward
}

// emptyReplicas share a Redis or a cluster that was used by another test before.
func emptyReplicas(t *testing.T, client redis.UniversalClient) replicas {
	t.Helper()
	for _, node := range redistest.Nodes(t, client) {
		for _, k := range node.Keys(t.Context(), "hw:*").Val() {
			node.Del(t.Context(), k)
		}
	}
	eventually(t, "no replica follows any more", func() bool { return followers(t, client) == 0 })
	return redisReplicas(t, client, func(d time.Duration) { redistest.Age(t, client, d) })
}

func redisReplicas(t *testing.T, client redis.UniversalClient, advanceRedis func(time.Duration)) replicas {
	t.Helper()
	now, advance := newClock()
	r := replicas{now: now, advance: func(d time.Duration) { advance(d); advanceRedis(d) }}
	for i := range r.stores {
		s := NewRedis[rankings.Ranking](client, "ranking", 24*time.Hour, now, slog.New(slog.DiscardHandler))
		received, receive := newInbox()
		follow(t, s, receive)
		r.stores[i], r.received[i] = s, received
	}
	eventually(t, "both replicas follow", func() bool { return followers(t, client) == len(r.stores) })
	return r
}

// follow runs Follow until the test ends.
func follow(t *testing.T, s *Redis[rankings.Ranking], receive func(string, outcome)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Follow(ctx, receive)
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func followers(t *testing.T, client redis.UniversalClient) (n int) {
	t.Helper()
	for _, node := range redistest.Nodes(t, client) {
		name := channel(client, "ranking")
		n += int(node.PubSubNumSub(context.Background(), name).Val()[name])
	}
	return n
}

// patience is how long a test waits for another process. Only a test that fails waits
// as long.
const patience = 10 * time.Second

// eventually waits until ok is true, on which another process decides.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); <-time.After(2 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("never came true: %s", what)
		}
	}
}

// next is what a replica receives next.
func next(t *testing.T, received <-chan message) message {
	t.Helper()
	select {
	case m := <-received:
		return m
	case <-time.After(patience):
		t.Fatal("nothing was received")
		return message{}
	}
}

// wantReceived waits until a replica receives what is wanted. A node of a cluster may
// pass on late what was published before the replica followed.
func wantReceived(t *testing.T, replica int, received <-chan message, wanted func(message) bool) {
	t.Helper()
	var last message
	for !wanted(last) {
		select {
		case last = <-received:
		case <-time.After(patience):
			t.Fatalf("replica %d received %+v of %q last", replica, last.outcome, last.key)
		}
	}
}

// newCluster returns a client of a cluster of three nodes that share the slots. They
// refuse scripts whose keys are in several slots or are not declared.
func newCluster(t *testing.T) *redis.ClusterClient {
	t.Helper()
	const slots = 16384
	ctx := t.Context()
	nodes := []clusterNode{newClusterNode(t), newClusterNode(t), newClusterNode(t)}
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

type clusterNode struct {
	*redistest.Server
	port, busPort string
}

func newClusterNode(t *testing.T) clusterNode {
	t.Helper()
	m := clusterNode{port: freePort(t), busPort: freePort(t)}
	m.Server = redistest.Start(t, "--bind", "127.0.0.1", "--port", m.port, "--cluster-enabled", "yes", "--cluster-port", m.busPort,
		"--cluster-announce-ip", "127.0.0.1")
	return m
}

// freePort returns a port that nothing listens on, below those that systems give to whoever
// asks for any.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}
