package upstream

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Injector holds at most one fault of a site and acts it out. It is safe for
// concurrent use.
type Injector struct {
	kinds  []FaultKind
	spared []string

	mu    sync.Mutex
	fault *Fault
}

func newInjector(site Site) *Injector {
	return &Injector{kinds: append(commonFaults(), site.Faults...), spared: site.Spared}
}

// Kinds lists what the site can be made to do.
func (i *Injector) Kinds() []FaultKind { return slices.Clone(i.kinds) }

// Set puts a fault in the place of an earlier one. The error names every problem.
func (i *Injector) Set(fault Fault) error {
	if err := fault.check(i.kinds); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fault = &fault
	return nil
}

// Fault returns the fault that is on, or nil.
func (i *Injector) Fault() *Fault {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fault == nil {
		return nil
	}
	fault := *i.fault
	return &fault
}

// Clear takes the fault off; there need not be one.
func (i *Injector) Clear() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fault = nil
}

// take returns the fault for a request and counts the request.
func (i *Injector) take(path string) (Fault, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fault == nil || !i.reaches(path) {
		return Fault{}, false
	}
	fault := *i.fault
	switch {
	case fault.Times == 1:
		i.fault = nil
	case fault.Times > 1:
		i.fault.Times--
	}
	return fault, true
}

func (i *Injector) reaches(path string) bool {
	if i.fault.Match != "" {
		return strings.HasPrefix(path, i.fault.Match)
	}
	return !slices.ContainsFunc(i.spared, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

type contextKey struct{}

// FaultFrom returns the fault that a site has to act out itself: one of the kinds
// that it declared.
func FaultFrom(ctx context.Context) (Fault, bool) {
	fault, on := ctx.Value(contextKey{}).(Fault)
	return fault, on
}

// Wrap lets the fault that is on act before next. After is the clock of delays, in
// the form of time.After.
func (i *Injector) Wrap(next http.Handler, after func(time.Duration) <-chan time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fault, hit := i.take(r.URL.EscapedPath())
		if !hit {
			next.ServeHTTP(w, r)
			return
		}
		wait(r.Context(), after, fault.delay())
		switch fault.Kind {
		case Down:
			panic(http.ErrAbortHandler)
		case Slow:
			next.ServeHTTP(w, r)
		case Status:
			fault.sendStatus(w)
		case Garbage:
			sendGarbage(w)
		default:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, fault)))
		}
	})
}

// wait lets the delay pass. When the client leaves first or the sandbox stops, it
// ends the request without an answer.
func wait(ctx context.Context, after func(time.Duration) <-chan time.Time, delay time.Duration) {
	if delay == 0 {
		return
	}
	select {
	case <-after(delay):
	case <-ctx.Done():
		panic(http.ErrAbortHandler)
	}
}

const htmlType = "text/html; charset=utf-8"

func (f Fault) sendStatus(w http.ResponseWriter) {
	w.Header().Set("Content-Type", htmlType)
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	w.WriteHeader(f.Status)
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"pl\"><head><title>%d</title></head>"+
		"<body><h1>Błąd %d</h1><p>Odpowiedź ustawiona w makiecie.</p></body></html>\n", f.Status, f.Status)
}

// sendGarbage answers 8 KiB of no format, the same bytes every time.
func sendGarbage(w http.ResponseWriter) {
	random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- repeatable on purpose, guards nothing
	body := make([]byte, 8<<10)
	for i := range body {
		body[i] = byte(random.UintN(256))
	}
	w.Header().Set("Content-Type", htmlType)
	_, _ = w.Write(body) // a client that is gone needs no answer
}
