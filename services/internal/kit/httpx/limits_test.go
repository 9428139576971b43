package httpx

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlowClients: a client that sends or reads too slowly is cut off after the time
// that it has for that.
func TestSlowClients(t *testing.T) {
	const complete = "GET /healthz HTTP/1.1\r\nHost: memory\r\n\r\n"
	tests := []struct {
		name, sends   string
		reads         bool // whether the client reads the answer
		public, admin time.Duration
	}{
		{"sends nothing", "", true, 5 * time.Second, 5 * time.Second},
		{"sends half a header", "GET / HTTP/1.1\r\nHost: mem", true, 5 * time.Second, 5 * time.Second},
		{"sends half a body", "POST / HTTP/1.1\r\nHost: memory\r\nContent-Length: 8\r\n\r\nhalf", true, 15 * time.Second, 15 * time.Second},
		{"does not read", complete, false, writeTimeout, 15 * time.Second},
		{"keeps the connection for later", complete, true, 2 * time.Minute, 2 * time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := serveInMemory(t, func(_ http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadAll(r.Body); err != nil {
						panic(http.ErrAbortHandler)
					}
				})
				if got := connected(t, m.public, test.sends, test.reads); got != test.public {
					t.Errorf("public port: connected for %s, want %s", got, test.public)
				}
				if got := connected(t, m.admin, test.sends, test.reads); got != test.admin {
					t.Errorf("admin port: connected for %s, want %s", got, test.admin)
				}
			})
		})
	}
}

// connected returns how long a client stays connected after it has sent a text.
func connected(t *testing.T, l *listener, sends string, reads bool) time.Duration {
	t.Helper()
	conn, err := l.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	began := time.Now()
	if _, err = io.WriteString(conn, sends); err != nil {
		t.Fatal(err)
	}
	if reads {
		_, err = io.Copy(io.Discard, conn)
	}
	for err == nil && !reads { // the server takes a byte of the next request, then no more
		_, err = conn.Write([]byte("x"))
	}
	if err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	return time.Since(began)
}

func TestLargeHeadersAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := serveInMemory(t, func(http.ResponseWriter, *http.Request) {})
		for size, want := range map[int]int{15 << 10: http.StatusOK, 21 << 10: http.StatusRequestHeaderFieldsTooLarge} {
			if got := m.public.get("/?" + strings.Repeat("x", size)); got != want {
				t.Errorf("a header of %d bytes is answered %d, want %d", size, got, want)
			}
		}
	})
}

// TestServeEndsWithAListener: a process of which one port is dead does not go on.
func TestServeEndsWithAListener(t *testing.T) {
	for _, dead := range []string{"public", "admin"} {
		synctest.Test(t, func(t *testing.T) {
			m := serveInMemory(t, func(http.ResponseWriter, *http.Request) {})
			first, other := m.public, m.admin
			if dead == "admin" {
				first, other = other, first
			}
			if status := other.get("/healthz"); status != http.StatusOK {
				t.Fatalf("answered %d", status)
			}
			_ = first.Close() // never fails
			if err := <-m.ended; !errors.Is(err, net.ErrClosed) {
				t.Errorf("%s port dead: serve = %v", dead, err)
			}
			if status := other.get("/healthz"); status != 0 {
				t.Errorf("%s port dead: the other one answers %d", dead, status)
			}
		})
	}
}

// TestProbeDoesNotWaitForever: a process that accepts connections and does not answer
// is not ready.
func TestProbeDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := serveInMemory(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		began := time.Now()
		err := probe(t.Context(), &http.Client{Transport: &http.Transport{DialContext: m.public.dial}}, "memory")
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != 3*time.Second {
			t.Errorf("probe = %v after %s, want a time-out after 3s", err, took)
		}
	})
	if transport, ok := probeClient.Transport.(*http.Transport); !ok || transport.Proxy != nil {
		t.Error("the probe asks a proxy")
	}
}

// TestLinesOfNetHTTP: what net/http has to say is in the log of the service.
func TestLinesOfNetHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := serveInMemory(t, func(http.ResponseWriter, *http.Request) { panic("boom") })
		if status := m.public.get("/"); status != 0 {
			t.Errorf("answered %d", status)
		}
		m.stop()
		<-m.ended
		if !strings.Contains(m.log.String(), "panic serving") {
			t.Errorf("logged %s", &m.log)
		}
	})
}
