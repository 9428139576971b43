package metrics

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
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
		if got := outcome(err); got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
}

// TestCallsAreCounted makes each call of a provider that can do nothing.
func TestCallsAreCounted(t *testing.T) {
	nothing := httptest.NewServer(http.NotFoundHandler())
	defer nothing.Close()
	base, err := url.Parse(nothing.URL)
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	m := New(registry)
	googleClient, metaClient := google.New(google.Options{BaseURL: base, Now: time.Now}), meta.New(meta.Options{BaseURL: base, Now: time.Now})
	search := m.Instrument(provider.Search, connection.Provider{Refresh: googleClient.Refresh})
	social := m.Instrument(provider.Social, connection.Provider{Refresh: metaClient.Refresh})
	readLocation := CountRead(m, "provider_search", "location", googleClient.ReadLocation)
	readSearch := CountRead(m, "provider_search", "analytics", googleClient.ReadSearch)
	readPage := CountRead(m, "provider_social", "page", metaClient.ReadPage)
	readPhotos := CountRead(m, "provider_social", "photos", metaClient.ReadPhotos)
	places := google.NewPlaces(google.PlacesOptions{APIKey: "key", BaseURL: base, Now: time.Now})
	findPlace := CountCall(m, "places", "place", places.FindPlace)
	ctx := t.Context()
	calls := map[string]func() error{
		"provider_search refresh":   func() error { _, err := search.Refresh(ctx, provider.Token{RefreshToken: "r"}); return err },
		"provider_search location":  func() error { _, err := readLocation(ctx, "a", "locations/1"); return err },
		"provider_search analytics": func() error { _, err := readSearch(ctx, "a", "sc-domain:firma.pl"); return err },
		"provider_social refresh":   func() error { _, err := social.Refresh(ctx, provider.Token{AccessToken: "a"}); return err },
		"provider_social page":      func() error { _, err := readPage(ctx, "a", "1"); return err },
		"provider_social photos":    func() error { _, err := readPhotos(ctx, "a", "1"); return err },
		"places place":              func() error { _, err := findPlace(ctx, google.PlaceQuery{Name: "Firma"}); return err },
	}
	want := map[string]bool{}
	for name, call := range calls {
		err := call()
		if err == nil {
			t.Errorf("%s succeeded", name)
		}
		want[name+" "+outcome(err)] = true
	}
	if got := countedCalls(t, registry); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}

// countedCalls lists the calls that were counted, each once, with their outcome.
func countedCalls(t *testing.T, registry prometheus.Gatherer) map[string]bool {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, family := range families {
		if family.GetName() != "directory_provider_calls_total" {
			continue
		}
		for _, series := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range series.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if n := series.GetCounter().GetValue(); n > 0 {
				got[labels["provider"]+" "+labels["call"]+" "+labels["outcome"]] = n == 1
			}
		}
	}
	return got
}
