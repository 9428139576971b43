package httpx_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"backend.example/services/internal/kit/httpx"
)

func TestRunServesOnBothAddressesUntilItsContextEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	log, logged := io.Pipe()
	health := httpx.NewHealth(nil)
	server := httpx.Server{
		Log: slog.New(slog.NewJSONHandler(logged, nil)), Health: health, Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0",
		Handler:      http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "public") }),
		AdminHandler: admin(health),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()

	var serving struct {
		Addr      string `json:"addr"`
		AdminAddr string `json:"admin_addr"`
	}
	if err := json.NewDecoder(log).Decode(&serving); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	for address, want := range map[string]string{serving.Addr + "/": "public", serving.AdminAddr + "/healthz": `{"status":"ok"}` + "\n"} {
		if got := body(t, "http://"+address); got != want {
			t.Errorf("%s answers %q, want %q", address, got, want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	listen(t, serving.Addr)
	listen(t, serving.AdminAddr)
}

func TestRunReportsPortInUse(t *testing.T) {
	taken := listen(t, "127.0.0.1:0").Addr().String()
	other := listen(t, "127.0.0.1:0")
	free := other.Addr().String()
	_ = other.Close() // never fails
	for _, test := range []struct{ name, addr, adminAddr string }{
		{"public", taken, "127.0.0.1:0"},
		{"admin", free, taken},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httpx.Server{Log: slog.New(slog.DiscardHandler), Health: httpx.NewHealth(nil), Addr: test.addr, AdminAddr: test.adminAddr}
			err := server.Run(t.Context())
			if !errors.Is(err, syscall.EADDRINUSE) || !strings.HasPrefix(err.Error(), "listen on "+taken+": ") {
				t.Errorf("Run = %v, want the address in use", err)
			}
		})
	}
	listen(t, free)
}

// body returns the response body at address.
func body(t *testing.T, address string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return string(content)
}

// listen listens on addr until the test ends.
func listen(t *testing.T, addr string) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}
