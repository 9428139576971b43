package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9/logging"

	"backend.example/services/hardware/internal/cache"
	"backend.example/services/hardware/internal/metrics"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/outbound"
	"backend.example/services/internal/kit/settings"
)

const doctorTimeout = 30 * time.Second

// Doctor implements kitcli.Service. It sends no request to a source, because that would take a slot.
func (p program) Doctor(ctx context.Context) *kitcli.Diagnosis {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	d := &kitcli.Diagnosis{}
	cfg, err := LoadConfig(p.environ)
	if !d.Check("settings", err, "correct them; deploy/env/hardware.env.example describes each") {
		return d
	}
	d.Check("folder", settings.CheckFolder(cfg.StateDir),
		"set HARDWARE_STATE_DIR to a folder that the service may write")
	if cfg.RedisURL == "" {
		d.Off("redis", "HARDWARE_REDIS_URL is not set: for one replica only")
	} else {
		d.Check("redis", pingRedis(ctx, cfg.RedisURL.Reveal()), "check host, name and password in HARDWARE_REDIS_URL")
	}
	if strings.Contains(cfg.UserAgent, "backend.example") {
		d.Off("contact", "HARDWARE_USER_AGENT names none of yours: set it before you ask the real sources")
	}
	const toDo = "check the network, DNS and proxies"
	d.Check("benchmark site", outbound.Reach(ctx, cfg.BenchmarkBaseURL), toDo)
	d.Check("price site", outbound.Reach(ctx, cfg.AggregatorBaseURL), toDo)
	return d
}

func pingRedis(ctx context.Context, address string) error {
	logging.Disable() // the library's lines would stand between the findings
	client, err := cache.Dial(address, metrics.New(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	if err != nil {
		return errors.New("not an address of Redis") // the cause would show the password
	}
	return errors.Join(client.Ping(ctx).Err(), client.Close())
}
