//go:build !race

package webhook

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/database/databasetest"
)

// crowd is a world of two replicas with a clock that moves while requests are held back.
type crowd struct {
	*world
	replicas []*dispatcher

	mu     sync.Mutex
	held   []heldRequest
	counts map[string]int // requests by host
	took   []time.Duration
}

type heldRequest struct {
	until   time.Time
	release chan struct{}
}

func newCrowd(t *testing.T, w *world) *crowd {
	t.Helper()
	c := &crowd{world: w, counts: map[string]int{}}
	other := w.Options
	other.DB = databasetest.Open(t, w.db.URL)
	c.replicas = []*dispatcher{w.newDispatcher(), New(other).newDispatcher()}
	return c
}

// backlog adds a webhook of a company with deliveries that have been due for an hour.
func (c *crowd) backlog(company int64, url string, n int) {
	c.t.Helper()
	hook := c.add(&company, url)
	deliveries := make([]Delivery, n)
	for i := range deliveries {
		d, err := newDelivery(hook.ID, "audit.completed", &company, map[string]int{"n": i}, c.now.Add(-time.Hour))
		c.ok(err)
		deliveries[i] = d
	}
	c.ok(c.DB.Write(c.t.Context()).CreateInBatches(&deliveries, 500).Error)
}

// hold keeps a request back until a time of the clock.
func (c *crowd) hold(until time.Time) {
	release := make(chan struct{})
	c.mu.Lock()
	c.held = append(c.held, heldRequest{until, release})
	c.mu.Unlock()
	<-release
}

// second starts the turns of a second.
func (c *crowd) second() {
	c.t.Helper()
	for _, d := range c.replicas {
		d.deliverDue(c.t.Context())
	}
	c.pass()
}

// pass waits for all requests that are not held back, and moves the clock by a second.
func (c *crowd) pass() {
	for !c.allHeld() {
		time.Sleep(time.Millisecond) // the database and the goroutines take their time
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	var later []heldRequest
	for _, h := range c.held {
		if h.until.After(c.now) {
			later = append(later, h)
		} else {
			close(h.release)
		}
	}
	c.held = later
}

func (c *crowd) allHeld() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	busy := 0
	for _, d := range c.replicas {
		busy += len(d.busyIDs())
	}
	return busy == len(c.held)
}

// TestHealthyReceiverIsNotStarved checks, with two replicas, that a receiver gets each event
// within a minute, although another has 3,000 overdue deliveries that it refuses, and
// twenty of four companies take ten seconds for each, whether they accept it or not.
func TestHealthyReceiverIsNotStarved(t *testing.T) {
	for name, status := range map[string]int{"that time out": 0, "that accept": http.StatusOK} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, w *world) {
				c := newCrowd(t, w)
				c.during = func(r *http.Request) int { return c.respond(r, status) }
				c.backlog(c.db.AddCompany(t, "dead"), "https://dead.example/", 3000)
				for i := range 20 {
					if i%5 == 0 {
						c.company = c.db.AddCompany(t, fmt.Sprint("slow-", i))
					}
					c.backlog(c.company, fmt.Sprintf("https://slow.example/%d", i), 50)
				}
				c.company = c.db.AddCompany(t, "healthy")
				c.add(&c.company, "https://healthy.example/")
				const seconds, interval = 150, 10
				for i := range seconds {
					if i%interval == 0 && i <= seconds-60 {
						c.publish(1)
					}
					c.second()
				}
				c.finishAll()
				if want := (seconds-60)/interval + 1; len(c.took) != want {
					t.Errorf("%d events received, want %d", len(c.took), want)
				}
				for _, took := range c.took {
					if took > time.Minute {
						t.Errorf("received after %s: %v", took, c.took)
					}
				}
				// At 0, 5, 10, 20, 40, 80 and 160 s, and from both replicas at most.
				if n := c.counts["dead.example"]; n == 0 || n > 14 {
					t.Errorf("%d attempts at the dead receiver", n)
				}
				if n := c.counts["slow.example"]; n < 20 {
					t.Errorf("%d attempts at 20 slow receivers", n)
				}
			})
		})
	}
}

func (c *crowd) respond(r *http.Request, slowStatus int) int {
	c.mu.Lock()
	now := c.now
	c.counts[r.URL.Host]++
	c.mu.Unlock()
	switch r.URL.Host {
	case "dead.example":
		return 0
	case "slow.example":
		c.hold(now.Add(sendTimeout))
		return slowStatus
	}
	var event struct{ Timestamp time.Time }
	err := json.NewDecoder(r.Body).Decode(&event)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.t.Error(err)
	}
	c.took = append(c.took, now.Sub(event.Timestamp))
	return http.StatusOK
}

// finishAll lets the turns end that are under way.
func (c *crowd) finishAll() {
	for range 2 * int(sendTimeout/time.Second) {
		c.pass()
	}
	for _, d := range c.replicas {
		d.turns.Wait()
	}
}
