package harness

import (
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Patience bounds every wait for a program; only a failing test uses it up.
const Patience = 20 * time.Second

// FreeAddr returns an address (host:port) of the loopback interface on which nobody
// listens. Its port lies below the range from which the kernel takes ports for
// outgoing connections.
func FreeAddr(t *testing.T) string {
	t.Helper()
	portMu.Lock()
	defer portMu.Unlock()
	for range 2000 {
		portNext++
		addr := "127.0.0.1:" + strconv.Itoa(20000+(os.Getpid()*37+portNext)%10000)
		if listener, err := net.Listen("tcp", addr); err == nil {
			if err := listener.Close(); err != nil {
				t.Fatal(err)
			}
			return addr
		}
	}
	t.Fatal("no free port")
	return ""
}

var (
	portMu   sync.Mutex
	portNext int
)

// port of an address.
func port(addr string) string {
	_, port, _ := net.SplitHostPort(addr) // made by FreeAddr
	return port
}

// Healthy waits until url answers 200.
func Healthy(t *testing.T, url string) {
	t.Helper()
	Eventually(t, url+" answers 200", func() bool {
		a, err := Send(t.Context(), Client(), http.MethodGet, url, nil)
		return err == nil && a.Status == http.StatusOK
	})
}

// Eventually asks until a condition holds, every 50 ms.
func Eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	EventuallyWithin(t, Patience, what, holds)
}

// EventuallyWithin is Eventually for what may take longer.
func EventuallyWithin(t *testing.T, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// Listens reports whether something listens on an address.
func Listens(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// AwaitListener waits until something listens on an address.
func AwaitListener(t *testing.T, addr string) {
	t.Helper()
	Eventually(t, "something listens on "+addr, func() bool { return Listens(addr) })
}
