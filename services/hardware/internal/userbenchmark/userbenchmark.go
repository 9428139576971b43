// Package userbenchmark reads the rankings that the benchmark site publishes as CSV files
// (userbenchmark.com/page/developer), and has the snapshot that the binary ships with.
package userbenchmark

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"net/http"
	"strings"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
)

// Name is what people call the site. Domain names it in answers, whatever address is used.
const (
	Name   = "UserBenchmark"
	Domain = "userbenchmark.com"
)

// Site is the benchmark site. It is safe for concurrent use.
type Site struct{ *fetch.Client }

// New returns the Site.
func New(o fetch.Options) *Site {
	o.Accept = "text/csv,*/*;q=0.5"
	return &Site{Client: fetch.New(o)}
}

// Ranking requests the whole ranking of f, and counts the rows that could not be read. Errors are those of
// fetch.Client.Get.
func (s *Site) Ranking(ctx context.Context, f catalog.Family) (Ranking, Dropped, error) {
	address := s.Address("resources/download/csv/" + f.Upper() + "_UserBenchmarks.csv")
	page, err := s.Get(ctx, &fetch.Request{ID: "ranking:" + string(f)}, address, nil)
	if err != nil {
		return Ranking{}, Dropped{}, err
	}
	if page.Status != http.StatusOK {
		return Ranking{}, Dropped{}, page.UnexpectedStatus("ranking of " + string(f))
	}
	rows, dropped, err := ParseRanking(string(page.Body), f)
	if err != nil {
		return Ranking{}, Dropped{}, s.Unreadable(page, fmt.Errorf("ranking of %s: %w", f, err))
	}
	return Ranking{Source: Domain, Rows: rows}, dropped, nil
}

// snapshotFiles has one file for each family. snapshot/README.md names their source.
//
//go:embed snapshot/*.csv
var snapshotFiles embed.FS

// Snapshot returns the shipped ranking of a family and its date.
func Snapshot(family catalog.Family) ([]Row, time.Time, error) {
	body, err := snapshotFiles.ReadFile("snapshot/" + string(family) + ".csv")
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("shipped ranking: %w", err)
	}
	return parseSnapshot(string(body), family)
}

// parseSnapshot reads a ranking file behind a line "# as-of: 2006-01-02".
func parseSnapshot(body string, family catalog.Family) ([]Row, time.Time, error) {
	first, ranking, _ := strings.Cut(body, "\n")
	asOf, err := time.Parse("# as-of: "+time.DateOnly, first)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("shipped ranking of %s: %w", family, err)
	}
	rows, dropped, err := ParseRanking(ranking, family)
	if err = cmp.Or(err, dropped.First); err != nil {
		return nil, time.Time{}, fmt.Errorf("shipped ranking of %s: %w", family, err)
	}
	return rows, asOf, nil
}
