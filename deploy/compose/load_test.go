package compose

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// pace is between two requests of the load. A client may ask the hardware service
// 50 times a second, the directory service 20 times (gateway/dynamic/middlewares.yml).
const pace = 25 * time.Millisecond

// load is a steady stream of requests through the gateway.
type load struct {
	stop     context.CancelFunc
	done     sync.WaitGroup
	mu       sync.Mutex
	answered int
	failures []string
}

// startLoad asks for the paths in turn, without waiting for answers, until the
// load is ended or the test is over.
func startLoad(t *testing.T, paths ...string) *load {
	t.Helper()
	v := newVisitor(t)
	ctx, stop := context.WithCancel(t.Context())
	l := &load{stop: stop}
	l.done.Go(func() {
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				l.done.Go(func() { l.ask(v, paths[i%len(paths)]) })
			}
		}
	})
	t.Cleanup(func() { l.end() })
	return l
}

func (l *load) ask(v *visitor, path string) {
	sent := time.Now()
	a, err := v.ask(context.Background(), http.MethodGet, path, "")
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil:
		l.failures = append(l.failures, fmt.Sprintf("%s %s: %v", sent.Format(time.TimeOnly), path, err))
	case a.status != http.StatusOK:
		l.failures = append(l.failures, fmt.Sprintf("%s %s: %d %.100s", sent.Format(time.TimeOnly), path, a.status, a.body))
	default:
		l.answered++
	}
}

// end waits for the answers under way and returns how many were good, and what
// went wrong with the others.
func (l *load) end() (answered int, failures []string) {
	l.stop()
	l.done.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answered, l.failures
}

// more waits until so many further requests were answered well.
func (l *load) more(t *testing.T, n int) {
	t.Helper()
	good := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.answered
	}
	before := good()
	eventually(t, fmt.Sprintf("%d more answers", n), func() bool { return good() >= before+n })
}

// withoutFailure ends the load and holds it to that.
func (l *load) withoutFailure(t *testing.T) {
	t.Helper()
	answered, failures := l.end()
	if len(failures) > 0 {
		t.Errorf("%d of %d requests failed:\n%s", len(failures), answered+len(failures), strings.Join(failures[:min(len(failures), 10)], "\n"))
	}
	t.Logf("%d requests answered", answered)
}

// handled is a request as the gateway's access log has it.
type handled struct{ RouterName, ServiceName, ServiceAddr string }

// accessLog lists the requests since a moment.
func accessLog(t *testing.T, since time.Time) (requests []handled) {
	t.Helper()
	for line := range strings.Lines(compose(t, "logs", "--no-log-prefix", "--since", since.UTC().Format(time.RFC3339Nano), "gateway")) {
		var request handled
		if json.Unmarshal([]byte(line), &request) == nil && request.RouterName != "" {
			requests = append(requests, request)
		}
	}
	return requests
}

// servers counts by replica what the hardware service answered since a moment.
func servers(t *testing.T, since time.Time) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, request := range accessLog(t, since) {
		if request.ServiceName == "hardware@docker" {
			counts[request.ServiceAddr]++
		}
	}
	return counts
}
