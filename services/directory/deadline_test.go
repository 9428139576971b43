package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
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
