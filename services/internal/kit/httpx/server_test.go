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
	"time"

	"backend.example/services/internal/kit/httpx"
)

func TestRunServesAndDrains(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(entered)
			<-release
		}
		_, _ = io.WriteString(w, "public")
	})
	run := start(t, handler)
	if status, body := run.get(t, run.public+"/"); status != 200 || body != "public" {
		t.Errorf("public port answers %d %q", status, body)
	}
	if status, _ := run.get(t, run.admin+"/readyz"); status != 200 {
		t.Errorf("readyz = %d before the end, want 200", status)
	}

	slow := make(chan string, 1)
	go func() {
		status, body := run.get(t, run.public+"/slow")
		slow <- http.StatusText(status) + " " + body
	}()
	<-entered
	run.end()
	run.await(t, "draining")
	if status, body := run.get(t, run.admin+"/readyz"); status != 503 || !strings.Contains(body, "draining") {
		t.Errorf("readyz = %d %q at the end, want 503 draining", status, body)
	}
	select {
	case err := <-run.ended:
		t.Fatalf("Run ended with a request under way: %v", err)
	default:
	}
	close(release)
	if got := <-slow; got != "OK public" {
		t.Errorf("request under way got %q, want its whole answer", got)
	}
	if err := <-run.ended; err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	for _, address := range []string{run.public, run.admin} {
		occupy(t, strings.TrimPrefix(address, "http://"))
	}
}

func TestRunNamesThePortInUse(t *testing.T) {
	taken := occupy(t, "127.0.0.1:0")
	free := freeAddr(t)
	tests := []struct{ name, addr, adminAddr string }{
		{"public", taken, "127.0.0.1:0"},
		{"admin", free, taken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httpx.Server{Log: slog.New(slog.DiscardHandler), Health: httpx.NewHealth(nil), Addr: test.addr, AdminAddr: test.adminAddr}
			err := server.Run(t.Context())
			if !errors.Is(err, syscall.EADDRINUSE) || !strings.HasPrefix(err.Error(), "listen on "+taken+": ") {
				t.Errorf("Run = %v, want the address in use", err)
			}
		})
	}
	occupy(t, free)
}

// running is a Server under test.
type running struct {
	public, admin string // base URLs
	end           context.CancelFunc
	ended         chan error
	lines         lines
}

func start(t *testing.T, handler http.Handler) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	run := &running{end: cancel, ended: make(chan error, 1), lines: make(lines, 64)}
	health := httpx.NewHealth(nil)
	server := httpx.Server{
		Log: slog.New(slog.NewJSONHandler(run.lines, nil)), Health: health,
		Addr: "127.0.0.1:0", Handler: handler, AdminAddr: "127.0.0.1:0", AdminHandler: admin(health),
		WriteTimeout: time.Minute, DrainTimeout: time.Minute,
	}
	go func() { run.ended <- server.Run(ctx) }()
	serving := run.await(t, "serving")
	run.public, run.admin = "http://"+serving["addr"].(string), "http://"+serving["admin_addr"].(string)
	return run
}

// await returns the next log entry with the message.
func (r *running) await(t *testing.T, message string) map[string]any {
	t.Helper()
	for {
		select {
		case err := <-r.ended:
			t.Fatalf("Run ended before it logged %q: %v", message, err)
		case line := <-r.lines:
			var entry map[string]any
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Fatal(err)
			}
			if entry["msg"] == message {
				return entry
			}
		}
	}
}

// get returns status 0 when there is no answer.
func (r *running) get(t *testing.T, address string) (int, string) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(address)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, string(body)
}

// lines hands on what is logged, line by line.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// occupy listens on addr until the test ends and returns the actual address.
func occupy(t *testing.T, addr string) string {
	t.Helper()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

func freeAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
