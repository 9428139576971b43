package main_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"backend.example/services/internal/kit/archtest"
)

const (
	domain    = "internal/hardware"
	httpapi   = "internal/httpapi"
	source    = "internal/source"
	cache     = "internal/cache"
	throttle  = "internal/throttle"
	metrics   = "internal/metrics"
	web       = "internal/web"
	redistest = "internal/redistest" // for tests alone: no package may import it
	kit       = "backend.example/services/internal/kit/"
)

// TestImportRules: the root puts the parts together, the parts know the domain
// and never each other, and each foreign library has one home.
func TestImportRules(t *testing.T) {
	archtest.Check(t, archtest.Rules{
		Local: map[string][]string{
			".":     {domain, httpapi, source, cache, throttle, metrics, web},
			domain:  nil,
			httpapi: {domain}, source: {domain}, cache: {domain}, throttle: {domain}, metrics: {domain}, web: {domain},
			redistest: nil,
		},
		Confined: map[string][]string{
			"github.com/labstack/echo":            {".", httpapi, web},
			"github.com/gocolly/colly":            {source},
			"github.com/PuerkitoBio/goquery":      {source},
			"github.com/temoto/robotstxt":         {source},
			"golang.org/x/net":                    {source},
			"github.com/redis/go-redis":           {".", cache, throttle, redistest},
			"github.com/maypok86/otter":           {cache},
			"github.com/prometheus/client_golang": {".", metrics},
			"github.com/spf13":                    {"."},
			"golang.org/x/sync":                   {domain},
			"net/http":                            {".", httpapi, source, web},
			"html":                                {source},
			"database/sql":                        nil,
			"testing":                             {redistest},
			kit + "web":                           {"."},
			kit + "site":                          {web},
			kit + "settings":                      {"."},
			kit + "outbound":                      {"."},
			kit + "telemetry":                     {"."},
			kit + "build":                         {"."},
			"go.opentelemetry.io":                 {"."},
		},
	})
}

// TestDomainKnowsNothingForeign: not of HTTP, HTML, CSV, SQL or Redis.
func TestDomainKnowsNothingForeign(t *testing.T) {
	foreign := []string{kit + "fault", "golang.org/x/sync/singleflight"}
	forbidden := []string{"net", "html", "database", "encoding/csv", "os", "embed"}
	imports := importsOf(t, "./"+domain)
	for _, path := range imports {
		first, _, _ := strings.Cut(path, "/")
		if strings.Contains(first, ".") && !slices.Contains(foreign, path) {
			t.Errorf("the domain must not import %s", path)
		}
		if slices.Contains(forbidden, first) || slices.Contains(forbidden, path) {
			t.Errorf("the domain must not import %s", path)
		}
	}
	if !slices.Contains(imports, kit+"fault") {
		t.Errorf("not the imports of the domain: %v", imports)
	}
}

func importsOf(t *testing.T, directory string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, directory)
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
