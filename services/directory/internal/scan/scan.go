// Package scan renews the credentials of all connections and runs the steps that read
// through them: one connection after the other, the least recently scanned first, in one
// process at a time.
package scan

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
)

// Options configure a Service.
type Options struct {
	DB *database.DB
	// Connection returns the active connection of a company, or the fault no_connection.
	Connection func(ctx context.Context, companyID int64, p provider.Pair) (connection.Connection, error)
	// Renew returns the connection with a credential that is renewed if it expires soon.
	Renew   func(ctx context.Context, c connection.Connection) (connection.Connection, error)
	Steps   map[provider.Pair][]Step
	Workers int // connections that each task processes at once
	Now     func() time.Time
	Log     *slog.Logger

	Trace func(ctx context.Context, name string) (context.Context, func(error)) // of each run; may be nil
	// is called after each run of this process; may be nil
	OnFinish func(error)
}

// Step reads something through the connections of a pair. It is exempt from rate limits.
type Step struct {
	Name   string
	Chosen connection.Chosen // choice that the connection needs, if any
	// Run reports whether something was read and stored; with an error, only a part was.
	Run func(ctx context.Context, companyID int64) (worked bool, err error)
}

// Service scans the connections. It is safe for concurrent use.
type Service struct {
	Options
	queue       queue
	exclusively func(ctx context.Context, name string, fn func(ctx context.Context) error) (ran bool, err error)
}

// New returns a Service.
func New(options Options) *Service {
	return &Service{options, queries{options.DB}, options.DB.Exclusively}
}

// Task is one of the two task types of a scan. Each has its own order of the connections
// and its own workers, so that renewals never wait behind syncs.
type Task uint8

// The tasks.
const (
	Renewal Task = iota // renews the credential
	Sync                // runs the steps
)

// String returns the name of t in logs.
func (t Task) String() string {
	if t == Renewal {
		return "renewal"
	}
	return "sync"
}

// Progress is how far the syncs of a scan are.
type Progress struct {
	Done   int // connections
	Total  int
	Failed int // steps
}

// Result is the outcome of a scan.
type Result struct {
	Ran         bool `json:"-"`           // false if another process was scanning
	Connections int  `json:"connections"` // processed
	Renewed     int  `json:"renewed"`     // credentials
	Synced      int  `json:"synced"`      // accounts that were read
	Skipped     int  `json:"skipped"`     // connections that need their user
	Failed      int  `json:"failed"`      // steps
	Left        int  `json:"left"`        // connections for a later scan
}

// Run scans every active connection once. A failure is logged and counted, and does not
// affect other connections. What a provider refuses is paused. The next scan resumes one
// that was interrupted, because it begins with what was scanned longest ago. progress may
// be nil. The error is that of the database or of ctx, with the result until then.
func (s *Service) Run(ctx context.Context, progress func(Progress)) (Result, error) {
	begin := s.Now()
	return s.run(ctx, &run{before: func() time.Time { return begin }, progress: progress})
}

func (s *Service) run(ctx context.Context, r *run) (Result, error) {
	r.Service, r.pauses = s, newPauses()
	ran, err := s.exclusively(ctx, "scan", func(ctx context.Context) (err error) {
		if s.Trace != nil {
			traced, end := s.Trace(ctx, "scan")
			ctx = traced
			defer func() { end(err) }()
		}
		return r.all(ctx)
	})
	r.result.Ran = ran
	if s.OnFinish != nil && (ran || err != nil) {
		s.OnFinish(err)
	}
	return r.result, err
}

const (
	// turns is how often in an interval a process looks for what is due.
	turns = 100
	// turnPart is the part of an interval after which a turn begins nothing more, so that
	// another process can take over and each turn is logged.
	turnPart = 24
)

// Every scans each connection about once in an interval, until ctx ends; 0 is off. It
// looks for what is due many times in an interval, so that a scan that was interrupted or
// paused is resumed soon, by whichever process.
func (s *Service) Every(ctx context.Context, interval time.Duration) {
	if interval <= 0 {
		return
	}
	pause := interval / turns
	timer := time.NewTimer(rand.N(pause)) // #nosec G404 -- spreads the replicas, keeps no secret
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		for s.turn(ctx, interval) {
		}
		timer.Reset(pause)
	}
}

// turn scans what is due, and reports whether more is.
func (s *Service) turn(ctx context.Context, interval time.Duration) (more bool) {
	enough, cancel := context.WithTimeout(ctx, interval/turnPart)
	defer cancel()
	result, err := s.run(ctx, &run{before: func() time.Time { return s.Now().Add(-interval) }, enough: enough.Done()})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.Log.ErrorContext(ctx, "scan failed", "error", err)
	case result.Connections > 0 || result.Failed > 0:
		s.Log.InfoContext(ctx, "scan done", "connections", result.Connections, "renewed", result.Renewed, "synced",
			result.Synced,
			"skipped", result.Skipped, "failed", result.Failed, "left", result.Left)
	}
	return err == nil && result.Connections > 0 && enough.Err() != nil && ctx.Err() == nil
}
