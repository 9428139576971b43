package metrics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
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
	search := google.New(google.Options{BaseURL: base, Now: time.Now, OnCall: m.CallFinished})
	social := meta.New(meta.Options{BaseURL: base, Now: time.Now, OnCall: m.CallFinished})
	places := google.NewPlaces(
		google.PlacesOptions{APIKey: "key", BaseURL: base, Now: time.Now, OnCall: m.CallFinished},
	)
	ctx := t.Context()
	calls := map[string]func() error{
		"provider_search refresh": func() error {
			_, err := search.Refresh(ctx, provider.Token{RefreshToken: "r"})
			return err
		},
		"provider_search location": func() error {
			_, err := search.ReadLocation(ctx, "a", "locations/1")
			return err
		},
		"provider_search analytics": func() error {
			_, err := search.ReadSearch(ctx, "a", "sc-domain:firma.pl")
			return err
		},
		"provider_social refresh": func() error {
			_, err := social.Refresh(ctx, provider.Token{AccessToken: "a"})
			return err
		},
		"provider_search performance": func() error {
			_, err := search.ReadPerformance(ctx, "a", google.PerformanceQuery{Location: "locations/1"})
			return err
		},
		"provider_social page":   func() error { _, err := social.ReadPage(ctx, "a", "1", "1"); return err },
		"provider_social photos": func() error { _, err := social.ReadPhotos(ctx, "a", "1", "1"); return err },
		"places place": func() error {
			_, err := places.FindPlace(ctx, google.PlaceQuery{Name: "Firma"})
			return err
		},
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

func TestConnectionsAreCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	page := scan.Pause{Provider: provider.Social, Service: provider.SocialPages, CompanyID: 7, Task: "sync"}
	NewConnections(registry).Set(State{
		Broken:      map[provider.Pair]int{provider.PagesPair: 3},
		Revocations: map[provider.Name]Revocations{provider.Social: {2, time.Unix(1_795_348_800, 0)}},
		Interval:    24 * time.Hour,
		Due:         4,
		Ahead:       5,
		Oldest:      time.Unix(1_795_000_000, 0),
		Pauses: []scan.Pause{
			{Provider: provider.Search}, {Provider: provider.Search, Service: provider.SearchProfile},
			{Provider: provider.Search, Service: provider.SearchAnalytics},
			{Provider: provider.Social, Task: "renewal"},
			page, page, page,
		},
		Incidents:  []incident.Incident{{Subject: incident.Subject{Provider: provider.Social}}},
		Jobs:       []jobs.Count{{Kind: "sync", State: "available", Jobs: 6, Due: time.Unix(1_795_000_007, 0)}},
		Deliveries: 9,
	})
	want := map[string]float64{
		"directory_connections_broken provider_social social_pages":     3,
		"directory_revocations_pending provider_social":                 2,
		"directory_revocation_oldest_timestamp_seconds provider_social": 1_795_348_800,
		"directory_scan_pauses provider provider_search":                1,
		"directory_scan_pauses service provider_search":                 2,
		"directory_scan_pauses renewals provider_social":                1,
		"directory_scan_pauses connections provider_social":             3,
		"directory_app_wide_failures provider_social":                   1,
		"directory_scan_interval_seconds":                               86_400,
		"directory_scan_due_connections":                                4,
		"directory_scan_ahead_connections":                              5,
		"directory_scan_oldest_timestamp_seconds":                       1_795_000_000,
		"directory_jobs sync available":                                 6,
		"directory_webhook_waiting":                                     9,
		"directory_job_oldest_due_timestamp_seconds sync":               1_795_000_007,
	}
	for kind, late := range jobs.Late() {
		want["directory_job_late_seconds "+kind] = late.Seconds()
	}
	if got := gauges(t, registry); !maps.Equal(got, want) {
		t.Errorf("counted\n%v\nwant\n%v", got, want)
	}
}

// gauges are those that are not 0, by their names and the values of their labels.
func gauges(t *testing.T, registry prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			name := family.GetName()
			for _, label := range series.GetLabel() {
				name += " " + label.GetValue()
			}
			if v := series.GetGauge().GetValue(); v != 0 {
				values[name] = v
			}
		}
	}
	return values
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
