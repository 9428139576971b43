package faults

import (
	"context"
	"net/http"
	"time"
)

// After is the clock of delays, in the form of time.After.
type After func(time.Duration) <-chan time.Time

type contextKey struct{}

// FromContext returns the fault that a site has to play itself: one of the
// kinds that it declared on top of Common.
func FromContext(ctx context.Context) (Fault, bool) {
	fault, on := ctx.Value(contextKey{}).(Fault)
	return fault, on
}

// WithFault returns a context that hands the fault to the site's handler.
func WithFault(ctx context.Context, fault Fault) context.Context {
	return context.WithValue(ctx, contextKey{}, fault)
}

// Inject wraps the handler of the named site. An unknown name is a mistake in
// the wiring and panics.
func (b *Board) Inject(name string, after After, next http.Handler) http.Handler {
	site, err := b.site(name)
	if err != nil {
		panic(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fault, hit := b.take(site, r.URL.EscapedPath())
		if !hit {
			next.ServeHTTP(w, r)
			return
		}
		wait(r.Context(), after, fault.delay())
		fault.play(w, r, next)
	})
}

// wait lets the delay pass. When the client leaves first or the sandbox
// stops, it ends the request without an answer.
func wait(ctx context.Context, after After, delay time.Duration) {
	if delay == 0 {
		return
	}
	select {
	case <-after(delay):
	case <-ctx.Done():
		panic(http.ErrAbortHandler)
	}
}

func (f Fault) play(w http.ResponseWriter, r *http.Request, next http.Handler) {
	switch f.Kind {
	case Down:
		panic(http.ErrAbortHandler)
	case Slow:
		next.ServeHTTP(w, r)
	case Status:
		f.sendStatus(w)
	case Redirect:
		w.Header().Set("Location", f.Location)
		w.WriteHeader(http.StatusFound)
	case Truncated:
		sendHalf(w, capture(r, next))
	case Garbage:
		sendGarbage(w)
	case Huge:
		sendEndless(w, r, capture(r, next))
	default:
		next.ServeHTTP(w, r.WithContext(WithFault(r.Context(), f)))
	}
}
