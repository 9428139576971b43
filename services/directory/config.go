package main

import (
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/session"
	"backend.example/services/internal/kit/settings"
)

// config holds the settings of the service; README.md describes each.
type config struct {
	Addr           string          `env:"DIRECTORY_ADDR" envDefault:"127.0.0.1:8081"`
	AdminAddr      string          `env:"DIRECTORY_ADMIN_ADDR" envDefault:"127.0.0.1:9081"`
	DatabaseURL    settings.Secret `env:"DIRECTORY_DATABASE_URL" envDefault:"sqlite:var/directory.db"`
	PublicURL      *url.URL        `env:"DIRECTORY_PUBLIC_URL" envDefault:"http://localhost:8080"`
	SessionKeys    settings.Secret `env:"DIRECTORY_SESSION_KEYS"`
	EncryptionKeys settings.Secret `env:"DIRECTORY_ENCRYPTION_KEYS"`
	ErasureLog     string          `env:"DIRECTORY_ERASURE_LOG"`
	CompanyAccess  string          `env:"DIRECTORY_COMPANY_ACCESS" envDefault:"contract"`
	Notice         string          `env:"DIRECTORY_NOTICE"`
	ScanInterval   time.Duration   `env:"DIRECTORY_SCAN_INTERVAL" envDefault:"24h"`
	ScanWorkers    int             `env:"DIRECTORY_SCAN_WORKERS" envDefault:"4"`
	DiscoverLimit  int             `env:"DIRECTORY_DISCOVER_LIMIT" envDefault:"10"`
	SyncLimit      int             `env:"DIRECTORY_SYNC_LIMIT" envDefault:"12"`
	KeepReadings   time.Duration   `env:"DIRECTORY_KEEP_READINGS" envDefault:"17520h"`
	KeepAudits     time.Duration   `env:"DIRECTORY_KEEP_AUDITS" envDefault:"17520h"`
	KeepTrail      time.Duration   `env:"DIRECTORY_KEEP_TRAIL" envDefault:"17520h"`
	WebhookPrivate bool            `env:"DIRECTORY_WEBHOOK_ALLOW_PRIVATE" envDefault:"false"`
	TrustedProxies []netip.Prefix  `env:"DIRECTORY_TRUSTED_PROXIES" envDefault:"127.0.0.0/8,::1/128"`
	DrainDelay     time.Duration   `env:"DIRECTORY_DRAIN_DELAY" envDefault:"0s"`
	DrainTimeout   time.Duration   `env:"DIRECTORY_DRAIN_TIMEOUT" envDefault:"60s"`
	LogLevel       slog.Level      `env:"DIRECTORY_LOG_LEVEL" envDefault:"INFO"`

	SearchClientID     string          `env:"PROVIDER_SEARCH_CLIENT_ID"`
	SearchClientSecret settings.Secret `env:"PROVIDER_SEARCH_CLIENT_SECRET"`
	SearchBaseURL      *url.URL        `env:"PROVIDER_SEARCH_BASE_URL"`
	SocialClientID     string          `env:"PROVIDER_SOCIAL_CLIENT_ID"`
	SocialClientSecret settings.Secret `env:"PROVIDER_SOCIAL_CLIENT_SECRET"`
	SocialBaseURL      *url.URL        `env:"PROVIDER_SOCIAL_BASE_URL"`
	SocialAPIVersion   string          `env:"PROVIDER_SOCIAL_API_VERSION" envDefault:"v25.0"`
	SocialPKCE         bool            `env:"PROVIDER_SOCIAL_PKCE" envDefault:"false"`
	SocialPagesScopes  []string        `env:"PROVIDER_SOCIAL_PAGES_SCOPES" envDefault:"pages_show_list,pages_read_engagement,read_insights,instagram_basic,instagram_manage_insights,business_management"`
	SocialPhotosScopes []string        `env:"PROVIDER_SOCIAL_PHOTOS_SCOPES" envDefault:"pages_show_list,pages_read_engagement,instagram_basic,instagram_manage_insights,business_management"`
	SocialConfigID     string          `env:"PROVIDER_SOCIAL_CONFIG_ID"`
	SocialMetrics      []string        `env:"PROVIDER_SOCIAL_METRICS" envDefault:"page_media_view,page_total_media_view_unique,page_post_engagements,page_views_total,page_daily_follows_unique,page_daily_unfollows_unique"`
	ProviderTimeout    time.Duration   `env:"PROVIDER_TIMEOUT" envDefault:"15s"`
	PlacesAPIKey       settings.Secret `env:"PLACES_API_KEY"`
	PlacesBaseURL      *url.URL        `env:"PLACES_BASE_URL"`
}

// Ways to treat requests for another company's pages.
const (
	accessContract = "contract" // as the API document has it: any logged-in user
	accessStrict   = "strict"   // who may edit the company
)

// loadConfig reads the settings from environ; its error names every problem.
func loadConfig(environ []string) (config, error) {
	var c config
	err := settings.Load(&c, environ, "DIRECTORY_", "PROVIDER_", "PLACES_")
	return c, err
}

// sqlitePath is the file of the embedded database; ok is false with a server.
func (c *config) sqlitePath() (path string, ok bool) {
	path, ok = strings.CutPrefix(c.DatabaseURL.Reveal(), "sqlite:")
	return strings.TrimPrefix(path, "//"), ok
}

var (
	apiVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+$`)
	graphName  = regexp.MustCompile(`^[a-z0-9_]+$`) // of a scope, or a metric
)

// Check implements settings.Checker.
func (c *config) Check() (problems []error) {
	require := func(good bool, format string, args ...any) {
		if !good {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	require(settings.IsAddress(c.Addr), "DIRECTORY_ADDR: %q is not host:port", c.Addr)
	require(settings.IsAddress(c.AdminAddr), "DIRECTORY_ADMIN_ADDR: %q is not host:port", c.AdminAddr)
	c.checkDatabase(require)
	require(settings.IsWebURL(c.PublicURL) && c.PublicURL.RawQuery == "" && c.PublicURL.Fragment == "",
		"DIRECTORY_PUBLIC_URL: must be an http(s) address without a query")
	require(c.CompanyAccess == accessContract || c.CompanyAccess == accessStrict,
		"DIRECTORY_COMPANY_ACCESS: %q is neither contract nor strict", c.CompanyAccess)
	require(c.ScanInterval == 0 || c.ScanInterval >= time.Minute, "DIRECTORY_SCAN_INTERVAL: must be 0 (off) or at least 1m")
	require(c.ScanWorkers > 0 && c.ScanWorkers <= 100, "DIRECTORY_SCAN_WORKERS: must be from 1 to 100")
	require(c.DiscoverLimit > 0, "DIRECTORY_DISCOVER_LIMIT: must be above zero")
	require(c.SyncLimit > 0, "DIRECTORY_SYNC_LIMIT: must be above zero")
	require(c.KeepReadings >= 0, "DIRECTORY_KEEP_READINGS: must not be negative")
	require(c.KeepAudits >= 0, "DIRECTORY_KEEP_AUDITS: must not be negative")
	require(c.KeepTrail == 0 || c.KeepTrail >= directory.MinTrailRetention, "DIRECTORY_KEEP_TRAIL: must be 0 (for ever) or at least %s", directory.MinTrailRetention)
	require(c.DrainDelay >= 0, "DIRECTORY_DRAIN_DELAY: must not be negative")
	require(c.DrainTimeout > 0, "DIRECTORY_DRAIN_TIMEOUT: must be above zero")
	c.checkProviders(require)
	return problems
}

func (c *config) checkDatabase(require func(bool, string, ...any)) {
	address := c.DatabaseURL.Reveal()
	path, embedded := c.sqlitePath()
	server := strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
	require(embedded || server, "DIRECTORY_DATABASE_URL: must begin with sqlite: or postgres://")
	require(!embedded || path != "" && !strings.HasPrefix(path, ":"), "DIRECTORY_DATABASE_URL: sqlite: needs the path of a file")
	const generate = "must be set with PostgreSQL (make one with directory keys generate)"
	require(!server || c.SessionKeys != "", "DIRECTORY_SESSION_KEYS: "+generate)
	require(!server || c.EncryptionKeys != "", "DIRECTORY_ENCRYPTION_KEYS: "+generate)
	if c.SessionKeys != "" {
		_, err := session.ParseKeys(c.SessionKeys.Reveal())
		require(err == nil, "DIRECTORY_SESSION_KEYS: %w", err)
	}
	if c.EncryptionKeys != "" {
		_, err := database.ParseKeys(c.EncryptionKeys.Reveal())
		require(err == nil, "DIRECTORY_ENCRYPTION_KEYS: %w", err)
	}
}

func (c *config) checkProviders(require func(bool, string, ...any)) {
	require((c.SearchClientID == "") == (c.SearchClientSecret == ""), "PROVIDER_SEARCH_CLIENT_ID: id and secret go together")
	require((c.SocialClientID == "") == (c.SocialClientSecret == ""), "PROVIDER_SOCIAL_CLIENT_ID: id and secret go together")
	const address = "%s: must be an http(s) address"
	require(c.SearchBaseURL == nil || settings.IsWebURL(c.SearchBaseURL), address, "PROVIDER_SEARCH_BASE_URL")
	require(c.SocialBaseURL == nil || settings.IsWebURL(c.SocialBaseURL), address, "PROVIDER_SOCIAL_BASE_URL")
	require(c.PlacesBaseURL == nil || settings.IsWebURL(c.PlacesBaseURL), address, "PLACES_BASE_URL")
	require(apiVersion.MatchString(c.SocialAPIVersion), "PROVIDER_SOCIAL_API_VERSION: %q is not like v25.0", c.SocialAPIVersion)
	for name, list := range map[string][]string{
		"PROVIDER_SOCIAL_PAGES_SCOPES": c.SocialPagesScopes, "PROVIDER_SOCIAL_PHOTOS_SCOPES": c.SocialPhotosScopes,
		"PROVIDER_SOCIAL_METRICS": c.SocialMetrics,
	} {
		misspelt := slices.IndexFunc(list, func(text string) bool { return !graphName.MatchString(text) })
		require(misspelt < 0, "%s: names are lower-case letters, digits and _, with commas between them", name)
	}
	require(c.ProviderTimeout > 0 && c.ProviderTimeout <= time.Minute, "PROVIDER_TIMEOUT: must be above zero and at most 1m")
}
