package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// newLogged returns a service with an access log.
func newLogged() (service, *httpx.AccessLog) {
	log, registry := &journal{}, prometheus.NewRegistry()
	access := httpx.NewAccessLog(log)
	e := httpx.New(httpx.Options{Metrics: httpx.NewMetrics(registry, "demo"), AccessLog: access, BodyLimit: bodyLimit, ErrorBody: errorBody})
	return service{Echo: e, log: log, registry: registry}, access
}

func TestAccessLogWritesLinesAfterDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newLogged()
		s.GET("/prices/:name", func(c echo.Context) error {
			time.Sleep(1500 * time.Microsecond)
			c.Response().Header().Set("Cache-Status", `demo; hit; detail="here"`)
			return c.String(http.StatusOK, "four")
		})
		s.fail("/fails", fault.New(fault.NotFound, "none", "Nie ma."))
		for method, target := range map[string]string{"GET": "/prices/secret?q=secret", "BREW": "/elsewhere/secret"} {
			r := httptest.NewRequest(method, target, nil)
			r.Header.Set("X-Request-Id", "id-of-"+method)
			r.Header.Set("Cookie", "session=secret")
			s.do(r)
		}
		s.get("/fails")
		if entries := s.log.entries(t); len(entries) != 0 {
			t.Fatalf("written at once: %v", entries)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()

		lines := map[any]map[string]any{}
		for _, line := range s.log.entries(t) {
			if at, err := time.Parse(time.RFC3339, line["time"].(string)); err != nil || time.Since(at) > 110*time.Millisecond {
				t.Errorf("time %v, %v", line["time"], err)
			}
			delete(line, "time")
			lines[line["route"]] = line
		}
		for route, want := range map[string]map[string]any{
			"/prices/:name": {"request_id": "id-of-GET", "method": "GET", "status": 200.0, "bytes": 4.0, "duration_ms": 1.5, "cache": `demo; hit; detail="here"`},
			"none":          {"request_id": "id-of-BREW", "method": "other", "status": 404.0, "duration_ms": 0.0},
			"/fails":        {"method": "GET", "status": 404.0, "level": "INFO", "msg": "request"},
		} {
			for field, value := range want {
				if got := lines[route][field]; got != value {
					t.Errorf("%s: %s is %v, want %v", route, field, got, value)
				}
			}
			if _, has := lines[route]["cache"]; has != (want["cache"] != nil) {
				t.Errorf("%s: cache is %v", route, lines[route]["cache"])
			}
		}
		if text := s.log.out.String(); strings.Contains(text, "secret") {
			t.Errorf("the log contains a path, query or cookie:\n%s", text)
		}

		written := len(lines)
		s.get("/fails")
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := len(s.log.entries(t)); got != written+1 {
			t.Errorf("%d lines after another request and the delay, want %d", got, written+1)
		}
	})
}

// A burst is written before the delay has passed, in whole lines, and Flush writes the rest.
func TestAccessLogWritesBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, access := newLogged()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 250 {
					s.get("/elsewhere")
				}
			})
		}
		all.Wait()
		early := len(s.log.entries(t))
		if early < 500 || early == 1000 {
			t.Errorf("%d of 1000 lines are written in the burst", early)
		}
		access.Flush()
		if got := len(s.log.entries(t)); got != 1000 {
			t.Errorf("%d of 1000 lines are written in the end", got)
		}
	})
}
