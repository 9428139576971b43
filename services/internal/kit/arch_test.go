// Package kit_test tests the import rules of the packages that both services use.
package kit_test

import (
	"testing"

	"backend.example/services/internal/kit/archtest"
)

func TestImportRules(t *testing.T) {
	archtest.Check(t, archtest.Rules{
		Layers: [][]string{
			{"fault", "build", "settings", "outbound", "archtest", "network", "memory", "fold", "pace"},
			{"site"}, {"httpx", "cli", "telemetry"}, {"."},
		},
		ForTests: []string{"settings/settingstest", "cli/clitest", "pace/pacetest", "testkit"},
		Confined: map[string][]string{
			"github.com/labstack/echo/v4":         {"httpx", "telemetry"},
			"github.com/prometheus/client_golang": {"httpx", "testkit"},
			"github.com/caarlos0/env/v11":         {"settings"},
			"go.opentelemetry.io":                 {"telemetry"},
			"github.com/spf13":                    {"cli", "cli/clitest"},
			"golang.org/x/term":                   {"cli"},
			"html/template":                       {"site"},
		},
	})
}
