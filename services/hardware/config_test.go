package main

import (
	"log/slog"
	"maps"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/settings"
	"backend.example/services/internal/kit/settings/settingstest"
)

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

// TestOutermostSettings are those that are just allowed.
func TestOutermostSettings(t *testing.T) {
	for _, setting := range []string{
		"HARDWARE_PRICE_INTERVAL=1ns", "HARDWARE_PRICE_MAX_WAIT=0s", "HARDWARE_CACHE_TTL=1s", "HARDWARE_PRODUCT_TTL=1h",
		"HARDWARE_WARM=0", "HARDWARE_WARM=500", "HARDWARE_CACHE_MAX_BYTES=1048576", "HARDWARE_MAX_REPLICAS=1", "HARDWARE_SOURCE_TIMEOUT=1ns",
		"HARDWARE_DRAIN_DELAY=0s", "HARDWARE_DRAIN_TIMEOUT=1ns",
	} {
		if _, err := loadConfig([]string{setting}); err != nil {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

func TestSettingsRefused(t *testing.T) {
	tests := map[string]string{ // setting → what the error says, or begins with
		"HARDWARE_ADDR=8082":                                `HARDWARE_ADDR: "8082" is not host:port`,
		"HARDWARE_ADMIN_ADDR=localhost":                     `HARDWARE_ADMIN_ADDR: "localhost" is not host:port`,
		"HARDWARE_BENCHMARK_BASE_URL=ftp://x":               `HARDWARE_BENCHMARK_BASE_URL: "ftp://x" is not an http(s) address`,
		"HARDWARE_BENCHMARK_BASE_URL=www.userbenchmark.com": "HARDWARE_BENCHMARK_BASE_URL: …",
		"HARDWARE_BENCHMARK_BASE_URL=http://a b":            "HARDWARE_BENCHMARK_BASE_URL: unable to parse URL…",
		"HARDWARE_AGGREGATOR_BASE_URL=https:///x":           "HARDWARE_AGGREGATOR_BASE_URL: …",
		"HARDWARE_AGGREGATOR_BASE_URL=https://me:hunter2@x": "HARDWARE_AGGREGATOR_BASE_URL: …",
		"HARDWARE_AGGREGATOR=Ceneo":                         `HARDWARE_AGGREGATOR: "Ceneo" may hold…`,
		"HARDWARE_AGGREGATOR=a/b":                           `HARDWARE_AGGREGATOR: "a/b" may hold…`,
		"HARDWARE_AGGREGATOR_SECTIONS=ssd:Dyski":            `HARDWARE_AGGREGATOR_SECTIONS: "ssd" is not one of cpu, gpu, ram, storage…`,
		"HARDWARE_AGGREGATOR_SECTIONS=:Dyski":               `HARDWARE_AGGREGATOR_SECTIONS: "" is not one of…`,
		"HARDWARE_AGGREGATOR_SECTIONS=gpu":                  "HARDWARE_AGGREGATOR_SECTIONS: …",
		"HARDWARE_PRICE_INTERVAL=0s":                        "HARDWARE_PRICE_INTERVAL: must be above zero",
		"HARDWARE_PRICE_INTERVAL=1.2":                       "HARDWARE_PRICE_INTERVAL: unable to parse duration…",
		"HARDWARE_PRICE_MAX_WAIT=-1s":                       "HARDWARE_PRICE_MAX_WAIT: must not be negative",
		"HARDWARE_ALLOWED_ORIGINS=*,https://a.example":      `HARDWARE_ALLOWED_ORIGINS: "*" is neither * alone nor like https://app.example.pl…`,
		"HARDWARE_ALLOWED_ORIGINS=null":                     `HARDWARE_ALLOWED_ORIGINS: "null" is neither…`,
		"HARDWARE_CACHE_TTL=999ms":                          "HARDWARE_CACHE_TTL: must be at least 1s",
		"HARDWARE_WARM=-1":                                  "HARDWARE_WARM: must be 0 to 500",
		"HARDWARE_WARM=501":                                 "HARDWARE_WARM: must be 0 to 500",
		"HARDWARE_PRODUCT_TTL=59m":                          "HARDWARE_PRODUCT_TTL: must be at least 1h",
		"HARDWARE_CACHE_MAX_BYTES=1048575":                  "HARDWARE_CACHE_MAX_BYTES: must be at least 1048576",
		"HARDWARE_CACHE_MAX_BYTES=-1":                       "HARDWARE_CACHE_MAX_BYTES: …",
		"HARDWARE_MAX_REPLICAS=0":                           "HARDWARE_MAX_REPLICAS: must be at least 1",
		"HARDWARE_SOURCE_TIMEOUT=-1s":                       "HARDWARE_SOURCE_TIMEOUT: must be above zero",
		"HARDWARE_USER_AGENT=  ":                            "HARDWARE_USER_AGENT: must name…",
		"HARDWARE_CONTACT=biuro":                            "HARDWARE_CONTACT: must be an e-mail address or an http(s) address",
		"HARDWARE_NOTICE=one\ntwo":                          "HARDWARE_NOTICE: must be one line of at most 200 characters",
		"HARDWARE_NOTICE=" + strings.Repeat("ż", 201):       "HARDWARE_NOTICE: must be one line of at most 200 characters",
		"HARDWARE_DRAIN_DELAY=-1s":                          "HARDWARE_DRAIN_DELAY: must not be negative",
		"HARDWARE_DRAIN_TIMEOUT=0s":                         "HARDWARE_DRAIN_TIMEOUT: must be above zero",
		"HARDWARE_LOG_LEVEL=loud":                           "HARDWARE_LOG_LEVEL: …",
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
			start, isPart := strings.CutSuffix(want, "…")
			if len(lines) != 2 || lines[0] != "the settings have problems:" || !strings.HasPrefix(lines[1], start) || !isPart && lines[1] != want {
				t.Errorf("error %q, want %q", err, want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows a password: %v", err)
			}
		})
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
