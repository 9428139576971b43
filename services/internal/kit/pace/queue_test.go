package pace_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/pace"
	"backend.example/services/internal/kit/pace/pacetest"
)

func TestMemory(t *testing.T) {
	pacetest.Run(t, func(*testing.T) pacetest.Clock { return &pace.Memory{} })
}

var everySecond = pace.Rate{Interval: time.Second, Burst: 1, Turns: 2}

func TestRequestsAreServedByClassAndInRoundsOfClients(t *testing.T) {
	// served lets requests, each a class and a client, wait one after another, and returns the order of their turns.
	served := func(t *testing.T, q *pace.Queue, requests ...string) []string {
		classOf := map[string]pace.Class{}
		for _, class := range pace.Classes() {
			classOf[class.String()] = class
		}
		turns := make(chan string, len(requests))
		for _, request := range requests {
			class, client, _ := strings.Cut(request, " ")
			go func() {
				_, err := q.Wait(t.Context(), pace.Ticket{Class: classOf[class], Client: client}, pace.NoLimit)
				if err != nil {
					t.Errorf("%s: %v", request, err)
				}
				turns <- request
			}()
			synctest.Wait()
		}
		var order []string
		for range requests {
			order = append(order, <-turns)
		}
		return order
	}
	tests := []struct {
		name            string
		requests, order []string
	}{
		{"by class", []string{"idle a", "listed a", "person a", "begun a"},
			[]string{"begun a", "person a", "listed a", "idle a"}},
		{"by arrival", []string{"person a", "person b", "person c"}, []string{"person a", "person b", "person c"}},
		{"clients take turns", []string{"listed a", "listed a", "listed a", "listed b", "listed b", "listed c"},
			[]string{"listed a", "listed b", "listed c", "listed a", "listed b", "listed a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				order := served(t, pace.NewQueue(&pace.Memory{}, "key", everySecond), test.requests...)
				if !slices.Equal(order, test.order) {
					t.Errorf("order of turns: got %q, want %q", order, test.order)
				}
			})
		})
	}
}

func TestReplicasNeverSendTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests, interval = 200, 1200 * time.Millisecond
		clock := &pace.Memory{}
		var replicas []*pace.Queue
		for range 3 {
			replicas = append(replicas, pace.NewQueue(clock, "key", pace.Rate{Interval: interval, Burst: 1, Turns: 1}))
		}
		start, times := time.Now(), make(chan time.Time, requests)
		for range requests {
			q := replicas[rand.IntN(len(replicas))]
			class := pace.Classes()[rand.IntN(len(pace.Classes()))]
			ticket := pace.Ticket{Class: class, Client: fmt.Sprint(rand.IntN(5))}
			go func() {
				if _, err := q.Wait(t.Context(), ticket, pace.NoLimit); err != nil {
					t.Error(err)
				}
				times <- time.Now()
			}()
		}
		for i := range requests {
			at := <-times
			if want := start.Add(time.Duration(i+1) * interval); !at.Equal(want) {
				t.Fatalf("request %d was sent after %v, want %v", i+1, at.Sub(start), want.Sub(start))
			}
		}
	})
}

func TestRequestThatWouldWaitTooLongIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := pace.NewQueue(&pace.Memory{}, "key", everySecond)
		for _, id := range []string{"1", "2", "3", "4", "5"} {
			go func() { _, _ = q.Wait(t.Context(), pace.Ticket{ID: id, Client: "a"}, pace.NoLimit) }()
			synctest.Wait()
		}
		// The first request is sent after a second, those of four tasks with two requests each precede the fifth.
		if got, want := q.Place("5"), (pace.Place{Number: 5, Wait: 9 * time.Second}); got != want {
			t.Errorf("place of the fifth task: got %+v, want %+v", got, want)
		}
		_, err := q.Wait(t.Context(), pace.Ticket{Client: "a"}, 10*time.Second)
		if want := (pace.Full{Wait: 11 * time.Second}); !errors.Is(err, want) {
			t.Errorf("a request that waits 10 s at most: got error %v, want %v", err, want)
		}
		_, err = q.Wait(t.Context(), pace.Ticket{Client: "b", Class: pace.Idle}, 0)
		var full pace.Full
		if !errors.As(err, &full) {
			t.Errorf("a request that may not wait: got error %v, want Full", err)
		}
		time.Sleep(time.Minute) // until the five have had their turns
	})
}

func TestLeavingMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := pace.NewQueue(&pace.Memory{}, "key", everySecond)
		ctx, leave := context.WithTimeout(t.Context(), time.Second/2)
		defer leave()
		left := make(chan error, 1)
		go func() {
			_, err := q.Wait(ctx, pace.Ticket{Client: "a"}, pace.NoLimit)
			left <- err
		}()
		synctest.Wait()
		start := time.Now()
		if _, err := q.Wait(t.Context(), pace.Ticket{Client: "b"}, pace.NoLimit); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("the next request waited %v, want 1s, the slot that was reserved for the first", waited)
		}
		if err := <-left; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the request that left: got error %v, want that of its context", err)
		}
	})
}

func TestDropEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := pace.NewQueue(&pace.Memory{}, "key", everySecond)
		paused := errors.New("paused")
		time.AfterFunc(time.Second/2, func() { q.Drop(paused) })
		if _, err := q.Wait(t.Context(), pace.Ticket{}, pace.NoLimit); !errors.Is(err, paused) {
			t.Errorf("got error %v, want %v", err, paused)
		}
		time.Sleep(time.Minute) // until the queue stops reserving slots
	})
}

// lateClock returns slots that have passed before the process can use them, as after a freeze.
type lateClock struct {
	pace.Memory
	late int // how many of the next slots are late
}

func (c *lateClock) Next(ctx context.Context, key string, interval time.Duration, burst int) (time.Time, error) {
	at, err := c.Memory.Next(ctx, key, interval, burst)
	if c.late > 0 {
		c.late--
		at = time.Now().Add(-time.Minute)
	}
	return at, err
}

func TestLateSlotIsDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		q := pace.NewQueue(&lateClock{late: 2}, "key", everySecond)
		until, err := q.Wait(t.Context(), pace.Ticket{}, pace.NoLimit)
		if err != nil {
			t.Fatal(err)
		}
		const tolerance = 50 * time.Millisecond
		if want := start.Add(3*time.Second + tolerance); !until.Equal(want) {
			t.Errorf("the slot ends %v after the start, want %v", until.Sub(start), want.Sub(start))
		}
	})
}
