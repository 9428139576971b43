package social

import (
	"time"

	"backend.example/deploy/sandbox/internal/knobs"
	"backend.example/deploy/sandbox/social/ledger"
)

// The knobs of the site.
const (
	knobDeny          = "deny_consent"
	knobMissing       = "missing_permissions"
	knobFragment      = "append_fragment"
	knobUserSeconds   = "user_token_seconds"
	knobNoExpiry      = "omit_expires_in"
	knobDeadVersions  = "dead_versions"
	knobDeadMetrics   = "dead_metrics"
	knobEmptyInsights = "empty_insights"
	knobEmptyLists    = "empty_lists"
	knobUsage         = "usage_percent"
	knobRegain        = "regain_minutes"
)

func newPanel() *knobs.Panel {
	return knobs.NewPanel(
		knobs.Definition{Name: knobDeny, Kind: knobs.Switch, Text: "okno logowania: każda decyzja jest odmową"},
		knobs.Definition{Name: knobMissing, Kind: knobs.List, Text: "uprawnienia, które liczą się jako odmówione, także w wydanych już tokenach"},
		knobs.Definition{Name: knobFragment, Kind: knobs.Switch, Text: "powrót do aplikacji kończy się znakami #_=_"},
		knobs.Definition{Name: knobUserSeconds, Kind: knobs.Number, Text: "ile sekund żyją nowe tokeny osób (0: 90 minut, długotrwałe prawie 60 dni)"},
		knobs.Definition{Name: knobNoExpiry, Kind: knobs.Switch, Text: "odpowiedź z tokenem nie podaje expires_in"},
		knobs.Definition{Name: knobDeadVersions, Kind: knobs.List, Text: "wersje API, których już nie ma, np. v25.0"},
		knobs.Definition{Name: knobDeadMetrics, Kind: knobs.List, Text: "metryki, których API już nie zna: błąd 100 dla całego pytania"},
		knobs.Definition{Name: knobEmptyInsights, Kind: knobs.Switch, Text: "statystyki: 200 i pusta lista"},
		knobs.Definition{Name: knobEmptyLists, Kind: knobs.Switch, Text: "listy stron, portfolio i publikacji: 200 i pusta lista"},
		knobs.Definition{Name: knobUsage, Kind: knobs.Number, Text: "zużycie limitów w nagłówkach, w procentach (0: 28)"},
		knobs.Definition{Name: knobRegain, Kind: knobs.Number, Text: "po ilu minutach wraca dostęp, w nagłówku limitów"},
	)
}

// rules are what the knobs say to the ledger.
func (s *site) rules() ledger.Rules {
	return ledger.Rules{
		UserLife: time.Duration(s.panel.Number(knobUserSeconds)) * time.Second,
		Missing:  s.panel.List(knobMissing),
	}
}
