package httpx

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestDrainGoesOnServingThenFinishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, release := make(chan struct{}), make(chan struct{})
		m := serveInMemory(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				close(entered)
				<-release
			}
			w.WriteHeader(http.StatusNoContent)
		})
		slow := make(chan int, 1)
		go func() { slow <- m.public.get("/slow") }()
		<-entered

		start := time.Now()
		m.stop()
		synctest.Wait()
		if ready, status := m.admin.get("/readyz"), m.public.get("/new"); ready != 503 || status != 204 {
			t.Errorf("in the delay: readyz = %d, new request = %d; want 503, 204", ready, status)
		}
		time.Sleep(drainDelay + time.Second)
		if ready, status := m.admin.get("/readyz"), m.public.get("/new"); ready != 503 || status != 0 {
			t.Errorf("after the delay: readyz = %d, new request = %d; want 503, none", ready, status)
		}
		close(release)
		if status := <-slow; status != 204 {
			t.Errorf("request under way = %d, want 204", status)
		}
		err := <-m.ended
		if took := time.Since(start); err != nil || took >= drainDelay+drainTimeout {
			t.Errorf("drain = %v after %s, want nil before the time-out", err, took)
		}
		if m.admin.get("/healthz") != 0 {
			t.Error("the admin port is still open")
		}
	})
}

func TestDrainCutsOffWhatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, cut := make(chan struct{}), make(chan struct{})
		m := serveInMemory(t, func(_ http.ResponseWriter, r *http.Request) {
			close(entered)
			<-r.Context().Done()
			close(cut)
		})
		slow := make(chan int, 1)
		go func() { slow <- m.public.get("/slow") }()
		<-entered

		start := time.Now()
		m.stop()
		err := <-m.ended
		if took := time.Since(start); err != nil || took != drainDelay+drainTimeout {
			t.Errorf("drain = %v after %s, want nil after %s", err, took, drainDelay+drainTimeout)
		}
		<-cut
		if status := <-slow; status != 0 {
			t.Errorf("request cut off = %d, want no answer", status)
		}
	})
}
