package directory

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

// ScanTask is one of the two works of a scan. Each goes through the connections in
// its own order and with its own workers, so that renewals never wait behind syncs.
type ScanTask uint8

// The tasks.
const (
	ScanRenewal ScanTask = iota // renews the credential
	ScanSync                    // reads what the credential is for
)

// ScanPosition is where a connection stands in the order of a task: the one that
// was done longest ago comes first.
type ScanPosition struct {
	At time.Time // when the task was last done; long ago when never
	ID int64     // of the connection
}

// ScanItem is a connection that is to be scanned.
type ScanItem struct {
	ScanPosition
	CompanyID int64
	Pair      Pair
}

// ScanStore keeps how far scans are, and what they have to leave alone. It is an
// interface because a database is outside of the domain.
type ScanStore interface {
	// NextToScan lists the next n active connections behind a position whose task was
	// last done before a time, without those that a stop concerns at now.
	NextToScan(ctx context.Context, t ScanTask, before, now time.Time, after ScanPosition, n int) ([]ScanItem, error)
	// CountToScan counts the same from the beginning, with those that a stop concerns.
	CountToScan(ctx context.Context, t ScanTask, before time.Time) (int, error)
	MarkScanned(ctx context.Context, t ScanTask, connectionID int64, at time.Time) error
	StopScan(ctx context.Context, s ScanStop) error
}

// Exclusively runs fn unless another replica is running one of that name.
type Exclusively func(ctx context.Context, name string, fn func(ctx context.Context) error) (ran bool, err error)

// ScanOptions are what a Scan works with.
type ScanOptions struct {
	OAuth       *OAuth
	Steps       map[Pair][]ScanStep
	Store       ScanStore
	Exclusively Exclusively
	Workers     int // how many connections each task has under way at once
	Log         *slog.Logger
}

// ScanStep reads something through the connections of a pair.
type ScanStep struct {
	Name   string
	Chosen Chosen // that the connection needs
	Run    func(ctx context.Context, companyID int64) (worked bool, err error)
}

// Scan keeps all connections alive and what is read through them up to date.
type Scan struct{ options ScanOptions }

// NewScan returns a Scan.
func NewScan(options ScanOptions) *Scan { return &Scan{options} }

// ScanProgress tells how far the syncs of a scan are.
type ScanProgress struct {
	Done   int // connections
	Total  int
	Failed int // steps
}

// ScanResult sums a scan up.
type ScanResult struct {
	Ran         bool // false: another replica was scanning
	Connections int  // looked at
	Renewed     int  // credentials
	Synced      int  // accounts that were read
	Skipped     int  // connections that wait for their user
	Failed      int  // steps
	Left        int  // connections for a later scan
}

// Run scans every active connection once. What fails is logged and counted, and
// stops nobody else; what asks to be left alone is left until its time is over. An
// interrupted scan is gone on with by the next one, which begins with what was
// scanned longest ago. progress may be nil. The error is that of the store or of ctx;
// the result is what was done until then.
func (s *Scan) Run(ctx context.Context, progress func(ScanProgress)) (ScanResult, error) {
	begin := s.now()
	return s.run(ctx, &scanRun{before: func() time.Time { return begin }, progress: progress})
}

func (s *Scan) run(ctx context.Context, run *scanRun) (ScanResult, error) {
	run.ScanOptions, run.stops = s.options, newStops()
	var err error
	run.result.Ran, err = s.options.Exclusively(ctx, "scan", run.all)
	return run.result, err
}

func (s *Scan) now() time.Time { return s.options.OAuth.now() }

const (
	// scanTurns is how often in an interval a replica looks for what is due.
	scanTurns = 100
	// scanTurnPart is the part of an interval after which a turn begins nothing more, so
	// that another replica may take over, and each turn is told of.
	scanTurnPart = 24
)

// Every scans each connection about once in an interval, until ctx ends; 0 is off.
// It looks for what is due many times in an interval, so that a scan that was
// interrupted, or told to wait, goes on soon, in whichever replica.
func (s *Scan) Every(ctx context.Context, interval time.Duration) {
	if interval <= 0 {
		return
	}
	pause := interval / scanTurns
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
func (s *Scan) turn(ctx context.Context, interval time.Duration) (more bool) {
	enough, cancel := context.WithTimeout(ctx, interval/scanTurnPart)
	defer cancel()
	result, err := s.run(ctx, &scanRun{before: func() time.Time { return s.now().Add(-interval) }, enough: enough.Done()})
	log := s.options.Log
	switch {
	case ctx.Err() != nil:
	case err != nil:
		log.ErrorContext(ctx, "scan failed", "error", err)
	case result.Connections > 0 || result.Failed > 0:
		log.InfoContext(ctx, "scan done", "connections", result.Connections, "renewed", result.Renewed, "synced", result.Synced,
			"skipped", result.Skipped, "failed", result.Failed, "left", result.Left)
	}
	return err == nil && result.Connections > 0 && enough.Err() != nil && ctx.Err() == nil
}
