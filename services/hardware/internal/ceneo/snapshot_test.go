package ceneo

import (
	"slices"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
)

func TestSnapshotIsShippedForEveryFamily(t *testing.T) {
	for _, name := range catalog.Families() {
		t.Run(name, func(t *testing.T) {
			rows, asOf, err := Snapshot(catalog.Family(name))
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) == 0 || asOf.Year() < 2020 || asOf.After(time.Now()) {
				t.Errorf("%d rows as of %v", len(rows), asOf)
			}
			for i, row := range rows {
				if i > 0 && row.Rank < rows[i-1].Rank {
					t.Errorf("row %d: rank %d after %d", i, row.Rank, rows[i-1].Rank)
				}
			}
		})
	}
}

func TestSnapshotRefusesWhatItCannotDate(t *testing.T) {
	if _, _, err := Snapshot("tpu"); err == nil {
		t.Error("a family without a file is no error")
	}
	good := "# as-of: 2026-06-01\n" + string(ranking(plainLine))
	rows, asOf, err := parseSnapshot(good, "gpu")
	if err != nil || len(rows) != 1 || asOf.Format(time.DateOnly) != "2026-06-01" {
		t.Errorf("%v, %v, %v", rows, asOf, err)
	}
	for name, body := range map[string]string{
		"no date":      string(ranking(plainLine)),
		"another date": "# as-of: 1 June 2026\n" + string(ranking(plainLine)),
		"no ranking":   "# as-of: 2026-06-01\n",
		"a spoilt row": "# as-of: 2026-06-01\n" + ranking(append(slices.Repeat([]string{plainLine}, 99), "GPU")...),
	} {
		if _, _, err := parseSnapshot(body, "gpu"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
