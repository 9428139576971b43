package main_test

import (
	"testing"

	"backend.example/services/internal/kit/archtest"
)

const (
	catalog      = "internal/catalog"
	match        = "internal/match"
	lookup       = "internal/lookup"
	rankings     = "internal/rankings"
	prices       = "internal/prices"
	httpapi      = "internal/httpapi"
	fetch        = "internal/fetch"
	ceneo        = "internal/ceneo"
	userbench    = "internal/userbenchmark"
	cache        = "internal/cache"
	throttle     = "internal/throttle"
	metrics      = "internal/metrics"
	web          = "internal/web"
	commands     = "internal/cli"
	hardwaretest = "internal/hardwaretest" // for tests alone: no package may import it
	redistest    = "internal/redistest"    // the same
	kit          = "backend.example/services/internal/kit/"
)

// TestImportRules: the root puts the parts together, the parts know the domain and
// never each other, and each foreign library has one home.
func TestImportRules(t *testing.T) {
	archtest.Check(t, archtest.Rules{
		Local: map[string][]string{
			".":     {catalog, lookup, rankings, prices, httpapi, fetch, ceneo, userbench, cache, throttle, metrics, web, commands},
			catalog: nil, match: {catalog}, lookup: nil,
			rankings: {catalog, lookup}, prices: {catalog, match, lookup},
			httpapi: {catalog, lookup, rankings, prices}, web: {catalog, lookup, rankings, prices},
			fetch: {lookup}, ceneo: {catalog, match, lookup, prices, fetch},
			userbench: {catalog, lookup, rankings, fetch}, cache: {catalog, lookup, rankings},
			throttle: {lookup}, metrics: {lookup},
			commands:     {catalog, lookup, rankings, prices, httpapi},
			hardwaretest: {lookup}, redistest: nil,
		},
		Confined: map[string][]string{
			"github.com/labstack/echo":            {"app.go", "http.go", httpapi, web},
			"github.com/gocolly/colly":            {fetch},
			"github.com/PuerkitoBio/goquery":      {ceneo},
			"github.com/temoto/robotstxt":         {fetch},
			"golang.org/x/net":                    nil,
			"github.com/redis/go-redis":           {"app.go", "instrumentation.go", cache, throttle, redistest},
			"github.com/maypok86/otter":           {lookup},
			"github.com/prometheus/client_golang": {".", metrics},
			"github.com/spf13":                    {commands},
			"encoding/json":                       {httpapi, ceneo, cache, prices, throttle},
			"compress":                            {httpapi, web},
			"net/http":                            {".", httpapi, fetch, ceneo, userbench, web},
			"html":                                {ceneo},
			"database/sql":                        nil,
			"testing":                             {hardwaretest, redistest},
			kit + "httpx":                         {".", httpapi},
			kit + "site":                          {web},
			kit + "settings":                      {"."},
			kit + "outbound":                      {"."},
			kit + "telemetry":                     {"."},
			kit + "build":                         {".", commands},
			kit + "cli":                           {".", commands},
			kit + "memory":                        {"."},
			kit + "retry":                         {fetch},
			"go.opentelemetry.io":                 {"."},
		},
	})
}
