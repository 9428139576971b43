package app

import (
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/ceneo"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/settings"
)

// Config holds the settings of the service; deploy/env/hardware.env.example describes each.
type Config struct {
	Addr              string          `env:"HARDWARE_ADDR" envDefault:"127.0.0.1:8082"`
	AdminAddr         string          `env:"HARDWARE_ADMIN_ADDR" envDefault:"127.0.0.1:9082"`
	RedisURL          settings.Secret `env:"HARDWARE_REDIS_URL"`
	BenchmarkBaseURL  *url.URL        `env:"HARDWARE_BENCHMARK_BASE_URL" envDefault:"https://www.userbenchmark.com"`
	Aggregator        string          `env:"HARDWARE_AGGREGATOR" envDefault:"ceneo"`
	AggregatorBaseURL *url.URL        `env:"HARDWARE_AGGREGATOR_BASE_URL" envDefault:"https://www.ceneo.pl"`

	AggregatorSections map[catalog.Category]string `env:"HARDWARE_AGGREGATOR_SECTIONS"`
	PriceInterval      time.Duration               `env:"HARDWARE_PRICE_INTERVAL" envDefault:"1.2s"`
	PriceMaxWait       time.Duration               `env:"HARDWARE_PRICE_MAX_WAIT" envDefault:"25s"`

	TrustedProxies  []netip.Prefix    `env:"HARDWARE_TRUSTED_PROXIES" envDefault:"127.0.0.0/8,::1/128"`
	Rate            int               `env:"HARDWARE_RATE" envDefault:"50"`
	AllowedOrigins  []string          `env:"HARDWARE_ALLOWED_ORIGINS" envDefault:"*"`
	CacheTTL        time.Duration     `env:"HARDWARE_CACHE_TTL" envDefault:"24h"`
	ProductTTL      time.Duration     `env:"HARDWARE_PRODUCT_TTL" envDefault:"720h"`
	ListPages       int               `env:"HARDWARE_LIST_PAGES" envDefault:"5"`
	AggregatorLists map[string]string `env:"HARDWARE_AGGREGATOR_LISTS"`
	CacheMaxBytes   uint64            `env:"HARDWARE_CACHE_MAX_BYTES" envDefault:"33554432"`
	MaxReplicas     int               `env:"HARDWARE_MAX_REPLICAS" envDefault:"10"`
	SourceTimeout   time.Duration     `env:"HARDWARE_SOURCE_TIMEOUT" envDefault:"10s"`
	StateDir        string            `env:"HARDWARE_STATE_DIR" envDefault:"var/hardware"`
	UserAgent       string            `env:"HARDWARE_USER_AGENT"`
	Notice          string            `env:"HARDWARE_NOTICE"`
	PrivacyURL      *url.URL          `env:"HARDWARE_PRIVACY_URL"`
	TermsURL        *url.URL          `env:"HARDWARE_TERMS_URL"`
	Contact         string            `env:"HARDWARE_CONTACT"`
	DrainDelay      time.Duration     `env:"HARDWARE_DRAIN_DELAY" envDefault:"0s"`
	DrainTimeout    time.Duration     `env:"HARDWARE_DRAIN_TIMEOUT" envDefault:"60s"`
	LogLevel        slog.Level        `env:"HARDWARE_LOG_LEVEL" envDefault:"INFO"`
}

// defaults are those that are too long for a tag.
func defaults() Config {
	return Config{UserAgent: "BackendExampleHardware/1.0 (+https://backend.example/bot; bot@backend.example)"}
}

// LoadConfig reads the settings from environ; its error names every problem.
func LoadConfig(environ []string) (Config, error) {
	c := defaults()
	err := settings.Load(&c, environ, "HARDWARE_")
	return c, err
}

// maxNotice is in characters.
const maxNotice = 200

// maxListPages is more than any list of the aggregator has.
const maxListPages = 100

var aggregatorName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Check returns the invalid settings; settings.Load calls it.
func (c *Config) Check() (problems []error) {
	require := func(good bool, format string, args ...any) {
		if !good {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	require(c.Rate >= 0, "HARDWARE_RATE: must be 0 (off) or more")
	require(settings.IsAddress(c.Addr), "HARDWARE_ADDR: %q is not host:port", c.Addr)
	require(settings.IsAddress(c.AdminAddr), "HARDWARE_ADMIN_ADDR: %q is not host:port", c.AdminAddr)
	require(settings.IsWebURL(c.BenchmarkBaseURL),
		"HARDWARE_BENCHMARK_BASE_URL: %q is not an http(s) address", c.BenchmarkBaseURL.Redacted())
	require(settings.IsWebURL(c.AggregatorBaseURL),
		"HARDWARE_AGGREGATOR_BASE_URL: %q is not an http(s) address", c.AggregatorBaseURL.Redacted())
	require(aggregatorName.MatchString(c.Aggregator) && c.Aggregator != rankings.BenchmarkSite,
		"HARDWARE_AGGREGATOR: %q may hold a-z, 0-9 and -, and is not %s", c.Aggregator, rankings.BenchmarkSite)
	require(c.PriceInterval > 0, "HARDWARE_PRICE_INTERVAL: must be above zero")
	require(c.PriceMaxWait >= 0, "HARDWARE_PRICE_MAX_WAIT: must not be negative")
	for _, origin := range c.AllowedOrigins {
		require(settings.IsOrigin(origin) || origin == httpx.AnyOrigin && len(c.AllowedOrigins) == 1,
			"HARDWARE_ALLOWED_ORIGINS: %q is neither * alone nor like https://app.example.pl: scheme, host and port "+
				"only",
			origin)
	}
	require(c.CacheTTL >= time.Second, "HARDWARE_CACHE_TTL: must be at least 1s")
	require(c.ProductTTL >= time.Hour, "HARDWARE_PRODUCT_TTL: must be at least 1h")
	require(c.ListPages >= 0 && c.ListPages <= maxListPages, "HARDWARE_LIST_PAGES: must be 0 to %d", maxListPages)
	require(c.CacheMaxBytes >= 1<<20, "HARDWARE_CACHE_MAX_BYTES: must be at least 1048576")
	require(c.MaxReplicas >= 1, "HARDWARE_MAX_REPLICAS: must be at least 1")
	require(c.SourceTimeout > 0, "HARDWARE_SOURCE_TIMEOUT: must be above zero")
	require(strings.TrimSpace(c.UserAgent) != "", "HARDWARE_USER_AGENT: must name the software and a contact address")
	require(utf8.RuneCountInString(c.Notice) <= maxNotice && !strings.ContainsFunc(c.Notice, unicode.IsControl),
		"HARDWARE_NOTICE: must be one line of at most %d characters", maxNotice)
	require(c.DrainDelay >= 0, "HARDWARE_DRAIN_DELAY: must not be negative")
	require(c.DrainTimeout > 0, "HARDWARE_DRAIN_TIMEOUT: must be above zero")
	for _, name := range slices.Sorted(maps.Keys(c.AggregatorSections)) {
		require(slices.Contains(catalog.Categories(), string(name)),
			"HARDWARE_AGGREGATOR_SECTIONS: %q is not one of %s", name, strings.Join(catalog.Categories(), ", "))
	}
	lists := ceneo.DefaultLists()
	for _, name := range slices.Sorted(maps.Keys(c.AggregatorLists)) {
		known := slices.ContainsFunc(lists, func(l prices.List) bool { return l.Name == name })
		require(known, "HARDWARE_AGGREGATOR_LISTS: %q is not the name of a list", name)
	}
	return append(problems, c.legal().Check("HARDWARE_")...)
}

func (c *Config) legal() settings.Legal {
	return settings.Legal{Privacy: c.PrivacyURL, Terms: c.TermsURL, Contact: c.Contact}
}

// warnUnlessComplete logs what is missing if the real sources are used.
func (c *Config) warnUnlessComplete(log *slog.Logger) {
	if !strings.HasSuffix(c.AggregatorBaseURL.Hostname(), "ceneo.pl") {
		return
	}
	if strings.Contains(c.UserAgent, "backend.example") {
		log.Warn("HARDWARE_USER_AGENT names no contact of yours: set it before you ask the real sources")
	}
	if missing := c.legal().Missing("HARDWARE_"); len(missing) > 0 {
		log.Warn("pages do not link to the privacy policy, the terms or a contact", "not_set", missing)
	}
}
