package cache

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/metrics"
)

// redisTimeout bounds one exchange. A slow Redis must cost less than going on without it.
const redisTimeout = 300 * time.Millisecond

// Dial returns a client of the Redis at address; nothing is sent yet. The forms are those of go-redis, and two
// more:
//
//	redis://user:password@host:6379/0     rediss:// with TLS, unix:// for a socket
//	redis-cluster://host:6379?addr=host2:6379
//	redis-sentinel://host:26379?master_name=name&addr=host2:26379
//
// That Redis becomes unavailable, also for a wrong password, or is back, is shown in the metrics and the log.
func Dial(address string, m *metrics.Metrics, log *slog.Logger) (redis.UniversalClient, error) {
	client, err := dial(address)
	var unparsed *url.Error
	switch {
	case errors.As(err, &unparsed): // its text contains the password
		return nil, errors.New("redis address: not a URL")
	case err != nil:
		return nil, fmt.Errorf("redis address: %w", err)
	}
	hook := &availability{metrics: m, log: log}
	if _, isCluster := client.(*redis.ClusterClient); !isCluster {
		hook.address = address
	}
	client.AddHook(hook)
	return client, nil
}

func dial(address string) (redis.UniversalClient, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	query := u.Query()
	for _, phase := range []string{"dial_timeout", "read_timeout", "write_timeout"} {
		query.Set(phase, redisTimeout.String())
	}
	query.Set("max_retries", "1")
	u.RawQuery = query.Encode()
	scheme, kind, _ := strings.Cut(u.Scheme, "-")
	switch kind {
	case "cluster":
		u.Scheme = scheme
		o, err := redis.ParseClusterURL(u.String())
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled, o.DialerRetries = true, 1
		return redis.NewClusterClient(o), nil
	case "sentinel":
		u.Scheme = scheme
		o, err := redis.ParseFailoverURL(u.String())
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled, o.DialerRetries = true, 1
		return redis.NewFailoverClient(o), nil
	}
	o, err := redis.ParseURL(u.String())
	if err != nil {
		return nil, err
	}
	o.ContextTimeoutEnabled, o.DialerRetries = true, 1
	return redis.NewClient(o), nil
}

// availability is a hook that notices when Redis becomes unavailable, and when it is back.
type availability struct {
	metrics *metrics.Metrics
	log     *slog.Logger
	down    atomic.Bool
	refused atomic.Int64 // when Redis last refused to write, in Unix nanoseconds
	address string       // empty for a cluster, of which one node says nothing about others
	// Whether Redis does not answer at all, and when it was last tried, in Unix nanoseconds.
	unreachable atomic.Bool
	tried       atomic.Int64
}

// writesAgain is how long after a refused write other commands show nothing: Redis still answers what it has.
const writesAgain = 5 * time.Second

// probeEvery is how often an unreachable Redis is tried. All other commands fail at once.
const probeEvery = time.Second

var errUnreachable = errors.New("redis cannot be reached")

func (a *availability) skips() bool {
	if a.address == "" || !a.unreachable.Load() {
		return false
	}
	now, last := time.Now().UnixNano(), a.tried.Load()
	if now-last >= int64(probeEvery) && a.tried.CompareAndSwap(last, now) {
		go a.probe()
	}
	return true
}

func (a *availability) probe() {
	client, err := dial(a.address)
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }() // nothing is under way
	err = client.Ping(context.Background()).Err()
	if err != nil && answeredCode(err) == "" {
		return
	}
	a.note(context.Background(), err)
}

// DialHook implements redis.Hook.
func (a *availability) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := next(ctx, network, addr)
		if err != nil {
			a.note(ctx, err)
		}
		return conn, err
	}
}

// ProcessHook implements redis.Hook.
func (a *availability) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if a.skips() {
			cmd.SetErr(errUnreachable)
			return errUnreachable
		}
		err := next(ctx, cmd)
		a.note(ctx, err)
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (a *availability) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if a.skips() {
			for _, cmd := range cmds {
				cmd.SetErr(errUnreachable)
			}
			return errUnreachable
		}
		err := next(ctx, cmds)
		a.note(ctx, err)
		return err
	}
}

// note takes the result of an exchange. Redis is available if it answers, even with an error, unless it answers so
// to everything or to every write. A cancelled caller shows nothing.
func (a *availability) note(ctx context.Context, err error) {
	code := answeredCode(err)
	refuses := slices.Contains(refusesAll, code) || slices.Contains(refusesWrites, code)
	down := err != nil && (code == "" || refuses)
	if down && ctx.Err() != nil {
		return
	}
	a.unreachable.Store(down && code == "")
	now := time.Now().UnixNano()
	if slices.Contains(refusesWrites, code) {
		a.refused.Store(now)
	}
	if !down && now-a.refused.Load() < int64(writesAgain) {
		return
	}
	if a.down.CompareAndSwap(!down, down) {
		a.metrics.RedisUp(!down)
		if !down {
			a.log.Info("redis available again")
			return
		}
		a.log.Error("redis unavailable: serving cached responses, new look-ups at this process's share of the rate",
			"error", err)
	}
}

// What Redis answers to every command: in protected mode, with a wrong password, while it loads, without its
// master; and to all writes: with its memory full, as a replica, when it cannot save.
var (
	refusesAll    = []string{"DENIED", "NOAUTH", "WRONGPASS", "LOADING", "MASTERDOWN", "CLUSTERDOWN"}
	refusesWrites = []string{"OOM", "READONLY", "MISCONF", "NOREPLICAS"}
)

// answeredCode returns the first word of an error that Redis answered, else "". Before version 7 Redis wraps a
// script's.
func answeredCode(err error) string {
	var answered redis.Error
	if !errors.As(err, &answered) {
		return ""
	}
	text := answered.Error()
	if _, cause, ok := strings.Cut(text, ": -"); ok {
		text = cause
	}
	code, _, _ := strings.Cut(text, " ")
	return code
}
