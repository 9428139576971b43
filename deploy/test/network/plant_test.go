//go:build linux

package network

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/network/netns"
)

// What follows takes the locks away from outside, by the settings of the services, until
// the test ends.

// separate gives each directory replica a copy of the database, so that none sees what
// the others lock.
func (f *fleet) separate(t *testing.T) {
	t.Helper()
	f.useDatabases(t, func(i int) string {
		copied := fmt.Sprintf("copy_%d", i)
		harness.Execute(t, harness.OpenDatabase(t, f.postgres[0].url("postgres")), "DROP DATABASE IF EXISTS "+copied,
			"CREATE DATABASE "+copied+" TEMPLATE "+f.database)
		return f.databaseURL(copied)
	})
}

// lockLate makes each transaction look at the database as it was before it waited for its
// lock.
func (f *fleet) lockLate(t *testing.T) {
	t.Helper()
	f.useDatabases(t, func(int) string {
		return f.databaseURL(f.database) + "&default_transaction_isolation=repeatable%20read"
	})
}

func (f *fleet) useDatabases(t *testing.T, url func(i int) string) {
	t.Helper()
	before := make([][]string, replicas)
	for i, d := range f.directories {
		_ = d.Stop(syscall.SIGTERM)
		before[i] = d.env
	}
	for i, d := range f.directories {
		d.env = append(d.env, "DIRECTORY_DATABASE_URL="+url(i))
	}
	f.restart(t, f.directories)
	t.Cleanup(func() {
		for i, d := range f.directories {
			d.env = before[i]
		}
		f.restart(f.t, f.directories)
	})
}

// doubleSlots leaves the hardware replicas without Redis, each with all the turns.
func (f *fleet) doubleSlots(t *testing.T) {
	t.Helper()
	for _, h := range f.hardware {
		h.env = append(h.env, "HARDWARE_REDIS_URL=")
	}
	f.restart(t, f.hardware)
}

// restart stops machines and starts them with the settings that they have now.
func (f *fleet) restart(t *testing.T, machines []*machine) {
	t.Helper()
	for _, m := range machines {
		_ = m.Stop(syscall.SIGTERM)
		m.start(f.t)
	}
}

// disturb makes the network slow and lossy until the test ends.
func (f *fleet) disturb(t *testing.T) {
	t.Helper()
	f.net.Shape(10*time.Millisecond, 0.01)
	t.Cleanup(func() { f.net.Shape(netns.Usual, 0) })
}

// killDirectory kills a replica, which comes back at once.
func (f *fleet) killDirectory(*testing.T) {
	f.directories[replicas-1].Kill()
	f.directories[replicas-1].start(f.t)
}

// killMaster kills the Redis that has the turns.
func (f *fleet) killMaster(t *testing.T) { f.master(t).Kill() }

// serve serves at an address of this process until the test ends.
func (f *fleet) serve(t *testing.T, handler http.Handler) (base string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	var err error
	if server.Listener, err = net.Listen("tcp", f.self.At(0)); err != nil {
		t.Fatal(err)
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}
