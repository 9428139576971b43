package lookup_test

import (
	"errors"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// Each fault of a source has its kind, code and text for users; some count against the source.
func TestFaultsOfASource(t *testing.T) {
	for _, tt := range []struct {
		err     error
		want    fault.Error
		failing bool
	}{
		{lookup.Blocked(errAway, time.Minute), fault.Error{
			Kind: fault.Upstream, Code: "source_blocked", Message: "Źródło danych chwilowo odmawia odpowiedzi. Spróbuj ponownie później.", RetryAfter: time.Minute,
		}, false},
		{lookup.Disallowed(errAway), fault.Error{Kind: fault.Upstream, Code: "source_disallowed", Message: "Źródło danych nie pozwala na takie zapytanie."}, false},
		{lookup.Changed(errAway), fault.Error{Kind: fault.Upstream, Code: "source_changed", Message: "Nie udało się odczytać cen."}, false},
		{lookup.Unreachable(errAway), fault.Error{
			Kind: fault.Upstream, Code: "source_unavailable", Message: "Źródło danych jest chwilowo niedostępne. Spróbuj ponownie później.",
		}, true},
		{lookup.NotAnswered(errAway), fault.Error{
			Kind: fault.Upstream, Code: "source_unavailable", Message: "Źródło danych jest chwilowo niedostępne. Spróbuj ponownie później.",
		}, false},
		{lookup.Slow(errAway), fault.Error{
			Kind: fault.Timeout, Code: "source_timeout", Message: "Źródło danych nie odpowiedziało na czas. Spróbuj ponownie później.",
		}, true},
		{lookup.Abandoned(errAway), fault.Error{Kind: fault.Unavailable, Code: "lookup_abandoned", Message: "Nikt już nie czekał na tę odpowiedź."}, false},
		{lookup.Paused(time.Minute), fault.Error{
			Kind: fault.Unavailable, Code: "source_paused", Message: "Sprawdzanie cen jest chwilowo wstrzymane. Spróbuj ponownie później.", RetryAfter: time.Minute,
		}, false},
	} {
		got := *fault.From(tt.err)
		if got.Code != "source_paused" && !errors.Is(tt.err, errAway) {
			t.Errorf("%s has lost its cause", got.Code)
		}
		got.Err = nil
		if got != tt.want || lookup.IsFailing(tt.err) != tt.failing {
			t.Errorf("%+v, counts against the source: %t; want %+v, %t", got, lookup.IsFailing(tt.err), tt.want, tt.failing)
		}
	}
}
