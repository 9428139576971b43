package main_test

import (
	"testing"

	"backend.example/services/internal/kit/archtest"
)

const (
	audit     = "internal/audit"
	cli       = "internal/cli"
	connects  = "internal/connection"
	erasure   = "internal/erasure"
	httpapi   = "internal/httpapi"
	google    = "internal/google"
	meta      = "internal/meta"
	history   = "internal/history"
	provider  = "internal/provider"
	search    = "internal/searchstats"
	social    = "internal/social"
	location  = "internal/location"
	company   = "internal/company"
	trail     = "internal/trail"
	store     = "internal/store"
	web       = "internal/web"
	account   = "internal/account"
	routes    = "internal/routes"
	scans     = "internal/scan"
	webhook   = "internal/webhook"
	storetest = "internal/store/storetest" // for tests alone, as the next two: no other package may import it

	database     = "internal/database"
	limits       = "internal/limit"
	databasetest = "internal/database/databasetest"

	directorytest = "internal/directorytest"
	providertest  = "internal/provider/providertest"
	kit           = "backend.example/services/internal/kit/"
)

// TestImportRules holds each package to the packages that it may import, and each foreign
// library to the packages that may use it.
func TestImportRules(t *testing.T) {
	archtest.Check(t, archtest.Rules{
		Local: map[string][]string{
			".":           {audit, cli, company, database, connects, erasure, google, httpapi, limits, location, meta, provider, account, routes, scans, search, social, store, trail, web, webhook},
			audit:         {account, company, database, connects, google, httpapi, limits, location, provider, store, webhook},
			cli:           {account, audit, company, connects, database, erasure, httpapi, provider, scans, store, trail, webhook},
			company:       {database, trail},
			database:      nil,
			databasetest:  {database},
			directorytest: {account, audit, company, connects, database, databasetest, erasure, google, limits, location, meta, provider, scans, search, social, store, storetest, trail, webhook},
			connects:      {account, company, limits, provider, trail},
			erasure:       {account, company, connects, database, httpapi, limits, provider, store, trail},
			google:        {provider},
			history:       {database, provider},
			httpapi:       {account, company, connects, provider},
			limits:        {database},
			meta:          {provider},
			provider:      nil,
			providertest:  {provider},
			account:       {company, database, limits, provider, trail},
			location:      {account, connects, google, httpapi, provider, trail},
			routes:        {account, audit, connects, erasure, httpapi, location, search, social},
			search:        {account, company, connects, google, history, httpapi, provider, store},
			scans:         {database, connects, provider},
			social:        {account, connects, database, history, httpapi, meta, provider, store},
			store:         {account, company, database, connects, provider, trail, webhook},
			storetest:     {account, company, connects, database, databasetest, history, provider, store, trail},
			trail:         {database, provider},
			web:           {audit, company, connects, erasure, google, history, httpapi, limits, location, meta, account, provider, search, social, webhook},
			webhook:       {database, limits, trail},
		},
		Confined: map[string][]string{
			"github.com/labstack/echo":             {"http.go", audit, erasure, httpapi, location, account, routes, search, social, web},
			"gorm.io":                              {"store.go", company, database, databasetest, history, social, store, trail},
			"modernc.org":                          {database},
			"github.com/gofrs":                     {database, erasure},
			"github.com/pressly/goose":             {database},
			"github.com/jackc/pgx":                 {database, databasetest},
			"database/sql":                         {"store.go", database, databasetest, store},
			"github.com/gorilla":                   {account},
			"golang.org/x/oauth2":                  {google, meta, provider},
			"golang.org/x/crypto":                  {account},
			"golang.org/x/term":                    {cli},
			"github.com/spf13":                     {cli},
			"github.com/prometheus/client_golang":  {"."},
			"net/http":                             {".", audit, erasure, google, httpapi, location, meta, provider, providertest, account, routes, social, web, webhook, directorytest},
			"testing":                              {databasetest, storetest, directorytest, providertest},
			"backend.example/proto-free-contracts": {web},
			kit + "httpx":                          {".", erasure, httpapi, web, account},
			kit + "site":                           {web},
			kit + "settings":                       {"."},
			kit + "outbound":                       {".", webhook},
			kit + "telemetry":                      {"."},
			kit + "build":                          {".", cli},
			kit + "cli":                            {".", cli},
			kit + "memory":                         {"."},
			kit + "retry":                          {google, provider},
			"go.opentelemetry.io":                  {"."},
			kit + "archtest":                       nil,
			"backend.example/deploy/sandbox":       nil, // for tests alone
		},
	})
}
