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
	if !slices.Equal(c.TrustedProxies, proxies) {
		t.Errorf("trusted proxies %v, want %v", c.TrustedProxies, proxies)
	}
	if c.CompanyAccess != accessStrict {
		t.Errorf("company access %q, want %q", c.CompanyAccess, accessStrict)
	}
	if c.ScanInterval != 0 {
		t.Errorf("scan interval %s, want 0 in place of the default", c.ScanInterval)
	}
	if !c.SocialPKCE {
		t.Error("PKCE is off")
	}
}

func TestDatabaseURL(t *testing.T) {
	for address, file := range map[string]string{ // empty: a server
		"sqlite:var/x.db": "var/x.db", "sqlite:///var/x.db": "/var/x.db", "sqlite:/x.db": "/x.db",
		"postgres://db/x": "",
	} {
		c, err := LoadConfig([]string{
			"DIRECTORY_DATABASE_URL=" + address,
			"DIRECTORY_SESSION_KEYS=" + goodKey,
			"DIRECTORY_ENCRYPTION_KEYS=" + goodKey,
		})
		if err != nil {
			t.Errorf("%s: %v", address, err)
		}
		path, embedded := c.sqlitePath()
		if embedded != (file != "") {
			t.Errorf("%s is a file: %t", address, embedded)
		}
		if embedded && path != file {
			t.Errorf("%s is the file %q, want %q", address, path, file)
		}
	}
}

// TestMissingPrivacyPolicyIsWarnedOf at an https address only: there the public reaches the service.
func TestMissingPrivacyPolicyIsWarnedOf(t *testing.T) {
	const public = "DIRECTORY_PUBLIC_URL=https://firmy.example"
	const terms, contact = " DIRECTORY_TERMS_URL=https://x.pl", " DIRECTORY_CONTACT=a@x.pl"
	for setting, notSet := range map[string]string{ // empty: no warning
		public:                   "[DIRECTORY_TERMS_URL DIRECTORY_CONTACT]",
		public + terms:           "[DIRECTORY_CONTACT]",
		public + terms + contact: "",
		"DIRECTORY_PUBLIC_URL=http://localhost:8080": "",
	} {
		c, err := LoadConfig(append(strings.Fields(setting), "DIRECTORY_PRIVACY_URL=https://firmy.example/p"))
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		c.warnUnlessComplete(slog.New(slog.NewTextHandler(&log, nil)))
		if notSet == "" && log.Len() > 0 {
			t.Errorf("%s: logged %q, want nothing", setting, &log)
		}
		if !strings.Contains(log.String(), notSet) {
			t.Errorf("%s: logged %q, want %q in it", setting, &log, notSet)
		}
	}
}

func TestSettingsRefused(t *testing.T) {
	const short = "short:aHVudGVyMg==" // "hunter2" in base64
	for _, test := range []struct {
		name, value string
		problem     string // the beginning
	}{
		{"DIRECTORY_ADDR", "8081", `"8081" is not host:port`},
		{"DIRECTORY_CONTACT", "biuro", "must be an e-mail address or an http(s) address"},
		{"DIRECTORY_ADMIN_ADDR", "localhost", `"localhost" is not host:port`},
		{"DIRECTORY_DATABASE_URL", "mysql://app:hunter2@db", "must begin with sqlite: or postgres://"},
		{"DIRECTORY_DATABASE_URL", "sqlite:", "sqlite: needs the path of a file"},
		{"DIRECTORY_DATABASE_URL", "sqlite::memory:", "sqlite: needs the path of a file"},
		{"DIRECTORY_PUBLIC_URL", "https://me:hunter2@x", ""},
		{"DIRECTORY_PUBLIC_URL", "https://x/?a=b", "must be an http(s) address without a query"},
		{"DIRECTORY_SESSION_KEYS", short, "session key 1: want at least 32 bytes"},
		{"DIRECTORY_ENCRYPTION_KEYS", short, "encryption key 1: want 32 bytes"},
		{"DIRECTORY_ENCRYPTION_KEYS", goodKey + "," + goodKey, "encryption key 2: its identifier stands twice"},
		{"DIRECTORY_ALLOWED_ORIGINS", "*", `"*" is not like https://app.example.pl`},
		{"DIRECTORY_ALLOWED_ORIGINS", "https://b.example,https://a.example/", `"https://a.example/" is not like`},
		{"DIRECTORY_COMPANY_ACCESS", "Strict", `"Strict" is neither contract nor strict`},
		{"DIRECTORY_SCAN_INTERVAL", "59s", "must be 0 (off) or at least 1m"},
		{"DIRECTORY_SCAN_INTERVAL", "-1h", "must be 0 (off) or at least 1m"},
		{"DIRECTORY_TRUSTED_PROXIES", "10.0.0.1", ""},
		{"DIRECTORY_SCAN_WORKERS", "0", "must be from 1 to 100"},
		{"DIRECTORY_SCAN_WORKERS", "101", "must be from 1 to 100"},
		{"DIRECTORY_DISCOVER_LIMIT", "0", "must be above zero"},
		{"DIRECTORY_DRAIN_DELAY", "-1s", "must not be negative"},
		{"DIRECTORY_KEEP_READINGS", "-1h", "must not be negative"},
		{"DIRECTORY_KEEP_AUDITS", "-1h", "must not be negative"},
		{"DIRECTORY_DRAIN_TIMEOUT", "0s", "must be above zero"},
		{"DIRECTORY_LOG_LEVEL", "loud", ""},
		{"PROVIDER_SEARCH_CLIENT_ID", "x", "id and secret go together"},
		{"PROVIDER_SEARCH_BASE_URL", "accounts.example", "must be an http(s) address"},
		{"PROVIDER_SOCIAL_CLIENT_ID", "x", "id and secret go together"},
		{"PROVIDER_SOCIAL_BASE_URL", "ftp://x", "must be an http(s) address"},
		{"PROVIDER_SOCIAL_API_VERSION", "25", `"25" is not like v25.0`},
		{"PROVIDER_SOCIAL_PAGES_SCOPES", "a,B", "names are lower-case letters"},
		{"PROVIDER_SOCIAL_PHOTOS_SCOPES", "a b", "names are lower-case letters"},
		{"PROVIDER_SOCIAL_METRICS", "a-b", "names are lower-case letters"},
		{"DIRECTORY_SMTP_URL", "smtp://hunter2", ""},
		{"DIRECTORY_PUBLIC_URL", "https://x/#a", "must be an http(s) address without a query"},
		{"DIRECTORY_SYNC_LIMIT", "0", "must be above zero"},
		{"DIRECTORY_KEEP_TRAIL", "743h59m", "must be 0 (for ever) or at least 744h"},
		{"PROVIDER_SEARCH_PER_MINUTE", "10001", "must be from 10 to 10000"},
		{"PROVIDER_SOCIAL_PER_MINUTE", "9", "must be from 10 to 10000"},
		{"PROVIDER_SOCIAL_PKCE", "maybe", ""},
		{"PROVIDER_SEARCH_PER_MINUTE", "9", "must be from 10 to 10000"},
		{"PROVIDER_SOCIAL_PER_MINUTE", "10001", "must be from 10 to 10000"},
		{"PROVIDER_TIMEOUT", "0s", "must be above zero and at most 1m"},
		{"PROVIDER_TIMEOUT", "61s", "must be above zero and at most 1m"},
		{"PLACES_BASE_URL", "https://", "must be an http(s) address"},
	} {
		requireProblem(t, test.name+"="+test.value, test.name+": "+test.problem)
	}
	for setting, problem := range map[string]string{
		"PROVIDER_SEARCH_CLIENT_SECRET=hunter2": "PROVIDER_SEARCH_CLIENT_ID: id and secret go together",
		"PROVIDER_SOCIAL_CLIENT_SECRET=hunter2": "PROVIDER_SOCIAL_CLIENT_ID: id and secret go together",
		"PROVIDER_SEARCH_SECRET=hunter2":        "PROVIDER_SEARCH_SECRET is not a setting; did you mean PROVIDER_",
		"PLACES_KEY=hunter2":                    "PLACES_KEY is not a setting",
	} {
		requireProblem(t, setting, problem)
	}
}

// requireProblem checks that the error of a setting is one problem, which begins with want, and shows no
// secret.
func requireProblem(t *testing.T, setting, want string) {
	t.Helper()
	_, err := LoadConfig([]string{setting})
	const before = "the settings have problems:\n"
	text := fmt.Sprint(err)
	if problem, ok := strings.CutPrefix(text, before); !ok || !strings.HasPrefix(problem, want) {
		t.Errorf("%s: error %q, want the problem %q", setting, text, want)
	}
	if strings.Count(text, "\n") > 1 {
		t.Errorf("%s: several problems: %s", setting, text)
	}
	if strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyMg") {
		t.Errorf("%s: the error shows a secret: %s", setting, text)
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
		"PROVIDER_TIMEOUT=1ns", "PROVIDER_TIMEOUT=1m", "DIRECTORY_DATABASE_URL=sqlite:x",
		"DIRECTORY_SESSION_KEYS=" + goodKey,
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
	text := fmt.Sprint(err)
	for _, name := range []string{"DIRECTORY_SESSION_KEYS", "DIRECTORY_ENCRYPTION_KEYS"} {
		if want := "\n" + name + ": must be set with PostgreSQL"; !strings.Contains(text, want) {
			t.Errorf("without keys: error %q, want %q in it", text, want)
		}
	}
	if strings.Contains(text, "hunter2") {
		t.Errorf("the error shows the password: %s", text)
	}
	_, err = LoadConfig(
		[]string{database, "DIRECTORY_SESSION_KEYS=" + goodKey, "DIRECTORY_ENCRYPTION_KEYS=" + goodKey})
	if err != nil {
		t.Errorf("with keys: %v", err)
	}
}
