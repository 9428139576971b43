package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/redistest"
)

var commandCalls = regexp.MustCompile(`(?m)^cmdstat_([a-z|-]+):calls=(\d+)`)

// commands is how many commands Redis has worked on, those of scripts included.
func commands(t *testing.T, client *redis.Client) (n int) {
	t.Helper()
	for _, found := range commandCalls.FindAllStringSubmatch(client.Info(t.Context(), "commandstats").Val(), -1) {
		switch found[1] {
		case "info", "ping", "hello", "client|setinfo", "subscribe", "unsubscribe":
			continue
		}
		calls, _ := strconv.Atoi(found[2])
		n += calls
	}
	return n
}

// TestARefusalIsCheap: the questions of a client whose line is full, or of a time in
// which the source is paused, cost one read of Redis each, but for a few that find out
// whether that is still so.
func TestARefusalIsCheap(t *testing.T) {
	const questions = 200
	refuse := map[string]func(t *testing.T, w wired){
		"throttle_queue_full": func(t *testing.T, w wired) {
			r := &lookup.Request{Caller: w.callerOf()(httptest.NewRequest(http.MethodGet, "/", nil))}
			for range 2 {
				go func() { _, _ = w.pacer.Turn(t.Context(), r) }()
				<-w.waits
			}
		},
		"source_paused": func(t *testing.T, w wired) { w.newBreaker().Pause(t.Context(), "ceneo", time.Hour) },
	}
	for code, begin := range refuse {
		t.Run(code, func(t *testing.T) {
			source, server := newFakeSource(t), redistest.Start(t)
			client := server.Client(t)
			w := newWired(t, source.environ(t, "HARDWARE_REDIS_URL=unix://"+server.Socket, "HARDWARE_PRICE_INTERVAL=10m", "HARDWARE_PRICE_MAX_WAIT=24h"))
			begin(t, w)
			handler := w.handler()
			ask := func(n int) *httptest.ResponseRecorder {
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, fmt.Sprintf("/api/prices/ceneo?q=radeon+%d", n), nil))
				return answer
			}
			first := commands(t, client)
			ask(-1)
			before := commands(t, client)
			began := time.Now()
			for n := range questions {
				requireAnswer(t, ask(n), http.StatusServiceUnavailable, code)
			}
			perRefusal := float64(commands(t, client)-before) / questions
			t.Logf("%.2f commands and %v a refusal, %d commands for the first one", perRefusal, time.Since(began)/questions, before-first)
			if perRefusal > 2 {
				t.Errorf("a refusal costs %.2f commands of Redis", perRefusal)
			}
		})
	}
}
