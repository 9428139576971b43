package main_test

import (
	"testing"

	"backend.example/services/internal/kit/archtest"
)

const kit = "backend.example/services/internal/kit/"

// TestImportRules holds each package to the layers below it, and each library to the
// files and packages that may use it.
func TestImportRules(t *testing.T) {
	archtest.Check(t, archtest.Rules{
		Layers: [][]string{
			{"catalog", "metrics", "files"},
			{"match", "fits", "fetch", "builds"},
			{"lookup"},
			{"cache", "userbenchmark", "prices"},
			{"rankings", "ceneo", "purchase"},
			{"httpapi"},
			{"web", "cli"},
			{"app"},
			{"."},
		},
		ForTests: []string{"redistest", "apptest"},
		Confined: map[string][]string{
			"github.com/labstack/echo":            {"app", "httpapi", "web"},
			"github.com/gocolly/colly":            {"fetch"},
			"github.com/temoto/robotstxt":         {"fetch"},
			"github.com/PuerkitoBio/goquery":      {"ceneo"},
			"golang.org/x/net":                    {"ceneo", "fetch"},
			"github.com/redis/go-redis":           {"app", "lookup", "cache", "builds", "rankings", "redistest"},
			"github.com/maypok86/otter":           {"lookup"},
			"github.com/prometheus/client_golang": {"app", "metrics"},
			"go.opentelemetry.io":                 nil,
			"github.com/spf13":                    {"cli"},
			"database/sql":                        nil,
			kit + "site":                          {"web"},
			kit + "settings":                      {"app", "web"},
			kit + "telemetry":                     {"app"},
			kit + "cli":                           {".", "app", "cli"},
			kit + "testkit":                       {"apptest"},
		},
	})
}
