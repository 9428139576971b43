//go:build linux

package network

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"backend.example/deploy/test/harness"
)

const redisPort, sentinelPort, sentinels = 6379, 26379, 3

// startRedis runs a master, its replica and the sentinels that watch them.
func (f *fleet) startRedis(t *testing.T) {
	t.Helper()
	server := func(name string, port uint16, args ...string) *machine {
		h := f.net.Host(t, name)
		m := &machine{Host: h, folder: t.TempDir()}
		m.command = slices.Concat([]string{harness.Installed(t, "redis-server")}, args, []string{
			"--bind", h.IP.String(), "--port", fmt.Sprint(port), "--protected-mode", "no",
		})
		m.ready = func(t *testing.T) { t.Helper(); harness.AwaitListener(t, h.At(port)) }
		m.start(t)
		return m
	}
	unsaved := []string{"--save", "", "--appendonly", "no", "--repl-timeout", "5"}
	master := server("redis-1", redisPort, unsaved...)
	f.redis = []*machine{master, server("redis-2", redisPort, append(unsaved, "--replicaof", master.IP.String(), fmt.Sprint(redisPort))...)}
	for i := range sentinels {
		config := filepath.Join(t.TempDir(), "sentinel.conf")
		harness.WriteFile(t, config, fmt.Sprintf("sentinel monitor main %s %d 2\nsentinel down-after-milliseconds main 1500\n"+
			"sentinel failover-timeout main 4000\n", master.IP, redisPort))
		f.sentinels = append(f.sentinels, server(fmt.Sprintf("sentinel-%d", i+1), sentinelPort, config, "--sentinel"))
	}
	f.awaitRedis(t)
}

// redisURL names the sentinels.
func (f *fleet) redisURL() string {
	url := fmt.Sprintf("redis-sentinel://%s?master_name=main", f.sentinels[0].At(sentinelPort))
	for _, s := range f.sentinels[1:] {
		url += "&addr=" + s.At(sentinelPort)
	}
	return url
}

// master is the Redis that the first sentinel takes for it.
func (f *fleet) master(t *testing.T) *machine {
	t.Helper()
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: f.sentinels[0].At(sentinelPort)})
	defer sentinel.Close()
	at, err := sentinel.GetMasterAddrByName(t.Context(), "main").Result()
	if err != nil {
		t.Fatal(err)
	}
	return f.redis[slices.IndexFunc(f.redis, func(m *machine) bool { return m.IP.String() == at[0] })]
}

// awaitRedis waits until all sentinels agree on a master that has a replica.
func (f *fleet) awaitRedis(t *testing.T) {
	t.Helper()
	harness.EventuallyWithin(t, healing, "the sentinels see a master with a replica", func() bool {
		for _, s := range f.sentinels {
			client := redis.NewSentinelClient(&redis.Options{Addr: s.At(sentinelPort)})
			state, err := client.Master(t.Context(), "main").Result()
			_ = client.Close()
			if err != nil || state["flags"] != "master" || state["num-slaves"] != "1" || state["num-other-sentinels"] != fmt.Sprint(sentinels-1) {
				return false
			}
		}
		client := redis.NewClient(&redis.Options{Addr: f.master(t).At(redisPort)})
		defer client.Close()
		return strings.Contains(client.Info(t.Context(), "replication").Val(), "state=online")
	})
}
