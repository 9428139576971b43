package directory

import (
	"context"
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

// Scan keeps all connections alive and their statistics up to date.
type Scan struct {
	oauth       *OAuth
	pages       *Pages
	limits      Limits
	exclusively Exclusively
}

// Exclusively runs fn unless another replica is running one of that name.
type Exclusively func(ctx context.Context, name string, fn func(ctx context.Context) error) (ran bool, err error)

// NewScan returns a Scan of what oauth has connected.
func NewScan(oauth *OAuth, pages *Pages, limits Limits, exclusively Exclusively) *Scan {
	return &Scan{oauth: oauth, pages: pages, limits: limits, exclusively: exclusively}
}

// ScanProgress tells how far a scan is, after each company.
type ScanProgress struct {
	Done      int // companies, with this one
	Total     int
	CompanyID int64
	Failed    bool // something of the company failed
}

// ScanResult sums a scan up.
type ScanResult struct {
	Ran       bool // false: another replica was scanning
	Companies int  // looked at
	Renewed   int  // credentials
	Synced    int  // pages and photo-network accounts
	Skipped   int  // connections that wait for their user, or whose provider asked to wait
	Failed    int  // steps
}

// Run goes through all companies with an active connection, one at a time. What
// fails is logged and counted, and stops nobody else; a provider that asks to
// wait is left alone for the rest of the run. progress may be nil. The error is
// that of the repository's lists or of ctx; the result is what was done until then.
func (s *Scan) Run(ctx context.Context, progress func(ScanProgress)) (ScanResult, error) {
	run := scanRun{Scan: s, waiting: map[Provider]bool{}}
	var err error
	run.result.Ran, err = s.exclusively(ctx, "scan", func(ctx context.Context) error { return run.all(ctx, progress) })
	return run.result, err
}

// Every runs a scan in every interval until ctx ends, the first one after a
// random part of it; 0 is off. All replicas together run about one in an
// interval: a replica whose turn comes earlier than nine tenths of an interval
// after the last one lets it pass.
func (s *Scan) Every(ctx context.Context, interval time.Duration) {
	if interval <= 0 {
		return
	}
	timer := time.NewTimer(rand.N(interval)) // #nosec G404 -- spreads the replicas, keeps no secret
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		timer.Reset(interval)
		s.turn(ctx, interval)
	}
}

// turn runs a scheduled scan, if there was none in this interval.
func (s *Scan) turn(ctx context.Context, interval time.Duration) {
	limit := Limit{Kind: "scan", Subject: "schedule", Max: 1, Window: interval / 10 * 9}
	state, err := s.limits.TakeLimits(ctx, []Limit{limit}, s.oauth.now())
	var result ScanResult
	if err == nil && state.OK {
		result, err = s.Run(ctx, nil)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.oauth.log.ErrorContext(ctx, "scan failed", "error", err)
	case result.Ran:
		s.oauth.log.InfoContext(ctx, "scan done", "companies", result.Companies, "renewed", result.Renewed,
			"synced", result.Synced, "skipped", result.Skipped, "failed", result.Failed)
	}
}
