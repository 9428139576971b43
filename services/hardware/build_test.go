package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
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
