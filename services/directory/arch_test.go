package main_test

import (
	"testing"

	"backend.example/services/internal/kit/archtest"
)

const (
	audit     = "internal/audit"
	cli       = "internal/cli"
	domain    = "internal/directory"
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

// TestImportRules: the root puts the parts together, the parts know the domain
// and never each other, and each foreign library has one home.
func TestImportRules(t *testing.T) {
	archtest.Check(t, archtest.Rules{
		Local: map[string][]string{
			".":           {audit, cli, company, database, domain, erasure, google, httpapi, limits, location, meta, provider, account, routes, scans, search, social, store, trail, web, webhook},
			audit:         {account, company, database, domain, google, httpapi, limits, location, provider, store, webhook},
			cli:           {account, audit, company, database, domain, erasure, httpapi, scans, store, webhook},
			company:       {database, trail},
			database:      nil,
			databasetest:  {database},
			directorytest: {account, audit, company, database, databasetest, domain, erasure, google, limits, location, meta, provider, scans, search, social, store, storetest, webhook},
			domain:        {account, company, limits, provider, trail},
			erasure:       {account, company, database, domain, httpapi, limits, provider, store},
			google:        {provider},
			history:       {database, provider},
			httpapi:       {domain, account},
			limits:        {database},
			meta:          {provider},
			provider:      nil,
			providertest:  {provider},
			account:       {company, database, limits, provider, trail},
			location:      {domain, google, httpapi, provider},
			routes:        {audit, domain, erasure, httpapi, location, search, social},
			search:        {domain, google, history, httpapi, provider, store},
			scans:         {database, domain, provider},
			social:        {database, domain, history, httpapi, meta, provider, store},
			store:         {account, company, database, domain, provider, trail, webhook},
			storetest:     {account, company, database, databasetest, domain, history, store},
			trail:         {database, provider},
			web:           {audit, company, domain, erasure, google, history, limits, location, meta, account, provider, search, social, webhook},
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
