package ceneo

import (
	"cmp"
	"embed"
	"fmt"
	"strings"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
)

// snapshotFiles has one file for each family. snapshot/README.md says where they come
// from.
//
//go:embed snapshot/*.csv
var snapshotFiles embed.FS

// Snapshot returns the shipped ranking of a family and the day it stems from.
func Snapshot(family catalog.Family) ([]rankings.Row, time.Time, error) {
	body, err := snapshotFiles.ReadFile("snapshot/" + string(family) + ".csv")
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("shipped ranking: %w", err)
	}
	return parseSnapshot(string(body), family)
}

// parseSnapshot reads a ranking file that has its date on a line before it:
// "# as-of: 2006-01-02".
func parseSnapshot(body string, family catalog.Family) ([]rankings.Row, time.Time, error) {
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
