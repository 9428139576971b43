// Package docs checks that links have targets, that every package has a comment, that the
// change log has its form, and that the demonstration is the API of the document.
package docs

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

const root = "../../.."

// files returns the paths of the files that Git does not ignore, below root.
func files(t *testing.T, pattern string) []string {
	t.Helper()
	// #nosec G204 -- a pattern of the tests
	list := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard", pattern)
	list.Dir = root
	return strings.Fields(harness.Run(t, list))
}

func read(t *testing.T, path string) string {
	t.Helper()
	return harness.ReadFile(t, filepath.Join(root, path))
}

func TestLinksHaveTargets(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	anchors := func(text string) (found []string) {
		for _, match := range heading.FindAllStringSubmatch(text, -1) {
			plain := dropped.ReplaceAllString(strings.ToLower(match[1]), "")
			found = append(found, strings.ReplaceAll(plain, " ", "-"))
		}
		return found
	}
	checked := 0
	for _, path := range files(t, "*.md") {
		for _, match := range link.FindAllStringSubmatch(read(t, path), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			checked++
			file, fragment, _ := strings.Cut(match[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", path, match[1])
				continue
			}
			if fragment != "" && !slices.Contains(anchors(read(t, target)), fragment) {
				t.Errorf("%s links to %s, which has no such heading", path, match[1])
			}
		}
	}
	if checked == 0 {
		t.Error("no link was checked")
	}
}

func TestPackagesHaveComments(t *testing.T) {
	described := map[string]bool{}
	for _, path := range files(t, "*.go") {
		folder := filepath.Dir(path)
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil,
			parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		described[folder] = described[folder] || file.Doc != nil
	}
	for folder, ok := range described {
		if !ok {
			t.Errorf("no file of %s has a package comment", folder)
		}
	}
}

// The demonstration does not check whose company is asked for, as the contract documents it.
// Production checks it unless its settings say otherwise.
func TestCompanyAccess(t *testing.T) {
	for path, line := range map[string]string{
		".env":               "\nDIRECTORY_COMPANY_ACCESS=contract\n",
		"docker-compose.yml": "\n    DIRECTORY_COMPANY_ACCESS: ${DIRECTORY_COMPANY_ACCESS:-strict}\n",
	} {
		if !strings.Contains(read(t, path), line) {
			t.Errorf("%s lacks the line %s", path, strings.TrimSpace(line))
		}
	}
}

func TestChangelogForm(t *testing.T) {
	released := regexp.MustCompile(`^## \[(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\] - (\d{4}-\d{2}-\d{2})$`)
	kinds := []string{"### Added", "### Changed", "### Deprecated", "### Removed", "### Fixed", "### Security"}
	title, sections, found := strings.Cut(read(t, "CHANGELOG.md"), "\n## [Unreleased]\n")
	if !found || !strings.HasPrefix(title, "# Changelog\n") || strings.Contains(title, "\n## ") {
		t.Errorf("the change log begins with %q, want its title and then [Unreleased]", title)
	}
	date := "9999-99-99"
	for line := range strings.SplitSeq(sections, "\n") {
		match := released.FindStringSubmatch(line)
		switch {
		case match != nil && match[2] <= date:
			date = match[2]
		case strings.HasPrefix(line, "## "):
			t.Errorf("%q is no heading of a release, or newer than the one above it", line)
		case strings.HasPrefix(line, "### ") && !slices.Contains(kinds, line):
			t.Errorf("%q is no kind of change, want one of %q", line, kinds)
		}
	}
}
