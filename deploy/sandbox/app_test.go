package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

// patience bounds what should happen at once, so that a broken stop fails the
// test instead of hanging it.
const patience = 20 * time.Second

// sandbox is a running App on ports of the system's choice.
type sandbox struct {
	*App
	stop    context.CancelFunc
	stopped chan error
}

// freePorts is the default configuration on ports of the system's choice.
func freePorts(t *testing.T) Config {
	t.Helper()
	config, err := parseConfig(nil, environment(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range config.addresses() {
		*addr = "127.0.0.1:0"
	}
	return config
}

// addresses are those of the control and of every fake.
func (c *Config) addresses() []*string {
	return []*string{&c.ControlAddr, &c.BenchmarkAddr, &c.AggregatorAddr, &c.SearchAddr, &c.PlacesAddr, &c.SocialAddr}
}

func start(t *testing.T) sandbox {
	t.Helper()
	app, err := Open(freePorts(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	running := sandbox{app, stop, make(chan error, 1)}
	go func() { running.stopped <- app.Serve(ctx) }()
	t.Cleanup(stop)
	return running
}

func (s sandbox) get(t *testing.T, site, path string) (int, string) {
	t.Helper()
	response, err := http.Get(s.URL(site) + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func (s sandbox) setFault(t *testing.T, site, fault string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPut, s.URL("control")+"/faults/"+site, strings.NewReader(fault))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("setting %s: %v, %v", fault, response, err)
	}
	response.Body.Close()
}

// wait returns how Serve ended.
func (s sandbox) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.stopped:
		return err
	case <-time.After(patience):
		t.Fatal("the sandbox does not stop")
		return nil
	}
}

func TestEverySiteIsMounted(t *testing.T) {
	s := start(t)
	for _, c := range []struct{ site, path, want string }{
		{"control", "/healthz", `{"status":"ok"}`},
		{"control", "/", s.URL("aggregator")},
		{"benchmark", "/resources/download/csv/CPU_UserBenchmarks.csv", "Type,Part Number,"},
		{"aggregator", "/;szukaj-RTX+4070+SUPER", "cat-prod-row"},
		{"control", "/state/search", `"token_requests":{}`},
		{"control", "/state/places", `"requests":{}`},
		{"control", "/toggles/social", `"dead_metrics":[]`},
		{"control", "/issued", `"count":0`},
	} {
		if status, body := s.get(t, c.site, c.path); status != 200 || !strings.Contains(body, c.want) {
			t.Errorf("%s%s: got %d %.100q", c.site, c.path, status, body)
		}
	}
}

func TestStoppingEndsADelayAtOnce(t *testing.T) {
	s := start(t)
	s.setFault(t, "benchmark", `{"kind":"slow","delay_ms":600000}`)
	left := make(chan error, 1)
	go func() {
		_, err := http.Get(s.URL("benchmark") + "/")
		left <- err
	}()
	for {
		if _, log := s.get(t, "control", "/requests?site=benchmark"); strings.Contains(log, `"finished":false`) {
			break
		}
	}
	asked := time.Now()
	s.stop()
	if err := s.wait(t); err != nil {
		t.Errorf("stopped with %v", err)
	}
	if took := time.Since(asked); took >= drainTimeout {
		t.Errorf("stopping took %s: the delay was waited for", took)
	}
	if err := <-left; err == nil {
		t.Error("the slow request was answered")
	}
}

func TestOneFailingServerStopsThemAll(t *testing.T) {
	s := start(t)
	s.get(t, "control", "/healthz")
	s.servers[1].listener.Close()
	if err := s.wait(t); err == nil || !strings.Contains(err.Error(), "serving benchmark") {
		t.Errorf("stopped with %v", err)
	}
}
