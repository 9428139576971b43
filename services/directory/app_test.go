package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
)

// configOf reads settings with the keys that belong to them.
func configOf(t *testing.T, settings []string) config {
	t.Helper()
	cfg, err := loadConfig(settings)
	if err == nil {
		err = loadKeys(&cfg, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// startApp serves in this process, and does what recurs in the given intervals, which
// the settings would refuse; a scan interval of 0 is no scan.
func startApp(t *testing.T, settings []string, scan, cleanup time.Duration) *process {
	t.Helper()
	cfg := configOf(t, settings)
	cfg.ScanInterval = scan
	s, err := openStore(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	reader, writer := io.Pipe()
	a, err := newApp(cfg, s, slog.New(slog.NewJSONHandler(writer, nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	p := &process{stop: stop, done: make(chan error, 1)}
	go func() {
		err := errors.Join(a.serve(ctx), s.Close())
		_ = writer.Close() // a pipe
		p.done <- err
	}()
	p.follow(t, reader)
	return p
}

// TestStopWaits stops the service while work that no request waits for is at a
// provider, which answers only when the requests have ended.
func TestStopWaits(t *testing.T) {
	tests := []struct {
		name  string
		begin func(t *testing.T, settings []string) *process
		want  string // the action of the newest line of the trail
	}{
		{"for a revocation", disconnect, "revoke"},
		{"for a renewal of the scan", scanExpired, "refresh"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider := newFakeProvider(t)
			reached, answer := make(chan struct{}), make(chan struct{})
			wait := sync.OnceFunc(func() { close(reached); <-answer })
			provider.onRevoke, provider.onRefresh = wait, wait
			settings := provider.environ(t)
			p := test.begin(t, settings)
			<-reached
			p.stop()
			p.await(t, "draining")
			awaitClosed(t, strings.TrimPrefix(p.admin, "http://"))
			close(answer)
			p.end(t)
			inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
				lines, err := s.Trail(ctx, trail.Search{CompanyID: 1, Limit: 1})
				if len(lines) != 1 || lines[0].Action != test.want || lines[0].Detail != "" {
					t.Errorf("the newest line of the trail is %+v, want %s", lines, test.want)
				}
				return err
			})
		})
	}
}

// disconnect has the service withdraw a grant.
func disconnect(t *testing.T, settings []string) *process {
	t.Helper()
	p := start(t, settings)
	b := login(t, p.url, "biuro@demo.example")
	b.authorize(t, "provider_search/search_profile")
	if status, content := b.post(t, "/api/oauth/disconnect/provider_search/search_profile", ""); status != http.StatusOK {
		t.Fatal(status, content)
	}
	return p
}

// scanExpired has the service scan a connection whose token has expired.
func scanExpired(t *testing.T, settings []string) *process {
	t.Helper()
	inStore(t, settings, addExpired)
	return startApp(t, settings, 100*time.Millisecond, time.Hour)
}

// addExpired connects the first company with a token that has expired.
func addExpired(ctx context.Context, s *storetest.Store) error {
	c := connection.Connection{
		CompanyID: 1, UserID: 1, Pair: provider.Pair{Provider: provider.Search, Service: provider.SearchProfile},
		AccessToken: "access-1", RefreshToken: "refresh-1", ExpiresAt: new(time.Now()),
	}
	return s.Save(ctx, &c, nil, trail.Entry{CompanyID: 1, Action: "connect", Pair: c.Pair})
}

// awaitClosed returns once no server listens on address: then the requests have ended.
func awaitClosed(t *testing.T, address string) {
	t.Helper()
	for t.Context().Err() == nil {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		_ = conn.Close()
		runtime.Gosched()
	}
}

func TestConcurrentHashes(t *testing.T) {
	for processors, want := range map[int]int{1: 1, 2: 1, 4: 2, 8: 4, 64: 4} {
		if got := concurrentHashes(processors); got != want {
			t.Errorf("%d at a time on %d processors, want %d", got, processors, want)
		}
	}
}
