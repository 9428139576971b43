package app

import (
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"backend.example/services/internal/kit/settings/settingstest"
)

const (
	goodKey   = "a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	secondKey = "b:HxwdHhsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA="
)

func TestEnvExample(t *testing.T) {
	settingstest.EnvExample(t, defaults(), "../../../../deploy/env/directory.env.example")
}

func TestSettings(t *testing.T) {
	c, err := LoadConfig([]string{
		"DIRECTORY_DATABASE_URL=postgres://app:hunter2@db/directory",
		"DIRECTORY_SESSION_KEYS=" + goodKey,
		"DIRECTORY_ENCRYPTION_KEYS=" + secondKey + ", " + goodKey,
		"DIRECTORY_TRUSTED_PROXIES=10.0.0.0/8,192.0.2.7/32,fd00::/8",
		"DIRECTORY_PUBLIC_URL=https://firmy.example/",
		"DIRECTORY_COMPANY_ACCESS=strict",
		"DIRECTORY_SCAN_INTERVAL=0",
		"PROVIDER_SOCIAL_PKCE=true",
		"HARDWARE_ADDR=x",
		"HOME=/root",
	})
	if err != nil {
		t.Fatal(err)
	}
	proxies := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("fd00::/8"),
	}
	if !slices.Equal(c.TrustedProxies, proxies) || c.CompanyAccess != accessStrict {
		t.Fatalf("%+v", c)
	}
	if c.ScanInterval != 0 || !c.SocialPKCE {
		t.Errorf("%+v", c)
	}
	for address, want := range map[string]string{
		"sqlite:var/x.db": "var/x.db", "sqlite:///var/x.db": "/var/x.db", "sqlite:/x.db": "/x.db",
		"postgres://db/x": "",
	} {
		c, err := LoadConfig(
			[]string{
				"DIRECTORY_DATABASE_URL=" + address,
				"DIRECTORY_SESSION_KEYS=" + goodKey,
				"DIRECTORY_ENCRYPTION_KEYS=" + goodKey,
			},
		)
		if err != nil {
			t.Errorf("%s: %v", address, err)
		}
		if path, ok := c.sqlitePath(); ok && path != want || ok != (want != "") {
			t.Errorf("%s: %q, %t", address, path, ok)
		}
	}
}

// Only a service that the public reaches has to name its operator.
func TestMissingPrivacyPolicyIsWarnedOf(t *testing.T) {
	for setting, want := range map[string]string{
		"DIRECTORY_PUBLIC_URL=https://firmy.example": "[DIRECTORY_TERMS_URL DIRECTORY_CONTACT]",
		"DIRECTORY_PUBLIC_URL=https://firmy.example " +
			"DIRECTORY_TERMS_URL=https://x.pl": "[DIRECTORY_CONTACT]",
		"DIRECTORY_PUBLIC_URL=https://firmy.example DIRECTORY_TERMS_URL=https://x.pl DIRECTORY_CONTACT=a@x.pl": "",
		"DIRECTORY_PUBLIC_URL=http://localhost:8080":                                                           "",
	} {
		c, err := LoadConfig(append(strings.Fields(setting), "DIRECTORY_PRIVACY_URL=https://firmy.example/p"))
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		c.warnUnlessComplete(slog.New(slog.NewTextHandler(&log, nil)))
		if got := log.String(); !strings.Contains(got, want) || got != "" != (want != "") {
			t.Errorf("%s: logged %q", setting, got)
		}
	}
}

func TestSettingsRefused(t *testing.T) {
	const short = "short:aHVudGVyMg==" // hunter2
	tests := map[string]string{        // setting → what the error says
		"DIRECTORY_ADDR=8081": `DIRECTORY_ADDR: "8081" is not host:port`,
		"DIRECTORY_CONTACT=biuro": "DIRECTORY_CONTACT: must be an e-mail " +
			"address or an http(s) address",
		"DIRECTORY_ADMIN_ADDR=localhost": `DIRECTORY_ADMIN_ADDR: "localhost" is not ` +
			`host:port`,
		"DIRECTORY_DATABASE_URL=mysql://app:hunter2@db": "DIRECTORY_DATABASE_URL: must begin with " +
			"sqlite: or postgres://",
		"DIRECTORY_DATABASE_URL=sqlite:": "DIRECTORY_DATABASE_URL: sqlite: needs the " +
			"path of a file",
		"DIRECTORY_DATABASE_URL=sqlite::memory:": "DIRECTORY_DATABASE_URL: sqlite: needs the " +
			"path of a file",
		"DIRECTORY_PUBLIC_URL=https://me:hunter2@x": "DIRECTORY_PUBLIC_URL: ",
		"DIRECTORY_PUBLIC_URL=https://x/?a=b": "DIRECTORY_PUBLIC_URL: must be an http(s) " +
			"address without a query",
		"DIRECTORY_SESSION_KEYS=" + short: "DIRECTORY_SESSION_KEYS: session key 1: " +
			"want at least 32 bytes",
		"DIRECTORY_ENCRYPTION_KEYS=" + short: "DIRECTORY_ENCRYPTION_KEYS: encryption key " +
			"1: want 32 bytes",
		"DIRECTORY_ENCRYPTION_KEYS=" + goodKey + "," + goodKey: "DIRECTORY_ENCRYPTION_KEYS: encryption key " +
			"2: its identifier stands twice",
		"DIRECTORY_ALLOWED_ORIGINS=*": `DIRECTORY_ALLOWED_ORIGINS: "*" is not ` +
			`like https://app.example.pl`,
		"DIRECTORY_ALLOWED_ORIGINS=https://b.example,https://a.example/": `DIRECTORY_ALLOWED_ORIGINS: ` +
			`"https://a.example/" is not like`,
		"DIRECTORY_COMPANY_ACCESS=Strict": `DIRECTORY_COMPANY_ACCESS: "Strict" is neither contract nor ` +
			`strict`,
		"DIRECTORY_SCAN_INTERVAL=59s":               "DIRECTORY_SCAN_INTERVAL: must be 0 (off) or at least 1m",
		"DIRECTORY_SCAN_INTERVAL=-1h":               "DIRECTORY_SCAN_INTERVAL: must be 0 (off) or at least 1m",
		"DIRECTORY_TRUSTED_PROXIES=10.0.0.1":        "DIRECTORY_TRUSTED_PROXIES: ",
		"DIRECTORY_SCAN_WORKERS=0":                  "DIRECTORY_SCAN_WORKERS: must be from 1 to 100",
		"DIRECTORY_SCAN_WORKERS=101":                "DIRECTORY_SCAN_WORKERS: must be from 1 to 100",
		"DIRECTORY_DISCOVER_LIMIT=0":                "DIRECTORY_DISCOVER_LIMIT: must be above zero",
		"DIRECTORY_SYNC_LIMIT=-1":                   "DIRECTORY_SYNC_LIMIT: must be above zero",
		"DIRECTORY_DRAIN_DELAY=-1s":                 "DIRECTORY_DRAIN_DELAY: must not be negative",
		"DIRECTORY_KEEP_READINGS=-1h":               "DIRECTORY_KEEP_READINGS: must not be negative",
		"DIRECTORY_KEEP_AUDITS=-1h":                 "DIRECTORY_KEEP_AUDITS: must not be negative",
		"DIRECTORY_KEEP_TRAIL=720h":                 "DIRECTORY_KEEP_TRAIL: must be 0 (for ever) or at least 744h",
		"DIRECTORY_DRAIN_TIMEOUT=0s":                "DIRECTORY_DRAIN_TIMEOUT: must be above zero",
		"DIRECTORY_LOG_LEVEL=loud":                  "DIRECTORY_LOG_LEVEL: ",
		"PROVIDER_SEARCH_CLIENT_ID=x":               "PROVIDER_SEARCH_CLIENT_ID: id and secret go together",
		"PROVIDER_SEARCH_CLIENT_SECRET=hunter2":     "PROVIDER_SEARCH_CLIENT_ID: id and secret go together",
		"PROVIDER_SEARCH_BASE_URL=accounts.example": "PROVIDER_SEARCH_BASE_URL: must be an http(s) address",
		"PROVIDER_SOCIAL_CLIENT_ID=x":               "PROVIDER_SOCIAL_CLIENT_ID: id and secret go together",
		"PROVIDER_SOCIAL_BASE_URL=ftp://x":          "PROVIDER_SOCIAL_BASE_URL: must be an http(s) address",
		"PROVIDER_SOCIAL_API_VERSION=25":            `PROVIDER_SOCIAL_API_VERSION: "25" is not like v25.0`,
		"PROVIDER_SOCIAL_PAGES_SCOPES=a,B":          "PROVIDER_SOCIAL_PAGES_SCOPES: names are lower-case letters",
		"PROVIDER_SOCIAL_PHOTOS_SCOPES=a b":         "PROVIDER_SOCIAL_PHOTOS_SCOPES: names are lower-case letters",
		"PROVIDER_SOCIAL_METRICS=a-b":               "PROVIDER_SOCIAL_METRICS: names are lower-case letters",
		"PROVIDER_SOCIAL_CLIENT_SECRET=hunter2":     "PROVIDER_SOCIAL_CLIENT_ID: id and secret go together",
		"DIRECTORY_SMTP_URL=smtp://hunter2":         "DIRECTORY_SMTP_URL: ",
		"DIRECTORY_PUBLIC_URL=https://x/#a":         "DIRECTORY_PUBLIC_URL: must be an http(s) address without a query",
		"DIRECTORY_DISCOVER_LIMIT=-1":               "DIRECTORY_DISCOVER_LIMIT: must be above zero",
		"DIRECTORY_SYNC_LIMIT=0":                    "DIRECTORY_SYNC_LIMIT: must be above zero",
		"DIRECTORY_KEEP_TRAIL=743h59m":              "DIRECTORY_KEEP_TRAIL: must be 0 (for ever) or at least 744h",
		"PROVIDER_SEARCH_PER_MINUTE=10001":          "PROVIDER_SEARCH_PER_MINUTE: must be from 10 to 10000",
		"PROVIDER_SOCIAL_PER_MINUTE=9":              "PROVIDER_SOCIAL_PER_MINUTE: must be from 10 to 10000",
		"PROVIDER_SOCIAL_PKCE=maybe":                "PROVIDER_SOCIAL_PKCE: ",
		"PROVIDER_SEARCH_PER_MINUTE=9":              "PROVIDER_SEARCH_PER_MINUTE: must be from 10 to 10000",
		"PROVIDER_SOCIAL_PER_MINUTE=10001":          "PROVIDER_SOCIAL_PER_MINUTE: must be from 10 to 10000",
		"PROVIDER_TIMEOUT=0s":                       "PROVIDER_TIMEOUT: must be above zero and at most 1m",
		"PROVIDER_TIMEOUT=61s":                      "PROVIDER_TIMEOUT: must be above zero and at most 1m",
		"PLACES_BASE_URL=https://":                  "PLACES_BASE_URL: must be an http(s) address",
		"PROVIDER_SEARCH_SECRET=hunter2": "PROVIDER_SEARCH_SECRET is not a setting; did you mean " +
			"PROVIDER_SEARCH_",
		"PLACES_KEY=hunter2": "PLACES_KEY is not a setting",
	}
	for setting, want := range tests {
		t.Run(setting, func(t *testing.T) {
			_, err := LoadConfig([]string{setting})
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != 2 || lines[0] != "the settings have problems:" || !strings.HasPrefix(lines[1], want) {
				t.Errorf("error %q, want %q", err, want)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "aHVudGVyMg") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

// TestSettingsAtTheirLimits loads the least and the most that is allowed of each setting.
func TestSettingsAtTheirLimits(t *testing.T) {
	for _, setting := range []string{
		"DIRECTORY_SCAN_INTERVAL=0", "DIRECTORY_SCAN_INTERVAL=1m", "DIRECTORY_SCAN_WORKERS=1",
		"DIRECTORY_SCAN_WORKERS=100",
		"DIRECTORY_DISCOVER_LIMIT=1", "DIRECTORY_SYNC_LIMIT=1", "DIRECTORY_KEEP_READINGS=0", "DIRECTORY_KEEP_AUDITS=0",
		"DIRECTORY_KEEP_TRAIL=0", "DIRECTORY_KEEP_TRAIL=744h", "DIRECTORY_DRAIN_DELAY=0s",
		"DIRECTORY_DRAIN_TIMEOUT=1ns",
		"PROVIDER_SEARCH_PER_MINUTE=10", "PROVIDER_SEARCH_PER_MINUTE=10000", "PROVIDER_SOCIAL_PER_MINUTE=10",
		"PROVIDER_SOCIAL_PER_MINUTE=10000",
		"PROVIDER_TIMEOUT=1ns", "PROVIDER_TIMEOUT=1m", "DIRECTORY_DATABASE_URL=sqlite:x", "DIRECTORY_SESSION_KEYS=" +
			goodKey,
		"DIRECTORY_ENCRYPTION_KEYS=" + goodKey, "DIRECTORY_ALLOWED_ORIGINS=https://app.example.pl",
		"PROVIDER_SEARCH_BASE_URL=http://127.0.0.1:1",
		"PROVIDER_SOCIAL_BASE_URL=http://127.0.0.1:1", "PLACES_BASE_URL=http://127.0.0.1:1",
		"PROVIDER_SOCIAL_API_VERSION=v9.10",
		"PROVIDER_SOCIAL_PAGES_SCOPES=a_1,b", "PROVIDER_SOCIAL_METRICS=page_views",
		"DIRECTORY_PRIVACY_URL=https://x.example/p",
	} {
		if _, err := LoadConfig([]string{setting}); err != nil {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

func TestPostgreSQLNeedsKeys(t *testing.T) {
	const database = "DIRECTORY_DATABASE_URL=postgres://app:hunter2@db/directory"
	_, err := LoadConfig([]string{database})
	if text := fmt.Sprint(err); !strings.Contains(text, "\nDIRECTORY_SESSION_KEYS: must be set with PostgreSQL") ||
		!strings.Contains(
			text,
			"\nDIRECTORY_ENCRYPTION_KEYS: must be set with PostgreSQL",
		) || strings.Contains(text, "hunter2") {
		t.Errorf("without keys: %s", text)
	}
	_, err = LoadConfig(
		[]string{database, "DIRECTORY_SESSION_KEYS=" + goodKey, "DIRECTORY_ENCRYPTION_KEYS=" + goodKey})
	if err != nil {
		t.Errorf("with keys: %v", err)
	}
}
