package search

import (
	"time"

	"backend.example/deploy/sandbox/internal/knobs"
	"backend.example/deploy/sandbox/search/ledger"
)

// The knobs of the site.
const (
	knobDeny            = "deny_consent"
	knobUnauthorized    = "unauthorized"
	knobEmpty           = "empty_lists"
	knobQuotaZero       = "quota_zero"
	knobQuotaExceeded   = "quota_exceeded"
	knobServiceDisabled = "service_disabled"
	knobMissingScopes   = "missing_scopes"
	knobDeadMetrics     = "dead_metrics"
	knobRotate          = "rotate_refresh_tokens"
	knobWithhold        = "withhold_refresh_tokens"
	knobAccessSeconds   = "access_token_seconds"
	knobRefreshSeconds  = "refresh_token_seconds"
)

func newPanel() *knobs.Panel {
	return knobs.NewPanel(
		knobs.Definition{Name: knobDeny, Kind: knobs.Switch, Text: "strona zgody odsyła od razu z access_denied"},
		knobs.Definition{Name: knobUnauthorized, Kind: knobs.Switch, Text: "każde API: 401, także ze świeżym tokenem"},
		knobs.Definition{Name: knobEmpty, Kind: knobs.Switch, Text: "konta, lokalizacje, witryny i wyniki: puste listy"},
		knobs.Definition{Name: knobQuotaZero, Kind: knobs.Switch, Text: "API profili firm: 429 z limitem 0 (dostęp nigdy nie został przyznany)"},
		knobs.Definition{Name: knobQuotaExceeded, Kind: knobs.Switch, Text: "API profili firm: 429 z limitem 300 i Retry-After 30"},
		knobs.Definition{Name: knobServiceDisabled, Kind: knobs.Switch, Text: "API profili firm: 403 SERVICE_DISABLED"},
		knobs.Definition{Name: knobMissingScopes, Kind: knobs.List, Text: "zakresy, które tokeny tracą: 403 ACCESS_TOKEN_SCOPE_INSUFFICIENT"},
		knobs.Definition{Name: knobDeadMetrics, Kind: knobs.List, Text: "metryki wydajności, których API już nie zna: 400"},
		knobs.Definition{Name: knobRotate, Kind: knobs.Switch, Text: "każde odświeżenie wymienia refresh token; użyty drugi raz odbiera cały dostęp do konta"},
		knobs.Definition{Name: knobWithhold, Kind: knobs.Switch, Text: "wymiana kodu nie daje refresh tokena"},
		knobs.Definition{Name: knobAccessSeconds, Kind: knobs.Number, Text: "ile sekund żyją nowe access tokeny (0: 3599)"},
		knobs.Definition{Name: knobRefreshSeconds, Kind: knobs.Number, Text: "ile sekund żyją nowe refresh tokeny (0: bez końca); podawane jako refresh_token_expires_in"},
	)
}

// rules are what the knobs say to the ledger.
func (s *site) rules() ledger.Rules {
	return ledger.Rules{
		Rotate:      s.knobs.On(knobRotate),
		Withhold:    s.knobs.On(knobWithhold),
		AccessLife:  time.Duration(s.knobs.Number(knobAccessSeconds)) * time.Second,
		RefreshLife: time.Duration(s.knobs.Number(knobRefreshSeconds)) * time.Second,
	}
}
