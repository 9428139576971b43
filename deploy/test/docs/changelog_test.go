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

// changelogFaults returns the violations of the form of a change log.
func changelogFaults(text string) (faults []string) {
	lines := strings.Split(text, "\n")
	if lines[0] != "# Changelog" {
		faults = append(faults, "the first line is not # Changelog")
	}
	fault := func(what, line string) { faults = append(faults, what+": "+line) }
	var seen []string
	date, kind, entries := "9999-99-99", "", 1
	for _, line := range append(lines, "## end") {
		if strings.HasPrefix(line, "#") && kind != "" && entries == 0 {
			fault("nothing under", kind)
		}
		switch match := released.FindStringSubmatch(line); {
		case line == "## end":
		case line == "## [Unreleased]" && len(seen) == 0, match != nil && len(seen) > 0 && match[2] <= date:
			seen, kind = []string{line}, ""
			if match != nil {
				date = match[2]
			}
		case strings.HasPrefix(line, "## "):
			fault("no section, or at the wrong place", line)
		case strings.HasPrefix(line, "### "):
			if !slices.Contains(kinds, line) || slices.Contains(seen, line) {
				fault("no kind of change, or a second time", line)
			}
			seen, kind, entries = append(seen, line), line, 0
		case strings.HasPrefix(line, "- ") && kind != "":
			entries++
		case line != "" && len(seen) > 0:
			fault("no entry", line)
		}
	}
	if len(seen) == 0 {
		faults = append(faults, "no section [Unreleased]")
	}
	return faults
}

func TestChangelogForm(t *testing.T) {
	if faults := changelogFaults(read(t, "CHANGELOG.md")); len(faults) > 0 {
		t.Error(strings.Join(faults, "\n"))
	}
}

func TestChangelogFaults(t *testing.T) {
	const head = "# Changelog\n\n## [Unreleased]\n"
	for name, test := range map[string]struct{ text, want string }{
		"fine":                {head + "\n### Added\n\n- a\n\n## [1.1.0] - 2026-12-01\n\n### Fixed\n\n- b\n\n## [1.0.0] - 2026-11-30\n", ""},
		"no title":            {"# Changes\n\n## [Unreleased]\n", "first line"},
		"nothing unreleased":  {"# Changelog\n", "no section"},
		"released before it":  {"# Changelog\n\n## [1.0.0] - 2026-11-30\n" + head, "wrong place"},
		"without a date":      {head + "## [1.0.0]\n", "wrong place"},
		"with a v":            {head + "## [v1.0.0] - 2026-11-30\n", "wrong place"},
		"newer below":         {head + "## [1.0.0] - 2026-11-30\n## [1.1.0] - 2026-12-01\n", "wrong place"},
		"unknown kind":        {head + "### News\n- a\n", "no kind"},
		"a kind twice":        {head + "### Added\n- a\n### Added\n- b\n", "second time"},
		"a kind and no entry": {head + "### Added\n", "nothing under"},
		"prose":               {head + "### Added\nwords\n", "no entry: words"},
		"an entry of no kind": {head + "- a\n", "no entry: - a"},
	} {
		faults := strings.Join(changelogFaults(test.text), "\n")
		if test.want == "" && faults != "" || !strings.Contains(faults, test.want) {
			t.Errorf("%s: %q, want %q", name, faults, test.want)
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
