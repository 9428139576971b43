package cache

import (
	"context"
	"errors"
	"fmt"
	"net"
	neturl "net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// reach bounds one exchange with Redis: a slow Redis must cost a caller less
// than going on without it.
const reach = 300 * time.Millisecond

// Dial returns a client of the Redis that url names; nothing is sent yet. The
// forms are those of go-redis, the last two with a scheme of their own:
//
//	redis://user:password@host:6379/0     rediss:// with TLS, unix:// for a socket
//	redis-cluster://host:6379?addr=host2:6379
//	redis-sentinel://host:26379?master_name=name&addr=host2:26379
//
// changed is told when Redis turns out to be away, and when it is back.
func Dial(url string, changed func(up bool)) (redis.UniversalClient, error) {
	client, err := dial(url)
	var unparsed *neturl.Error
	switch {
	case errors.As(err, &unparsed): // its text holds the password
		return nil, errors.New("redis address: not a URL")
	case err != nil:
		return nil, fmt.Errorf("redis address: %w", err)
	}
	client.AddHook(&watch{changed: changed})
	return client, nil
}

func dial(url string) (redis.UniversalClient, error) {
	scheme, rest, _ := strings.Cut(url, "://")
	switch base, kind, _ := strings.Cut(scheme, "-"); kind {
	case "cluster":
		o, err := redis.ParseClusterURL(base + "://" + rest)
		if err != nil {
			return nil, err
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries = reach, reach, reach, true, 1, 1
		return redis.NewClusterClient(o), nil
	case "sentinel":
		o, err := redis.ParseFailoverURL(base + "://" + rest)
		if err != nil {
			return nil, err
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries = reach, reach, reach, true, 1, 1
		return redis.NewFailoverClient(o), nil
	default:
		o, err := redis.ParseURL(url)
		if err != nil {
			return nil, err
		}
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries = reach, reach, reach, true, 1, 1
		return redis.NewClient(o), nil
	}
}

// watch is a hook that notices when Redis goes and comes.
type watch struct {
	away    atomic.Bool
	changed func(up bool)
}

// DialHook implements redis.Hook.
func (w *watch) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := next(ctx, network, addr)
		if err != nil { // whether an open connection is of use, a command will tell
			w.note(ctx, err)
		}
		return conn, err
	}
}

// ProcessHook implements redis.Hook.
func (w *watch) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		w.note(ctx, err)
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (w *watch) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		w.note(ctx, err)
		return err
	}
}

// note takes an error that Redis itself answered as a sign of life, unless it
// answers so to everything, and one of a caller that has left as no sign at all.
func (w *watch) note(ctx context.Context, err error) {
	var answered redis.Error
	away := err != nil && (!errors.As(err, &answered) || refusesAll(answered))
	if away && ctx.Err() != nil {
		return
	}
	if w.away.CompareAndSwap(!away, away) {
		w.changed(!away)
	}
}

// refusesAll is whether Redis is there, and of no use: in protected mode, with a
// wrong password, while it reads its data, or without its master.
func refusesAll(answered redis.Error) bool {
	code, _, _ := strings.Cut(answered.Error(), " ")
	return slices.Contains([]string{"DENIED", "NOAUTH", "WRONGPASS", "LOADING", "MASTERDOWN", "CLUSTERDOWN"}, code)
}
