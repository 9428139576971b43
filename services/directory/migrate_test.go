package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestMigrate(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		all := requireApplied(t, require(t, settings, "migrate", "status"), 0)
		for _, step := range []struct {
			command string
			applied int
		}{{"up", all}, {"up", all}, {"status", all}, {"down", all - 1}, {"up", all}} {
			requireApplied(t, require(t, settings, "migrate", step.command), step.applied)
		}
		require(t, settings, "company", "add", "Firma", "--slug", "firma")
		for applied := all - 1; applied >= 0; applied-- {
			requireApplied(t, require(t, settings, "migrate", "down"), applied)
		}
		requireApplied(t, require(t, settings, "migrate", "down"), 0) // there is nothing left to take back
		out, err := command(t, settings, "company", "list")
		refused(t, "company list", out, err, fmt.Sprintf("%d of %d migrations are missing", all, all))
		require(t, settings, "company", "add", "Firma", "--slug", "firma") // which brings them back
		requireApplied(t, require(t, settings, "migrate", "status"), all)
	})
}

// requireApplied checks a printed list, whose length it returns, for migrations
// of which the oldest ones are applied.
func requireApplied(t *testing.T, out string, applied int) (all int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if !regexp.MustCompile(`^VERSION +NAME +APPLIED$`).MatchString(lines[0]) {
		t.Fatalf("printed %q", out)
	}
	for i, line := range lines[1:] {
		state := "no"
		if i < applied {
			state = `2\d{3}-\d\d-\d\d \d\d:\d\d:\d\dZ`
		}
		row := fmt.Sprintf(`^ *%d +%05[1]d_\w+\.sql +%s$`, i+1, state)
		if !regexp.MustCompile(row).MatchString(line) {
			t.Errorf("line %q, want %s", line, row)
		}
	}
	return len(lines) - 1
}
