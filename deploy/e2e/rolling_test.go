package e2e

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/stack"
)

// TestRollingRestart replaces both replicas of the directory service, one after
// the other, while people read and write: none of them may notice. The drain delay
// is what the gateway needs to see that a replica is not ready; without it, a
// write on a connection that the replica closes is lost now and then.
func TestRollingRestart(t *testing.T) {
	startsPrograms(t)
	s := stack.New(t, stack.Options{Directories: 2, Database: stack.NewDatabase(t), DirectoryEnv: []string{"DIRECTORY_DRAIN_DELAY=3s"}})
	v := stack.NewVisitor(t, s.Gateway)
	v.Login(t, "biuro@demo.example")
	v.Connect(t, "provider_search/search_profile", "anna")

	load, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	var answered atomic.Int64
	for method, path := range map[string]string{
		"GET": "/api/oauth/status", "HEAD": "/api/auth/me", "POST": discover,
	} {
		callers.Go(func() {
			pause := time.NewTicker(200 * time.Millisecond) // within the limit of one client
			defer pause.Stop()
			for load.Err() == nil {
				if a, err := v.Try(t.Context(), method, path, nil); err != nil || a.Status != http.StatusOK {
					t.Errorf("%s %s: %v, %d %s", method, path, err, a.Status, a.Body)
				}
				answered.Add(1)
				<-pause.C
			}
		})
	}
	for _, d := range s.Directories {
		if err := d.Stop(syscall.SIGTERM); !stack.ExitedCleanly(err) {
			t.Errorf("SIGTERM: %v", err)
		}
		d.Start(t)
		before := answered.Load()
		stack.Eventually(t, "people are served with the new replica", func(context.Context) bool { return answered.Load() > before+30 })
	}
	stop()
	callers.Wait()
	t.Logf("%d answers", answered.Load())
}
