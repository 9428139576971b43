package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	released = regexp.MustCompile(`^## \[(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\] - (\d{4}-\d{2}-\d{2})$`)
	kinds    = []string{"### Added", "### Changed", "### Deprecated", "### Removed", "### Fixed", "### Security"}
)

func TestChangelogForm(t *testing.T) {
	title, sections, found := strings.Cut(read(t, "CHANGELOG.md"), "\n## [Unreleased]\n")
	if !found || !strings.HasPrefix(title, "# Changelog\n") || strings.Contains(title, "\n## ") {
		t.Errorf("it begins with %q", title)
	}
	date := "9999-99-99"
	for line := range strings.SplitSeq(sections, "\n") {
		match := released.FindStringSubmatch(line)
		switch {
		case match != nil && match[2] <= date:
			date = match[2]
		case strings.HasPrefix(line, "## "):
			t.Errorf("no release, or one at the wrong place: %s", line)
		case strings.HasPrefix(line, "### ") && !slices.Contains(kinds, line):
			t.Errorf("no kind of change: %s", line)
		}
	}
}
