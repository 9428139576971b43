//go:build linux

package netns_test

import (
	"net"
	"os"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/network/netns"
)

func TestMain(m *testing.M) { os.Exit(netns.Main(m)) }

// TestNetwork sends from one host to another while each direction is cut in turn.
func TestNetwork(t *testing.T) {
	n, self := netns.New(t)
	one, two := n.Host(t, "one"), n.Host(t, "two")
	listen(t, one)
	listen(t, two)
	reaches := func(h *netns.Host) bool {
		conn, err := (&net.Dialer{Timeout: 300 * time.Millisecond}).Dial("tcp", h.At(7))
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}
	for name, test := range map[string]struct {
		cut        func()
		one, other bool
	}{
		"nothing is cut":              {func() {}, true, true},
		"one sends nothing":           {func() { n.Cut(one, nil) }, false, true},
		"one receives nothing":        {func() { n.Cut(nil, one) }, false, true},
		"one direction":               {func() { n.Cut(self, two) }, true, false},
		"a direction that is another": {func() { n.Cut(one, two); n.Cut(two, one) }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			test.cut()
			defer n.Heal()
			if a, b := reaches(one), reaches(two); a != test.one || b != test.other {
				t.Errorf("one is reached: %t, two: %t", a, b)
			}
		})
	}
	n.Shape(50*time.Millisecond, 0)
	begun := time.Now()
	if reaches(one); time.Since(begun) < 100*time.Millisecond {
		t.Errorf("round trip in %s, want at least 100 ms", time.Since(begun))
	}
	n.Shape(0, 1)
	if reaches(one) {
		t.Error("a packet arrived although all are dropped")
	}
}

// listen accepts connections on a host.
func listen(t *testing.T, h *netns.Host) {
	t.Helper()
	command := h.Command("redis-server", "--port", "7", "--protected-mode", "no", "--save", "")
	harness.Start(t, h.Name, t.TempDir(), nil, harness.Installed(t, command[0]), command[1:]...)
	harness.AwaitListener(t, h.At(7))
}
