package places

import "backend.example/deploy/sandbox/internal/knobs"

// The knobs of the site.
const (
	knobEmpty           = "empty_lists"
	knobRenewedIDs      = "renewed_ids"
	knobQuotaExceeded   = "quota_exceeded"
	knobServiceDisabled = "service_disabled"
	knobKeyBlocked      = "key_blocked"
)

// usualQuota is the limit per minute of a project, and quotaWait how many seconds
// one over it is told to wait.
const (
	usualQuota = 600
	quotaWait  = 30
)

func newPanel() *knobs.Panel {
	return knobs.NewPanel(
		knobs.Definition{Name: knobEmpty, Kind: knobs.Switch, Text: "wyszukiwanie niczego nie znajduje: {}"},
		knobs.Definition{Name: knobRenewedIDs, Kind: knobs.Switch, Text: "miejsca mają nowe identyfikatory, a dawne odpowiadają 404"},
		knobs.Definition{Name: knobQuotaExceeded, Kind: knobs.Switch, Text: "429 z limitem 600 i Retry-After 30"},
		knobs.Definition{Name: knobServiceDisabled, Kind: knobs.Switch, Text: "403 SERVICE_DISABLED"},
		knobs.Definition{Name: knobKeyBlocked, Kind: knobs.Switch, Text: "403 API_KEY_SERVICE_BLOCKED"},
	)
}
