package googleapi_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/internal/googleapi"
)

func TestRefusalsAreSent(t *testing.T) {
	cases := map[string]struct {
		refusal googleapi.Refusal
		status  int
		name    string
		header  map[string]string
		body    []string // parts
	}{
		"field": {
			googleapi.InvalidField("page_size", "too large"), 400, "INVALID_ARGUMENT", nil,
			[]string{`"code": 400`, `"status": "INVALID_ARGUMENT"`, "google.rpc.BadRequest", `"field": "page_size"`},
		},
		"missing":   {googleapi.Missing(), 404, "NOT_FOUND", nil, []string{`"status": "NOT_FOUND"`}},
		"forbidden": {googleapi.Forbidden(), 403, "PERMISSION_DENIED", nil, []string{`"status": "PERMISSION_DENIED"`}},
		"never approved": {
			googleapi.Exhausted("x.example", "x.example/requests", 0, 0), 429, "RATE_LIMIT_EXCEEDED", map[string]string{"Retry-After": ""},
			[]string{`"status": "RESOURCE_EXHAUSTED"`, "google.rpc.ErrorInfo", `"quota_limit_value": "0"`},
		},
		"used up": {
			googleapi.Exhausted("x.example", "x.example/requests", 300, 30), 429, "RATE_LIMIT_EXCEEDED", map[string]string{"Retry-After": "30"},
			[]string{`"quota_limit_value": "300"`, `"service": "x.example"`},
		},
		"disabled": {googleapi.Disabled("x.example"), 403, "SERVICE_DISABLED", nil, []string{`"reason": "SERVICE_DISABLED"`}},
		"a bad token": {
			googleapi.Refusal{HTTP: 401, Status: "UNAUTHENTICATED", Auth: "invalid_token"}, 401, "UNAUTHENTICATED",
			map[string]string{"WWW-Authenticate": `Bearer realm="https://accounts.google.com/", error="invalid_token"`}, nil,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			c.refusal.Send(recorder)
			if recorder.Code != c.status || c.refusal.Name() != c.name || recorder.Header().Get("Content-Type") != "application/json; charset=UTF-8" {
				t.Errorf("got %d, %s, %v", recorder.Code, c.refusal.Name(), recorder.Header())
			}
			for header, want := range c.header {
				if got := recorder.Header().Get(header); got != want {
					t.Errorf("%s is %q, want %q", header, got, want)
				}
			}
			for _, want := range c.body {
				if !strings.Contains(recorder.Body.String(), want) {
					t.Errorf("the body lacks %s: %s", want, recorder.Body)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	if got := googleapi.Refused(fmt.Errorf("reading: %w", googleapi.Missing())); got.HTTP != 404 {
		t.Errorf("got %+v", got)
	}
	if got := googleapi.Refused(errors.New("disk full")); got.HTTP != 500 || strings.Contains(got.Message, "disk") {
		t.Errorf("got %+v", got)
	}
}
