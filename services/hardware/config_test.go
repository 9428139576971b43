package main

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/settings"
	"backend.example/services/internal/kit/settings/settingstest"
)

func TestDefaults(t *testing.T) {
	t.Setenv("HARDWARE_ADDR", "192.0.2.1:1") // only the given environment counts
	c, err := loadConfig(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{
		"HARDWARE_ADDR": c.Addr, "HARDWARE_ADMIN_ADDR": c.AdminAddr, "HARDWARE_REDIS_URL": c.RedisURL.Reveal(),
		"HARDWARE_BENCHMARK_BASE_URL": c.BenchmarkBaseURL.String(),
		"HARDWARE_AGGREGATOR":         c.Aggregator, "HARDWARE_AGGREGATOR_BASE_URL": c.AggregatorBaseURL.String(),
		"HARDWARE_AGGREGATOR_SECTIONS": len(c.AggregatorSections),
		"HARDWARE_PRICE_INTERVAL":      c.PriceInterval, "HARDWARE_PRICE_MAX_WAIT": c.PriceMaxWait,
		"HARDWARE_CACHE_TTL": c.CacheTTL, "HARDWARE_PRODUCT_TTL": c.ProductTTL, "HARDWARE_CACHE_MAX_BYTES": c.CacheMaxBytes,
		"HARDWARE_MAX_REPLICAS": c.MaxReplicas, "HARDWARE_SOURCE_TIMEOUT": c.SourceTimeout, "HARDWARE_STATE_DIR": c.StateDir,
		"HARDWARE_TRUSTED_PROXIES": len(c.TrustedProxies),
		"HARDWARE_DRAIN_DELAY":     c.DrainDelay, "HARDWARE_DRAIN_TIMEOUT": c.DrainTimeout, "HARDWARE_LOG_LEVEL": c.LogLevel,
	}
	want := map[string]any{
		"HARDWARE_ADDR": "127.0.0.1:8082", "HARDWARE_ADMIN_ADDR": "127.0.0.1:9082", "HARDWARE_REDIS_URL": "",
		"HARDWARE_BENCHMARK_BASE_URL": "https://www.userbenchmark.com",
		"HARDWARE_AGGREGATOR":         "ceneo", "HARDWARE_AGGREGATOR_BASE_URL": "https://www.ceneo.pl",
		"HARDWARE_AGGREGATOR_SECTIONS": 0,
		"HARDWARE_PRICE_INTERVAL":      1200 * time.Millisecond, "HARDWARE_PRICE_MAX_WAIT": 25 * time.Second,
		"HARDWARE_CACHE_TTL": 24 * time.Hour, "HARDWARE_PRODUCT_TTL": 720 * time.Hour, "HARDWARE_CACHE_MAX_BYTES": uint64(32 << 20),
		"HARDWARE_MAX_REPLICAS": 10, "HARDWARE_SOURCE_TIMEOUT": 10 * time.Second, "HARDWARE_STATE_DIR": "var/hardware",
		"HARDWARE_TRUSTED_PROXIES": 0,
		"HARDWARE_DRAIN_DELAY":     time.Duration(0), "HARDWARE_DRAIN_TIMEOUT": time.Minute, "HARDWARE_LOG_LEVEL": slog.LevelInfo,
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s is %v by default, want %v", name, got[name], want[name])
		}
	}
	if !strings.Contains(c.UserAgent, "@") || !strings.Contains(c.UserAgent, "/") {
		t.Errorf("HARDWARE_USER_AGENT %q names no software or no contact", c.UserAgent)
	}
}

func TestEnvExample(t *testing.T) {
	settingstest.EnvExample[config](t, "../../deploy/env/hardware.env.example")
}

func TestSettings(t *testing.T) {
	c, err := loadConfig([]string{
		"HARDWARE_AGGREGATOR=skapiec-2", "HARDWARE_AGGREGATOR_BASE_URL=http://sandbox:8090/shop",
		"HARDWARE_AGGREGATOR_SECTIONS=gpu:Karty_graficzne,case:", "HARDWARE_PRICE_MAX_WAIT=0s", "HARDWARE_LOG_LEVEL=debug",
		"HARDWARE_NOTICE=" + strings.Repeat("ż", 200),
		"DIRECTORY_ADDR=x", "HOME=/root",
	})
	if err != nil {
		t.Fatal(err)
	}
	sections := map[catalog.Category]string{"gpu": "Karty_graficzne", "case": ""}
	if c.Aggregator != "skapiec-2" || c.AggregatorBaseURL.Host != "sandbox:8090" || !maps.Equal(c.AggregatorSections, sections) ||
		c.PriceMaxWait != 0 || c.LogLevel != slog.LevelDebug {
		t.Errorf("%+v", c)
	}
}

func TestSettingsRefused(t *testing.T) {
	tests := map[string]string{ // setting → what the error says
		"HARDWARE_ADDR=8082":                                `HARDWARE_ADDR: "8082" is not host:port`,
		"HARDWARE_ADMIN_ADDR=localhost":                     `HARDWARE_ADMIN_ADDR: "localhost" is not host:port`,
		"HARDWARE_BENCHMARK_BASE_URL=ftp://x":               `HARDWARE_BENCHMARK_BASE_URL: "ftp://x" is not an http(s) address`,
		"HARDWARE_BENCHMARK_BASE_URL=www.userbenchmark.com": "HARDWARE_BENCHMARK_BASE_URL: ",
		"HARDWARE_BENCHMARK_BASE_URL=http://a b":            "HARDWARE_BENCHMARK_BASE_URL: unable to parse URL",
		"HARDWARE_AGGREGATOR_BASE_URL=https:///x":           "HARDWARE_AGGREGATOR_BASE_URL: ",
		"HARDWARE_AGGREGATOR_BASE_URL=https://me:hunter2@x": "HARDWARE_AGGREGATOR_BASE_URL: ",
		"HARDWARE_AGGREGATOR=Ceneo":                         `HARDWARE_AGGREGATOR: "Ceneo" may hold`,
		"HARDWARE_AGGREGATOR=a/b":                           `HARDWARE_AGGREGATOR: "a/b" may hold`,
		"HARDWARE_AGGREGATOR_SECTIONS=ssd:Dyski":            `HARDWARE_AGGREGATOR_SECTIONS: "ssd" is not one of cpu, gpu, ram, storage`,
		"HARDWARE_AGGREGATOR_SECTIONS=:Dyski":               `HARDWARE_AGGREGATOR_SECTIONS: "" is not one of`,
		"HARDWARE_AGGREGATOR_SECTIONS=gpu":                  "HARDWARE_AGGREGATOR_SECTIONS: ",
		"HARDWARE_PRICE_INTERVAL=0s":                        "HARDWARE_PRICE_INTERVAL: must be above zero",
		"HARDWARE_PRICE_INTERVAL=1.2":                       "HARDWARE_PRICE_INTERVAL: unable to parse duration",
		"HARDWARE_PRICE_MAX_WAIT=-1s":                       "HARDWARE_PRICE_MAX_WAIT: must not be negative",
		"HARDWARE_CACHE_TTL=999ms":                          "HARDWARE_CACHE_TTL: must be at least 1s",
		"HARDWARE_PRODUCT_TTL=59m":                          "HARDWARE_PRODUCT_TTL: must be at least 1h",
		"HARDWARE_CACHE_MAX_BYTES=1048575":                  "HARDWARE_CACHE_MAX_BYTES: must be at least 1048576",
		"HARDWARE_CACHE_MAX_BYTES=-1":                       "HARDWARE_CACHE_MAX_BYTES: ",
		"HARDWARE_MAX_REPLICAS=0":                           "HARDWARE_MAX_REPLICAS: must be at least 1",
		"HARDWARE_SOURCE_TIMEOUT=-1s":                       "HARDWARE_SOURCE_TIMEOUT: must be above zero",
		"HARDWARE_USER_AGENT=  ":                            "HARDWARE_USER_AGENT: must name",
		"HARDWARE_NOTICE=one\ntwo":                          "HARDWARE_NOTICE: must be one line of at most 200 characters",
		"HARDWARE_NOTICE=" + strings.Repeat("ż", 201):       "HARDWARE_NOTICE: must be one line of at most 200 characters",
		"HARDWARE_DRAIN_DELAY=-1s":                          "HARDWARE_DRAIN_DELAY: must not be negative",
		"HARDWARE_DRAIN_TIMEOUT=0s":                         "HARDWARE_DRAIN_TIMEOUT: must be above zero",
		"HARDWARE_LOG_LEVEL=loud":                           "HARDWARE_LOG_LEVEL: ",
		"HARDWARE_PRICE_INTERVL=2s":                         "HARDWARE_PRICE_INTERVL is not a setting; did you mean HARDWARE_PRICE_INTERVAL?",
		"HARDWARE_STATE_DIR_FILE=x":                         "HARDWARE_STATE_DIR_FILE is not a setting; did you mean HARDWARE_STATE_DIR?",
	}
	for setting, want := range tests {
		t.Run(setting, func(t *testing.T) {
			_, err := loadConfig([]string{setting})
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != 2 || lines[0] != "the settings have problems:" || !strings.HasPrefix(lines[1], want) {
				t.Errorf("error %q, want %q", err, want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows a password: %v", err)
			}
		})
	}
}

func TestEveryProblemIsNamedAtOnce(t *testing.T) {
	_, err := loadConfig([]string{
		"HARDWARE_REDIS_URL=redis://:hunter2@db", "HARDWARE_REDIS_URL_FILE=/none", "HARDWARE_PRICE_INTERVL=1s",
		"HARDWARE_CACHE_TTL=day", "HARDWARE_MAX_REPLICAS=0", "HARDWARE_AGGREGATOR_BASE_URL=ceneo.pl", "HARDWARE_ADDR=8082",
	})
	want := []string{
		"the settings have problems:", "HARDWARE_PRICE_INTERVL is not", "HARDWARE_REDIS_URL and HARDWARE_REDIS_URL_FILE are both set",
		"HARDWARE_CACHE_TTL: unable", "HARDWARE_ADDR: ", "HARDWARE_AGGREGATOR_BASE_URL: ", "HARDWARE_MAX_REPLICAS: ",
	}
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d: %v", len(lines), len(want), err)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) || strings.Contains(line, "hunter2") {
			t.Errorf("line %d is %q, want %q", i, line, want[i])
		}
	}
}

func TestRedisURLFromFile(t *testing.T) {
	const secret = "redis://:hunter2@cache:6379/0"
	path := filepath.Join(t.TempDir(), "redis")
	if err := os.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := loadConfig([]string{"HARDWARE_REDIS_URL_FILE=" + path})
	if err != nil || c.RedisURL.Reveal() != secret {
		t.Errorf("%q, %v", c.RedisURL.Reveal(), err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if text := fmt.Sprintf(format, c); strings.Contains(text, "hunter2") || strings.Contains(text, "68756e746572") {
			t.Errorf("%s shows the secret: %s", format, text)
		}
	}
}

// TestBrokenRedisURL: the parser's own error would hold the password.
func TestBrokenRedisURL(t *testing.T) {
	for _, address := range []string{"redis://:hunter2@db:port/0", "http://:hunter2@db", "hunter2", "redis-cluster://:hunter2@db:x"} {
		_, err := newApp(config{RedisURL: settings.Secret(address)}, slog.New(slog.DiscardHandler), nil, nil)
		if err == nil || !strings.Contains(err.Error(), "HARDWARE_REDIS_URL") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
