package main_test

import (
	"testing"

	"backend.example/services/internal/kit/archtest"
)

const kit = "backend.example/services/internal/kit/"

// features may use the libraries of handlers and queries.
var features = []string{
	"account", "audit", "company", "connection", "erasure", "incident", "jobs", "location", "notify", "scan", "social",
	"statistics", "webhook",
}

// TestImportRules holds each package to the layers below it, and each library to the
// files and packages that may use it.
func TestImportRules(t *testing.T) {
	archtest.Check(t, archtest.Rules{
		Layers: [][]string{
			{"database", "provider", "httpapi", "mail"},
			{"metrics"},
			{"limit", "trail", "incident", "budget", "jobs"},
			{"google", "meta"},
			{"company", "webhook"},
			{"account"},
			{"connection"},
			{"statistics"},
			{"social", "location"},
			{"audit"},
			{"scan", "notify"},
			{"erasure"},
			{"web", "cli"},
			{"app"},
			{"."},
		},
		ForTests: []string{"database/databasetest", "apptest"},
		Confined: map[string][]string{
			"github.com/labstack/echo": append(features, "app", "apptest", "httpapi", "web"),
			"gorm.io": append(features, "app", "database", "database/databasetest",
				"history", "limit", "trail"),
			"modernc.org":                          {"database"},
			"github.com/gofrs":                     {"database", "erasure"},
			"github.com/pressly/goose":             {"database"},
			"github.com/jackc/pgx":                 {"database", "database/databasetest"},
			"database/sql":                         append(features, "database", "database/databasetest"),
			"github.com/riverqueue":                append(features, "app", "cli", "database"),
			"riverqueue.com":                       {"jobs"},
			"github.com/gorilla":                   {"account"},
			"golang.org/x/oauth2":                  {"google", "meta", "provider"},
			"golang.org/x/crypto":                  {"account"},
			"golang.org/x/text":                    {"account"},
			"github.com/wneessen/go-mail":          {"mail"},
			"github.com/emersion":                  nil, // for tests alone
			"golang.org/x/term":                    {"cli"},
			"github.com/spf13":                     {"cli"},
			"github.com/prometheus/client_golang":  {"app", "metrics"},
			"go.opentelemetry.io":                  {"app"},
			"backend.example/proto-free-contracts": {"web", "apptest"},
			"backend.example/deploy/sandbox":       {"apptest"},
			kit + "site":                           {"notify", "web"},
			kit + "settings":                       {"app", "erasure", "web"},
			kit + "telemetry":                      {"app", "jobs"},
			kit + "cli":                            {".", "app", "cli"},
			kit + "archtest":                       nil,
			kit + "testkit":                        {"apptest"},
		},
	})
}
