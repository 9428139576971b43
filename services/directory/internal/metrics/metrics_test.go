package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

func TestOutcome(t *testing.T) {
	cause := errors.New("cause")
	for want, err := range map[string]error{
		"ok":         nil,
		"reconnect":  fmt.Errorf("refresh: %w", provider.Revoked(cause, "")),
		"permission": provider.Denied(cause),
		"throttled":  provider.Throttled(cause, time.Minute),
		"temporary":  provider.Temporary(cause),
		"setup":      provider.NotSetUp(cause),
		"gone":       provider.Gone(cause),
		"changed":    provider.Unreadable(cause),
		"canceled":   fmt.Errorf("call: %w", context.Canceled),
		"limited":    fault.New(fault.Limited, "audit_limit", ""),
		"refused":    company.CodeNotFound.Fault(),
		"error":      cause,
	} {
		registry := prometheus.NewRegistry()
		metrics.New(registry).Audit(err)
		if n := testkit.Series(t, registry)["directory_audits_total "+want]; n != 1 {
			t.Errorf("%v is not counted as %s", err, want)
		}
	}
}

// TestCallsAreCounted makes each kind of call at a provider that responds to none, and checks that
// each is counted with its kind and its outcome.
func TestCallsAreCounted(t *testing.T) {
	nothing := httptest.NewServer(http.NotFoundHandler())
	defer nothing.Close()
	base, err := url.Parse(nothing.URL)
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	m := metrics.New(registry)
	search := google.New(google.Options{BaseURL: base, Now: time.Now, Metrics: m})
	social := meta.New(meta.Options{BaseURL: base, Now: time.Now, Metrics: m})
	places := google.NewPlaces(
		google.Options{APIKey: "key", BaseURL: base, Now: time.Now, Metrics: m},
	)
	ctx := t.Context()
	calls := map[string]func() error{
		"refresh of provider_search": func() error {
			_, err := search.Refresh(ctx, provider.Token{RefreshToken: "r"})
			return err
		},
		"location of provider_search": func() error {
			_, err := search.ReadLocation(ctx, "a", "locations/1")
			return err
		},
		"analytics of provider_search": func() error {
			_, err := search.ReadSearch(ctx, "a", "sc-domain:firma.pl")
			return err
		},
		"refresh of provider_social": func() error {
			_, err := social.Refresh(ctx, provider.Token{AccessToken: "a"})
			return err
		},
		"performance of provider_search": func() error {
			_, err := search.ReadPerformance(ctx, "a", google.PerformanceQuery{Location: "locations/1"})
			return err
		},
		"page of provider_social":   func() error { _, err := social.ReadPage(ctx, "a", "1", "1"); return err },
		"photos of provider_social": func() error { _, err := social.ReadPhotos(ctx, "a", "1", "1"); return err },
		"place of places": func() error {
			_, err := places.FindPlace(ctx, google.PlaceQuery{Name: "Firma"})
			return err
		},
	}
	want := map[string]float64{}
	for name, call := range calls {
		err := call()
		if err == nil {
			t.Errorf("%s succeeded", name)
		}
		kind, source, _ := strings.Cut(name, " of ")
		outcome := strings.TrimPrefix(fault.From(err).Code, "provider_")
		want["directory_provider_calls_total "+kind+" "+outcome+" "+source] = 1
	}
	if diff := cmp.Diff(want, testkit.Series(t, registry)); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}
