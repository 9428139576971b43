package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
)

var eightCards = []string{"3060", "3070", "3080", "3090", "4060", "4070", "4080", "4090"}

// eachCard answers every search with a product of its own, and its page.
func eachCard(w http.ResponseWriter, r *http.Request) {
	page := productPage
	if strings.Contains(r.URL.Path, "szukaj") {
		page = searchPage
	}
	number := regexp.MustCompile(`[3-4]0[6-9]0`).FindString(strings.TrimSuffix(r.URL.Path, ";0280-0.htm"))
	_, _ = io.WriteString(w, strings.NewReplacer("161482093", "16148"+number, "RTX 4070 SUPER", "RTX "+number).Replace(page))
}

// virtualTime gives miniredis the time of the bubble that its clients run in.
type virtualTime struct{ server *miniredis.Miniredis }

func (v virtualTime) DialHook(next redis.DialHook) redis.DialHook { return next }

func (v virtualTime) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		v.server.SetTime(time.Now())
		return next(ctx, cmd)
	}
}

func (v virtualTime) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// TestEightLookupsAtOnceOverHTTP: a build of eight unknown parts, asked for by one client
// at once, is answered within the longest wait at the agreed rate.
func TestEightLookupsAtOnceOverHTTP(t *testing.T) {
	for _, replicas := range []int{1, 3} {
		source, server := newFakeSource(t), miniredis.RunT(t)
		source.respond = eachCard
		more := []string{"HARDWARE_PRICE_INTERVAL=1.2s", "HARDWARE_PRICE_MAX_WAIT=25s"}
		if replicas > 1 {
			more = withRedis(server, more...)
		}
		environ := source.environ(t)
		synctest.Test(t, func(t *testing.T) {
			var processes []wired
			for range replicas {
				w := newWired(t, append(environ, more...))
				if w.redis != nil {
					w.redis.AddHook(virtualTime{server})
				}
				processes = append(processes, w)
			}
			begun := time.Now()
			var callers sync.WaitGroup
			for n, card := range eightCards {
				callers.Go(func() {
					requireAnswer(t, processes[n%replicas].get("/api/prices/ceneo?q=msi+rtx+"+card), http.StatusOK, "RTX "+card)
				})
			}
			callers.Wait()
			if took := time.Since(begun); took < 15*1200*time.Millisecond || took > 25*time.Second || source.total() != 16 {
				t.Errorf("%d replicas: %d requests in %v, want two for each part, 1.2 s apart, within 25 s", replicas, source.total(), took)
			}
		})
	}
}

// TestAPartOfALongListIsNotAwaitedForLong: who asks for the last part of another client's list
// does not wait for the parts before it.
func TestAPartOfALongListIsNotAwaitedForLong(t *testing.T) {
	source := newFakeSource(t)
	source.respond = eachCard
	environ := source.environ(t, "HARDWARE_PRICE_INTERVAL=2s", "HARDWARE_PRICE_MAX_WAIT=10s", "HARDWARE_MAX_REPLICAS=1",
		"HARDWARE_TRUSTED_PROXIES=192.0.2.0/24")
	synctest.Test(t, func(t *testing.T) {
		w := newWired(t, environ)
		list := `{"items":[{"q":"msi rtx ` + strings.Join(eightCards, `"},{"q":"msi rtx `) + `"}]}`
		requireAnswer(t, w.post("/api/prices/ceneo/quotes", "application/json", list), http.StatusOK, `"place":8,"seconds":28`)
		last := eightCards[len(eightCards)-1]
		request := httptest.NewRequest(http.MethodGet, "/api/prices/ceneo?q=msi+rtx+"+last, nil)
		request.Header.Set("X-Forwarded-For", "198.51.100.7")
		begun := time.Now()
		requireAnswer(t, w.answer(request), http.StatusOK, "RTX "+last)
		if took := time.Since(begun); took > 12*time.Second {
			t.Errorf("waited %v, want the wait of 10 s for the first turn at most, and the second turn", took)
		}
		time.Sleep(time.Minute) // until the list has ended
	})
}

// TestWhatNobodyAsksFor: a service learns the prices of the first parts of rankings, unless told
// otherwise, and reads what is asked for again before it expires.
func TestWhatNobodyAsksFor(t *testing.T) {
	source := newFakeSource(t)
	source.respond = func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(strings.ToLower(r.URL.Path), "/gpu_userbenchmarks.csv") {
			_, _ = io.WriteString(w, csvFile)
			return
		}
		page := productPage
		if strings.Contains(r.URL.Path, "szukaj") {
			page = searchPage
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(page, "RTX 4070 SUPER", "RTX 5090"))
	}
	const page = "/161482093;0280-0.htm"
	for _, warm := range []string{"0", "1"} {
		environ := source.environ(t, "HARDWARE_WARM="+warm, "HARDWARE_PRICE_INTERVAL=2s", "HARDWARE_MAX_REPLICAS=3")
		synctest.Test(t, func(t *testing.T) {
			w := newWired(t, environ)
			w.rankings.Shipped = func(catalog.Family) ([]rankings.Row, time.Time, error) { return nil, time.Time{}, errors.New("none") }
			w.work(t.Context())
			time.Sleep(5 * time.Minute)
			w.requireMetrics(t, "hardware_queue_length 0", "hardware_throttle_interval_seconds 2",
				`hardware_replicas{state="seen"} 1`, `hardware_replicas{state="allowed"} 3`)
			if warm == "1" {
				w.requireMetrics(t, `hardware_warm_products{state="known"} 1`, `hardware_warm_products{state="all"} 1`,
					`hardware_turns_total{class="idle"} 3`) // robots.txt, the search and the offers
				return
			}
			if source.total() > 0 {
				t.Errorf("the sources were asked for %q", source.asked)
			}
			for range 2 {
				requireAnswer(t, w.get("/api/prices/ceneo?q=rtx+5090"), http.StatusOK, "RTX 5090")
				time.Sleep(15 * time.Minute)
			}
			if n := source.count(page); n != 1 {
				t.Errorf("the offers were read %d times in half an hour, want once", n)
			}
			time.Sleep(24*time.Hour - 35*time.Minute)
			if n := source.count(page); n != 2 {
				t.Errorf("the offers were read %d times before they expire, want once more", n)
			}
		})
	}
}
