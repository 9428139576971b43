package search

import (
	"time"

	"backend.example/deploy/sandbox/search/tokens"
	"backend.example/deploy/sandbox/upstream"
)

// The toggles of the site.
const (
	toggleUnauthorized    = "unauthorized"
	toggleEmpty           = "empty_lists"
	toggleSuspended       = "suspended_locations"
	toggleQuotaZero       = "quota_zero"
	toggleQuotaExceeded   = "quota_exceeded"
	toggleServiceDisabled = "service_disabled"
	toggleMissingScopes   = "missing_scopes"
	toggleRotate          = "rotate_refresh_tokens"
	toggleWithhold        = "withhold_refresh_tokens"
	toggleAccessSeconds   = "access_token_seconds"
)

func newToggles() *upstream.Toggles {
	return upstream.NewToggles(
		upstream.Toggle{Name: toggleUnauthorized, Off: false, Text: "każde API: 401, także ze świeżym tokenem"},
		upstream.Toggle{Name: toggleEmpty, Off: false, Text: "konta, lokalizacje i witryny: puste listy"},
		upstream.Toggle{Name: toggleSuspended, Off: false, Text: "lokalizacje: zawieszone, właściciel nie ma głosu"},
		upstream.Toggle{Name: toggleQuotaZero, Off: false, Text: "API profili firm: 429 z limitem 0 (dostęp nigdy nie został przyznany)"},
		upstream.Toggle{Name: toggleQuotaExceeded, Off: false, Text: "API profili firm: 429 z limitem 300 i Retry-After 30"},
		upstream.Toggle{Name: toggleServiceDisabled, Off: false, Text: "API profili firm: 403 SERVICE_DISABLED"},
		upstream.Toggle{Name: toggleMissingScopes, Off: []string{}, Text: "zakresy, które tokeny tracą: 403 ACCESS_TOKEN_SCOPE_INSUFFICIENT"},
		upstream.Toggle{Name: toggleRotate, Off: false, Text: "każde odświeżenie wymienia refresh token; użyty drugi raz odbiera cały dostęp do konta"},
		upstream.Toggle{Name: toggleWithhold, Off: false, Text: "wymiana kodu nie daje refresh tokena"},
		upstream.Toggle{Name: toggleAccessSeconds, Off: 0, Text: "ile sekund żyją nowe access tokeny (0: 3599)"},
	)
}

// rules are what the toggles say to the token store.
func (s *site) rules() tokens.Rules {
	return tokens.Rules{
		Rotate:     s.toggles.On(toggleRotate),
		Withhold:   s.toggles.On(toggleWithhold),
		AccessLife: time.Duration(s.toggles.Number(toggleAccessSeconds)) * time.Second,
	}
}
