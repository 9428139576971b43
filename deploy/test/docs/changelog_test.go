package docs

import (
	"os/exec"
	"path/filepath"
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

// areas are the prefixes of commit subjects that are no folder.
var areas = []string{"changelog", "contracts", "contributing", "dependencies", "evidence", "make", "readme", "security", "tools"}

var subjectForm = regexp.MustCompile(`^([a-z0-9/, -]+): \S`)

// subjectAllowed reports whether a subject has the form of CONTRIBUTING.md, with a folder or an
// area as prefix.
func subjectAllowed(subject string, folders []string) bool {
	match := subjectForm.FindStringSubmatch(subject)
	if match == nil {
		return false
	}
	for _, prefix := range strings.FieldsFunc(match[1], func(r rune) bool { return r == ',' || r == '/' }) {
		if prefix = strings.TrimSpace(prefix); !slices.Contains(areas, prefix) && !slices.Contains(folders, prefix) {
			return false
		}
	}
	return true
}

func git(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output() // #nosec G204 -- the arguments stand below
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

// TestCommitSubjects checks the commits of the next release: those after the last tag, or
// without a tag those since the change log exists.
func TestCommitSubjects(t *testing.T) {
	if exec.Command("git", "-C", root, "rev-parse", "--git-dir").Run() != nil {
		t.Skip("no git repository: there are no commits to look at")
	}
	begin := git(t, "log", "--diff-filter=A", "--format=%H", "--", "CHANGELOG.md")
	if tags := git(t, "tag", "--merged", "HEAD", "--sort=-creatordate", "v*"); len(tags) > 0 {
		begin = tags
	}
	if len(begin) == 0 {
		t.Skip("the change log is not committed")
	}
	var folders []string // of any commit, since folders move
	for _, path := range git(t, "log", "--format=", "--name-only", "--no-renames") {
		folders = append(folders, strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")...)
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	for _, subject := range git(t, "log", "--no-merges", "--format=%s", begin[0]+"..HEAD") {
		if !subjectAllowed(subject, folders) {
			t.Errorf("%q does not begin with a folder or an area, like `hardware: …` (CONTRIBUTING.md)", subject)
		}
	}
}

func TestSubjectForm(t *testing.T) {
	folders := []string{"hardware", "lookup"}
	for subject, want := range map[string]bool{
		"hardware: serve hits without touching Redis": true,
		"hardware/lookup: one word":                   true, "hardware, readme: one word": true,
		"wip": false, "Hardware: hits": false, "hardware:hits": false, "hardware:": false, "feat: hits": false, "hardware, feat: hits": false,
	} {
		if subjectAllowed(subject, folders) != want {
			t.Errorf("%q: allowed is %t", subject, !want)
		}
	}
}
