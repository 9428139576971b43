package main_test

import (
	"testing"

	"backend.example/services/internal/kit/archtest"
)

const (
	catalog   = "internal/catalog"
	match     = "internal/match"
	upstream  = "internal/upstream"
	domain    = "internal/hardware"
	httpapi   = "internal/httpapi"
	source    = "internal/source"
	cache     = "internal/cache"
	throttle  = "internal/throttle"
	metrics   = "internal/metrics"
	pages     = "internal/pages"
	redistest = "internal/redistest" // for tests alone: no package may import it
	kit       = "backend.example/services/internal/kit/"
)

// TestImportRules: the root puts the parts together, the parts know the domain
// and never each other, and each foreign library has one home.
func TestImportRules(t *testing.T) {
	archtest.Check(t, archtest.Rules{
		Local: map[string][]string{
			".":     {catalog, domain, httpapi, source, cache, throttle, metrics, pages},
			catalog: nil, upstream: nil, match: {catalog}, domain: {catalog, upstream},
			httpapi: {catalog, domain}, pages: {catalog, domain}, source: {catalog, match, upstream, domain},
			cache: {catalog, domain}, throttle: {upstream, domain}, metrics: {upstream, domain},
			redistest: nil,
		},
		Confined: map[string][]string{
			"github.com/labstack/echo":            {".", httpapi, pages},
			"github.com/gocolly/colly":            {source},
			"github.com/PuerkitoBio/goquery":      {source},
			"github.com/temoto/robotstxt":         {source},
			"golang.org/x/net":                    {source},
			"github.com/redis/go-redis":           {".", cache, throttle, redistest},
			"github.com/maypok86/otter":           {cache},
			"github.com/prometheus/client_golang": {".", metrics},
			"github.com/spf13":                    {"."},
			"golang.org/x/sync":                   {domain},
			"net/http":                            {".", httpapi, source, pages},
			"html":                                {source},
			"database/sql":                        nil,
			"testing":                             {redistest},
			kit + "httpx":                         {"."},
			kit + "site":                          {pages},
			kit + "settings":                      {"."},
			kit + "outbound":                      {"."},
			kit + "telemetry":                     {"."},
			kit + "build":                         {"."},
			kit + "retry":                         {source},
			"go.opentelemetry.io":                 {"."},
		},
		Pure: map[string][]string{domain: {kit + "fault", "golang.org/x/sync/singleflight", "encoding/json", "compress/flate"}},
	})
}
