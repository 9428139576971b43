package app

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/settings"
	"backend.example/services/internal/kit/settings/settingstest"
)

func TestEnvExample(t *testing.T) {
	settingstest.EnvExample(t, defaults(), "../../../../deploy/env/hardware.env.example")
}

func TestSettings(t *testing.T) {
	c, err := LoadConfig([]string{
		"HARDWARE_AGGREGATOR_BASE_URL=http://sandbox:8090/shop",
		"HARDWARE_AGGREGATOR_SECTIONS=gpu:Karty_graficzne,case:",
		"HARDWARE_AGGREGATOR_LISTS=hdd:Dyski_HDD", "HARDWARE_LOG_LEVEL=debug",
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []any{c.AggregatorBaseURL.String(), c.AggregatorSections, c.AggregatorLists, c.LogLevel}
	want := []any{
		"http://sandbox:8090/shop", map[catalog.Category]string{"gpu": "Karty_graficzne", "case": ""},
		map[string]string{"hdd": "Dyski_HDD"}, slog.LevelDebug,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSettingsRefused(t *testing.T) {
	tests := map[string]string{
		"HARDWARE_ADDR=8082": `HARDWARE_ADDR: "8082" is not host:port`,
		"HARDWARE_BENCHMARK_BASE_URL=ftp://x": `HARDWARE_BENCHMARK_BASE_URL: "ftp://x" is not an ` +
			`http(s) address`,
		"HARDWARE_AGGREGATOR_BASE_URL=https://me:hunter2@x": "HARDWARE_AGGREGATOR_BASE_URL: ",
		"HARDWARE_AGGREGATOR=Ceneo":                         `HARDWARE_AGGREGATOR: "Ceneo" may hold`,
		"HARDWARE_AGGREGATOR_SECTIONS=ssd:Dyski": `HARDWARE_AGGREGATOR_SECTIONS: "ssd" is not one of cpu, ` +
			`gpu`,
		"HARDWARE_AGGREGATOR_LISTS=storage:Dyski": `HARDWARE_AGGREGATOR_LISTS: "storage" is not the name of a ` +
			`list`,
		"HARDWARE_PRICE_INTERVAL=0s":                   "HARDWARE_PRICE_INTERVAL: must be above zero",
		"HARDWARE_PRICE_MAX_WAIT=-1s":                  "HARDWARE_PRICE_MAX_WAIT: must not be negative",
		"HARDWARE_ALLOWED_ORIGINS=*,https://a.example": `HARDWARE_ALLOWED_ORIGINS: "*" is neither * alone nor like`,
		"HARDWARE_CACHE_TTL=999ms":                     "HARDWARE_CACHE_TTL: must be at least 1s",
		"HARDWARE_LIST_PAGES=-1":                       "HARDWARE_LIST_PAGES: must be 0 to 100",
		"HARDWARE_MAX_REPLICAS=0":                      "HARDWARE_MAX_REPLICAS: must be at least 1",
		"HARDWARE_USER_AGENT=  ":                       "HARDWARE_USER_AGENT: must name",
		"HARDWARE_NOTICE=one\ntwo":                     "HARDWARE_NOTICE: must be one line of at most 200 characters",
		"HARDWARE_PRICE_INTERVL=2s": "HARDWARE_PRICE_INTERVL is not a setting; did you mean " +
			"HARDWARE_PRICE_INTERVAL?",
	}
	for setting, want := range tests {
		_, err := LoadConfig([]string{setting})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error %v, want %q", setting, err, want)
		}
	}
}

// TestBrokenRedisURL: the parser's own error would hold the password.
func TestBrokenRedisURL(t *testing.T) {
	for _, address := range []string{"redis://:hunter2@db:port/0", "http://:hunter2@db",
		"redis-cluster://:hunter2@db:x"} {
		cfg := Config{RedisURL: settings.Secret(address), CacheMaxBytes: 1 << 20}
		_, err := New(cfg, Options{Log: slog.New(slog.DiscardHandler), Now: time.Now})
		if err == nil || !strings.Contains(err.Error(), "HARDWARE_REDIS_URL") ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
