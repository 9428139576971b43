package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/storetest"
)

func TestWithDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		waiting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			w.WriteHeader(http.StatusGatewayTimeout)
		})
		answer := httptest.NewRecorder()
		withDeadline(waiting, 55*time.Second).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
		if took := time.Since(began); took != 55*time.Second || answer.Code != http.StatusGatewayTimeout {
			t.Errorf("answered %d after %s", answer.Code, took)
		}
	})
}

// TestDeadlineOfEveryRequest leaves no time at all for a response.
func TestDeadlineOfEveryRequest(t *testing.T) {
	settings := environ(t)
	require(t, settings, "seed")
	inStore(t, settings, func(_ context.Context, s *storetest.Store) error {
		a, err := newApp(configOf(t, settings), s.DB, slog.New(slog.DiscardHandler), nil)
		if err != nil {
			return err
		}
		for timeout, want := range map[time.Duration]int{a.timeout: http.StatusNotFound, 1: http.StatusServiceUnavailable} {
			a.timeout, a.registry = timeout, prometheus.NewRegistry()
			handler, err := a.handler()
			if err != nil {
				return err
			}
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/api/bizprofile/audit/piekarnia-kowalski", nil))
			if response.Code != want {
				t.Errorf("with a timeout of %s: %d %s", timeout, response.Code, response.Body)
			}
		}
		return nil
	})
}
