package stack

import (
	"context"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"
)

// Patience bounds every wait for a program; only a failing test uses it up.
const Patience = 20 * time.Second

// FreePort returns a port of the loopback interface that nobody listens on. It
// lies below the range from which the kernel takes ports for outgoing calls.
func FreePort(t *testing.T) string {
	t.Helper()
	portMu.Lock()
	defer portMu.Unlock()
	for range 2000 {
		portNext++
		port := 20000 + (os.Getpid()*37+portNext)%10000
		listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		_, text, _ := net.SplitHostPort(listener.Addr().String())
		return text
	}
	t.Fatal("no free port")
	return ""
}

var (
	portMu   sync.Mutex
	portNext int
)

// Healthy waits until url answers 200.
func Healthy(t *testing.T, url string) {
	t.Helper()
	Eventually(t, url+" answers 200", func(ctx context.Context) bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// Eventually asks until what holds, every 50 ms.
func Eventually(t *testing.T, what string, holds func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not within %s: %s", Patience, what)
		}
	}
}

// Dials reports whether something listens on addr.
func Dials(addr string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}
}
