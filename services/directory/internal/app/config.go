package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/mail"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/settings"
)

// Config holds the settings of the service; deploy/env/directory.env.example describes each.
type Config struct {
	Addr           string          `env:"DIRECTORY_ADDR" envDefault:"127.0.0.1:8081"`
	AdminAddr      string          `env:"DIRECTORY_ADMIN_ADDR" envDefault:"127.0.0.1:9081"`
	DatabaseURL    settings.Secret `env:"DIRECTORY_DATABASE_URL" envDefault:"sqlite:var/directory.db"`
	PublicURL      *url.URL        `env:"DIRECTORY_PUBLIC_URL" envDefault:"http://localhost:8080"`
	RedirectURL    *url.URL        `env:"DIRECTORY_REDIRECT_BASE_URL"`
	AllowedOrigins []string        `env:"DIRECTORY_ALLOWED_ORIGINS"`
	SessionKeys    settings.Secret `env:"DIRECTORY_SESSION_KEYS"`
	EncryptionKeys settings.Secret `env:"DIRECTORY_ENCRYPTION_KEYS"`
	ErasureLog     string          `env:"DIRECTORY_ERASURE_LOG"`
	CompanyAccess  string          `env:"DIRECTORY_COMPANY_ACCESS" envDefault:"contract"`
	Notice         string          `env:"DIRECTORY_NOTICE"`
	PrivacyURL     *url.URL        `env:"DIRECTORY_PRIVACY_URL"`
	TermsURL       *url.URL        `env:"DIRECTORY_TERMS_URL"`
	Contact        string          `env:"DIRECTORY_CONTACT"`
	ScanInterval   time.Duration   `env:"DIRECTORY_SCAN_INTERVAL" envDefault:"24h"`
	ScanWorkers    int             `env:"DIRECTORY_SCAN_WORKERS" envDefault:"4"`
	DiscoverLimit  int             `env:"DIRECTORY_DISCOVER_LIMIT" envDefault:"10"`
	SyncLimit      int             `env:"DIRECTORY_SYNC_LIMIT" envDefault:"12"`
	KeepReadings   time.Duration   `env:"DIRECTORY_KEEP_READINGS" envDefault:"17520h"`
	KeepAudits     time.Duration   `env:"DIRECTORY_KEEP_AUDITS" envDefault:"17520h"`
	KeepTrail      time.Duration   `env:"DIRECTORY_KEEP_TRAIL" envDefault:"17520h"`
	SMTPURL        settings.Secret `env:"DIRECTORY_SMTP_URL"`
	WebhookPrivate bool            `env:"DIRECTORY_WEBHOOK_ALLOW_PRIVATE" envDefault:"false"`
	TrustedProxies []netip.Prefix  `env:"DIRECTORY_TRUSTED_PROXIES" envDefault:"127.0.0.0/8,::1/128"`
	Rate           int             `env:"DIRECTORY_RATE" envDefault:"20"`
	DrainDelay     time.Duration   `env:"DIRECTORY_DRAIN_DELAY" envDefault:"0s"`
	DrainTimeout   time.Duration   `env:"DIRECTORY_DRAIN_TIMEOUT" envDefault:"60s"`
	LogLevel       slog.Level      `env:"DIRECTORY_LOG_LEVEL" envDefault:"INFO"`

	SearchClientID     string          `env:"PROVIDER_SEARCH_CLIENT_ID"`
	SearchClientSecret settings.Secret `env:"PROVIDER_SEARCH_CLIENT_SECRET"`
	SearchBaseURL      *url.URL        `env:"PROVIDER_SEARCH_BASE_URL"`
	SearchPerMinute    int             `env:"PROVIDER_SEARCH_PER_MINUTE" envDefault:"240"`
	SocialClientID     string          `env:"PROVIDER_SOCIAL_CLIENT_ID"`
	SocialClientSecret settings.Secret `env:"PROVIDER_SOCIAL_CLIENT_SECRET"`
	SocialBaseURL      *url.URL        `env:"PROVIDER_SOCIAL_BASE_URL"`
	SocialPerMinute    int             `env:"PROVIDER_SOCIAL_PER_MINUTE" envDefault:"600"`
	SocialAPIVersion   string          `env:"PROVIDER_SOCIAL_API_VERSION" envDefault:"v25.0"`
	SocialPKCE         bool            `env:"PROVIDER_SOCIAL_PKCE" envDefault:"false"`
	SocialPagesScopes  []string        `env:"PROVIDER_SOCIAL_PAGES_SCOPES"`
	SocialPhotosScopes []string        `env:"PROVIDER_SOCIAL_PHOTOS_SCOPES"`
	SocialConfigID     string          `env:"PROVIDER_SOCIAL_CONFIG_ID"`
	SocialMetrics      []string        `env:"PROVIDER_SOCIAL_METRICS"`
	ProviderTimeout    time.Duration   `env:"PROVIDER_TIMEOUT" envDefault:"15s"`
	PlacesAPIKey       settings.Secret `env:"PLACES_API_KEY"`
	PlacesBaseURL      *url.URL        `env:"PLACES_BASE_URL"`
}

// Ways to treat requests for another company's pages.
const (
	accessContract = "contract" // as the API document has it: any logged-in user
	accessStrict   = "strict"   // who may edit the company
)

// defaults are those that are too long for a tag.
func defaults() Config {
	return Config{
		SocialPagesScopes: []string{
			"pages_show_list", "pages_read_engagement", "read_insights", "instagram_basic",
			"instagram_manage_insights", "business_management",
		},
		SocialPhotosScopes: []string{
			"pages_show_list", "pages_read_engagement", "instagram_basic", "instagram_manage_insights",
			"business_management",
		},
		SocialMetrics: []string{
			"page_media_view", "page_total_media_view_unique", "page_post_engagements", "page_views_total",
			"page_daily_follows_unique", "page_daily_unfollows_unique",
		},
	}
}

// LoadConfig reads the settings from environ; its error names every problem.
func LoadConfig(environ []string) (Config, error) {
	c := defaults()
	err := settings.Load(&c, environ, "DIRECTORY_", "PROVIDER_", "PLACES_")
	return c, err
}

// requireFile returns an error if the embedded database does not exist.
func (c *Config) requireFile() error {
	path, embedded := c.sqlitePath()
	if !embedded {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // opening it reports any other problem
	}
	return fmt.Errorf("there is no database %s: go to the folder of the service, or set DIRECTORY_DATABASE_URL; "+
		"directory migrate up makes a new one", path)
}

// publicBase returns the public address without a final slash.
func (c *Config) publicBase() string { return strings.TrimSuffix(c.PublicURL.String(), "/") }

// redirectBase returns the base of the addresses to which providers send browsers back.
func (c *Config) redirectBase() string {
	return strings.TrimSuffix(cmp.Or(c.RedirectURL, c.PublicURL).String(), "/")
}

// erasureFile is the default log of erasures, in the folder of an embedded database.
const erasureFile = "directory.erased.jsonl"

// erasureLog returns nil if the settings name no file and the database is not embedded.
func (c *Config) erasureLog(log *slog.Logger) *erasure.Log {
	if c.ErasureLog != "" {
		return erasure.NewLog(c.ErasureLog, log)
	}
	if path, embedded := c.sqlitePath(); embedded {
		return erasure.NewLog(filepath.Join(filepath.Dir(path), erasureFile), log)
	}
	return nil
}

// sqlitePath is the file of an embedded database.
func (c *Config) sqlitePath() (path string, ok bool) {
	path, ok = strings.CutPrefix(c.DatabaseURL.Reveal(), "sqlite:")
	return strings.TrimPrefix(path, "//"), ok
}

var (
	apiVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+$`)
	graphName  = regexp.MustCompile(`^[a-z0-9_]+$`) // of a scope, or a metric
)

// Check returns the invalid settings; settings.Load calls it.
func (c *Config) Check() (problems []error) {
	require := func(good bool, format string, args ...any) {
		if !good {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	require(settings.IsAddress(c.Addr), "DIRECTORY_ADDR: %q is not host:port", c.Addr)
	require(settings.IsAddress(c.AdminAddr), "DIRECTORY_ADMIN_ADDR: %q is not host:port", c.AdminAddr)
	c.checkDatabase(require)
	isBase := func(u *url.URL) bool { return settings.IsWebURL(u) && u.RawQuery == "" && u.Fragment == "" }
	const base = "%s: must be an http(s) address without a query"
	require(isBase(c.PublicURL), base, "DIRECTORY_PUBLIC_URL")
	require(c.RedirectURL == nil || isBase(c.RedirectURL), base, "DIRECTORY_REDIRECT_BASE_URL")
	for _, origin := range c.AllowedOrigins {
		require(settings.IsOrigin(origin),
			"DIRECTORY_ALLOWED_ORIGINS: %q is not like https://app.example.pl: scheme, host and port only", origin)
	}
	require(c.CompanyAccess == accessContract || c.CompanyAccess == accessStrict,
		"DIRECTORY_COMPANY_ACCESS: %q is neither contract nor strict", c.CompanyAccess)
	require(c.ScanInterval == 0 || c.ScanInterval >= time.Minute,
		"DIRECTORY_SCAN_INTERVAL: must be 0 (off) or at least 1m")
	require(c.ScanWorkers > 0 && c.ScanWorkers <= 100, "DIRECTORY_SCAN_WORKERS: must be from 1 to 100")
	require(c.DiscoverLimit > 0, "DIRECTORY_DISCOVER_LIMIT: must be above zero")
	require(c.SyncLimit > 0, "DIRECTORY_SYNC_LIMIT: must be above zero")
	require(c.KeepReadings >= 0, "DIRECTORY_KEEP_READINGS: must not be negative")
	require(c.KeepAudits >= 0, "DIRECTORY_KEEP_AUDITS: must not be negative")
	require(c.KeepTrail == 0 || c.KeepTrail >= trail.MinRetention,
		"DIRECTORY_KEEP_TRAIL: must be 0 (for ever) or at least %s", trail.MinRetention)
	if c.SMTPURL != "" {
		_, err := mail.Parse(c.SMTPURL.Reveal())
		requireValid(require, "DIRECTORY_SMTP_URL", err)
	}
	require(c.Rate >= 0, "DIRECTORY_RATE: must be 0 (off) or more")
	require(c.DrainDelay >= 0, "DIRECTORY_DRAIN_DELAY: must not be negative")
	require(c.DrainTimeout > 0, "DIRECTORY_DRAIN_TIMEOUT: must be above zero")
	c.checkProviders(require)
	return append(problems, c.legal().Check("DIRECTORY_")...)
}

func requireValid(require func(bool, string, ...any), name string, err error) {
	require(err == nil, "%s: %w", name, err)
}

func (c *Config) legal() settings.Legal {
	return settings.Legal{Privacy: c.PrivacyURL, Terms: c.TermsURL, Contact: c.Contact}
}

// warnUnlessComplete logs what the public pages of a service at an https address lack.
func (c *Config) warnUnlessComplete(log *slog.Logger) {
	if missing := c.legal().Missing("DIRECTORY_"); len(missing) > 0 && c.PublicURL.Scheme == "https" {
		log.Warn("pages do not link to the privacy policy, the terms or a contact", "not_set", missing)
	}
}

func (c *Config) checkDatabase(require func(bool, string, ...any)) {
	address := c.DatabaseURL.Reveal()
	path, embedded := c.sqlitePath()
	server := strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
	require(embedded || server, "DIRECTORY_DATABASE_URL: must begin with sqlite: or postgres://")
	require(!embedded || path != "" && !strings.HasPrefix(path, ":"),
		"DIRECTORY_DATABASE_URL: sqlite: needs the path of a file")
	const generate = "must be set with PostgreSQL (make one with directory keys generate)"
	require(!server || c.SessionKeys != "", "DIRECTORY_SESSION_KEYS: "+generate)
	require(!server || c.EncryptionKeys != "", "DIRECTORY_ENCRYPTION_KEYS: "+generate)
	if c.SessionKeys != "" {
		_, err := account.ParseKeys(c.SessionKeys.Reveal())
		requireValid(require, "DIRECTORY_SESSION_KEYS", err)
	}
	if c.EncryptionKeys != "" {
		_, err := database.ParseKeys(c.EncryptionKeys.Reveal())
		requireValid(require, "DIRECTORY_ENCRYPTION_KEYS", err)
	}
}

func (c *Config) checkProviders(require func(bool, string, ...any)) {
	const pair = "%s: id and secret go together"
	require((c.SearchClientID == "") == (c.SearchClientSecret == ""), pair, "PROVIDER_SEARCH_CLIENT_ID")
	require((c.SocialClientID == "") == (c.SocialClientSecret == ""), pair, "PROVIDER_SOCIAL_CLIENT_ID")
	const address = "%s: must be an http(s) address"
	require(c.SearchBaseURL == nil || settings.IsWebURL(c.SearchBaseURL), address, "PROVIDER_SEARCH_BASE_URL")
	require(c.SocialBaseURL == nil || settings.IsWebURL(c.SocialBaseURL), address, "PROVIDER_SOCIAL_BASE_URL")
	require(c.PlacesBaseURL == nil || settings.IsWebURL(c.PlacesBaseURL), address, "PLACES_BASE_URL")
	for name, n := range map[string]int{
		"PROVIDER_SEARCH_PER_MINUTE": c.SearchPerMinute, "PROVIDER_SOCIAL_PER_MINUTE": c.SocialPerMinute,
	} {
		require(n >= budget.Fewest && n <= 10000, "%s: must be from %d to 10000", name, budget.Fewest)
	}
	require(apiVersion.MatchString(c.SocialAPIVersion), "PROVIDER_SOCIAL_API_VERSION: %q is not like v25.0",
		c.SocialAPIVersion)
	for name, list := range map[string][]string{
		"PROVIDER_SOCIAL_PAGES_SCOPES": c.SocialPagesScopes, "PROVIDER_SOCIAL_PHOTOS_SCOPES": c.SocialPhotosScopes,
		"PROVIDER_SOCIAL_METRICS": c.SocialMetrics,
	} {
		misspelt := slices.IndexFunc(list, func(text string) bool { return !graphName.MatchString(text) })
		require(misspelt < 0, "%s: names are lower-case letters, digits and _, with commas between them", name)
	}
	require(c.ProviderTimeout > 0 && c.ProviderTimeout <= time.Minute,
		"PROVIDER_TIMEOUT: must be above zero and at most 1m")
}

// keysFile has a line NAME=value for each key that was generated for an embedded database, in its folder.
const keysFile = "directory.keys"

// loadKeys completes the keys of the settings. With SQLite, keys that are not set are in a file, which
// is made with the database, if mayMake.
func loadKeys(cfg *Config, mayMake bool) error {
	missing := map[string]*settings.Secret{}
	if cfg.SessionKeys == "" {
		missing["DIRECTORY_SESSION_KEYS"] = &cfg.SessionKeys
	}
	if cfg.EncryptionKeys == "" {
		missing["DIRECTORY_ENCRYPTION_KEYS"] = &cfg.EncryptionKeys
	}
	if len(missing) == 0 {
		return nil
	}
	database, _ := cfg.sqlitePath()
	path := filepath.Join(filepath.Dir(database), keysFile)
	// A database without its keys has lost them: new ones would not open its secrets. It is
	// looked for first, because a process that makes both makes the keys before it.
	_, err := os.Stat(database)
	kept, err := readOrMakeKeys(path, mayMake && errors.Is(err, fs.ErrNotExist))
	if err != nil {
		return fmt.Errorf("keys of the embedded database: %w", err)
	}
	for name, key := range missing {
		if kept[name] == "" {
			return fmt.Errorf("%s has no line %s=", path, name)
		}
		*key = settings.Secret(kept[name])
	}
	if err := errors.Join(cfg.Check()...); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readOrMakeKeys reads the file at path. If it does not exist, it is created if mayMake.
func readOrMakeKeys(path string, mayMake bool) (map[string]string, error) {
	content, err := os.ReadFile(path) // #nosec G304 -- in the folder of the database that the operator names
	if errors.Is(err, fs.ErrNotExist) && !mayMake {
		return nil, fmt.Errorf("there is no file %s: put it back, or set DIRECTORY_SESSION_KEYS and "+
			"DIRECTORY_ENCRYPTION_KEYS", path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		content = fmt.Appendf(nil, "DIRECTORY_SESSION_KEYS=%s\nDIRECTORY_ENCRYPTION_KEYS=%s\n", database.GenerateKey(),
			database.GenerateKey())
		err = writeOnce(path, content)
		if errors.Is(err, fs.ErrExist) { // another process was faster
			content, err = os.ReadFile(path) // #nosec G304 -- as above
		}
	}
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for line := range strings.Lines(string(content)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			keys[name] = value
		}
	}
	return keys, nil
}

// writeOnce makes path with content, complete or not at all, or returns fs.ErrExist.
func writeOnce(path string, content []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), keysFile+".*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(part.Name())) }()
	_, err = part.Write(content)
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	return os.Link(part.Name(), path)
}
