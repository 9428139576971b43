package main

import (
	"context"
	"net/http"
	"time"
)

// responseTimeout is the longest that a response may take. A sync sends its provider
// several requests, and the gateway gives up after 60 s.
const responseTimeout = 55 * time.Second

// withDeadline ends the context of every request after timeout, early enough for a
// handler to answer.
func withDeadline(next http.Handler, timeout time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}
