package httpx_test

import (
	"errors"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"backend.example/services/internal/kit/httpx"
)

func TestRunReportsPortInUse(t *testing.T) {
	taken, free := httptest.NewServer(nil), httptest.NewServer(nil)
	defer taken.Close()
	free.Close()
	inUse, other := strings.TrimPrefix(taken.URL, "http://"), strings.TrimPrefix(free.URL, "http://")
	for _, test := range []struct{ name, addr, adminAddr string }{
		{"public", inUse, "127.0.0.1:0"},
		{"admin", other, inUse},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httpx.Server{Log: slog.New(slog.DiscardHandler), Health: httpx.NewHealth(nil), Addr: test.addr,
				AdminAddr: test.adminAddr}
			err := server.Run(t.Context())
			if !errors.Is(err, syscall.EADDRINUSE) || !strings.HasPrefix(err.Error(), "listen on "+inUse+": ") {
				t.Errorf("Run = %v, want the address in use", err)
			}
		})
	}
	released, err := net.Listen("tcp", other)
	if err != nil {
		t.Fatal("the public address is still taken:", err)
	}
	_ = released.Close() // of this test
}
