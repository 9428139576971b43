package gateway

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

func TestServersByDefault(t *testing.T) {
	t.Parallel()
	p := startGateway(t, setup{})
	for server, addr := range map[string]string{"directory-1": "127.0.0.1:8081", "hardware-1": "127.0.0.1:8082"} {
		eventually(t, server+" is "+addr, func() bool {
			return strings.Contains(p.metrics(), `traefik_service_server_up{service="`+server+`@file",url="http://`+addr+`"}`)
		})
	}
}

func TestServerListMayHoldSpaces(t *testing.T) {
	t.Parallel()
	one, two := newBackend(t, "one"), newBackend(t, "two")
	p := startGateway(t, setup{hardware: " " + servers(one) + ", " + servers(two) + ","})
	for range 4 {
		if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusOK {
			t.Fatalf("status %d", got.status)
		}
	}
	if one.calls.Load() < 2 || two.calls.Load() < 2 {
		t.Errorf("%d and %d requests", one.calls.Load(), two.calls.Load())
	}
}

func TestAdminPortIsPortPlus1000(t *testing.T) {
	t.Parallel()
	public, admin := listenPair(t)
	b := startBackend(t, "hardware", public, admin)
	p := startGateway(t, setup{hardware: b.addr()})
	if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusOK {
		t.Fatalf("ready: status %d", got.status)
	}
	var asked atomic.Bool
	b.healthWith(func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	eventually(t, "the health check asks the admin port", asked.Load)
}

// listenPair listens on a free port and on the port 1000 above it.
func listenPair(t *testing.T) (public, admin net.Listener) {
	t.Helper()
	for range 20 {
		public := listen(t, "127.0.0.1:0")
		port := public.Addr().(*net.TCPAddr).Port + 1000
		if admin, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return public, admin
		}
		public.Close()
	}
	t.Fatal("no free pair of ports")
	return nil, nil
}
