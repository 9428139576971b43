package outbound_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"backend.example/services/internal/kit/outbound"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestLoggedNamesHostAndCauseButNoPath(t *testing.T) {
	for _, test := range []struct {
		status int
		err    error
		want   string
	}{
		{200, nil, "level=DEBUG msg=\"call answered\" host=graph.example method=GET status=200\n"},
		{503, nil, "level=WARN msg=\"call failed\" host=graph.example method=GET status=503\n"},
		{0, errors.New("no route"), "level=WARN msg=\"call failed\" host=graph.example method=GET error=\"no " +
			"route\"\n"},
	} {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug,
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == "seconds" {
					return slog.Attr{}
				}
				return a
			}}))
		call := outbound.Logged(roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: test.status, Body: http.NoBody}, test.err
		}), log)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			"https://graph.example/42?access_token=s3cret", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := call.RoundTrip(r)
		if !errors.Is(err, test.err) {
			t.Errorf("error %v, want %v", err, test.err)
		}
		_ = resp.Body.Close()
		if got := strings.TrimLeft(out.String(), " "); got != test.want {
			t.Errorf("logged %q, want %q", got, test.want)
		}
	}
}
