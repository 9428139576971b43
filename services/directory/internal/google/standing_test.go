package google_test

import (
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/google"
)

func TestSearchStanding(t *testing.T) {
	const state = "GET /v1/locations/5/VoiceOfMerchantState"
	for name, test := range map[string]struct {
		metadata string
		state    *reply // nil: it is not asked
		want     []google.Signal
	}{
		"as it should be": {metadata: `"hasVoiceOfMerchant":true`, want: []google.Signal{}},
		"edits of both sides": {
			metadata: `"hasVoiceOfMerchant":true,"hasPendingEdits":true,"hasGoogleUpdated":true`,
			want:     []google.Signal{google.SignalEditsPending, google.SignalChanged},
		},
		"not verified": {state: new(ok(`{"hasBusinessAuthority":true,"verify":{}}`)), want: []google.Signal{google.SignalNotVerified}},
		"suspended": {
			metadata: `"hasPendingEdits":true`, state: new(ok(`{"complyWithGuidelines":{"recommendationReason":"BUSINESS_LOCATION_SUSPENDED"}}`)),
			want: []google.Signal{google.SignalSuspended, google.SignalEditsPending},
		},
		"why is not told": {state: new(googleError(403, "PERMISSION_DENIED", "SERVICE_DISABLED", "")), want: []google.Signal{google.SignalNotVerified}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["GET /v1/locations/5"] = ok(`{"name":"locations/5","metadata":{` + test.metadata + `}}`)
			if test.state != nil {
				s.Replies[state] = *test.state
			}
			got, err := s.search().ReadLocation(t.Context(), someToken, "locations/5")
			wantFault(t, err, "")
			if !slices.Equal(got.Signals, test.want) || got.Signals == nil {
				t.Errorf("signals %v, want %v", got.Signals, test.want)
			}
		})
	}
}

func TestSearchSpecialDays(t *testing.T) {
	s := newServer(t, nil)
	s.Replies["GET /v1/locations/5"] = ok(`{"name":"locations/5","metadata":{"hasVoiceOfMerchant":true},"specialHours":{"specialHourPeriods":[
		{"startDate":{"year":2026,"month":12,"day":25},"closed":true},
		{"startDate":{"year":2026,"month":12,"day":31},"openTime":{"hours":20},"endDate":{"year":2027,"month":1,"day":1},"closeTime":{"hours":2}},
		{"startDate":{"year":2027,"month":2,"day":1},"endDate":{"year":9999,"month":1,"day":1}}]}}`)
	got, err := s.search().ReadLocation(t.Context(), someToken, "locations/5")
	wantFault(t, err, "")
	day := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	want := []time.Time{day(2026, 12, 25), day(2026, 12, 31), day(2027, 1, 1)}
	if len(got.SpecialDays) != 3+31 || !slices.Equal(got.SpecialDays[:3], want) {
		t.Errorf("special days %v, want %v and 31 more", got.SpecialDays, want)
	}
}
