package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// Path returns the absolute path of a file or folder in the repository.
func Path(t *testing.T, elements ...string) string {
	t.Helper()
	root, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(root, "go.work")); missing == nil {
			return filepath.Join(append([]string{root}, elements...)...)
		}
		if parent := filepath.Dir(root); parent != root {
			root = parent
			continue
		}
		err = os.ErrNotExist
	}
	t.Fatal("the root of the repository: ", err)
	return ""
}

// ReadFile returns what a file holds.
func ReadFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path) // #nosec G304 -- named by the tests
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Commands returns the commands of a README that begin with the given words, as they
// stand there.
func Commands(t *testing.T, readme, beginning string) string {
	t.Helper()
	block := regexp.MustCompile("(?s)```sh\n(" + regexp.QuoteMeta(beginning) + ".*?)```").FindStringSubmatch(ReadFile(t, readme))
	if block == nil {
		t.Fatalf("%s has no commands that begin with %s", readme, beginning)
	}
	return block[1]
}

// WriteFile writes a file, and makes its folder where there is none.
func WriteFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Built is the path of a program that `make build` has made.
func Built(t *testing.T, program string) string {
	t.Helper()
	path := Path(t, "bin", program)
	if _, err := os.Stat(path); err != nil {
		Unavailable(t, "bin/"+program+" is not built; run make build")
	}
	return path
}

// Installed is the path of a program of this machine. Debian keeps some where only
// root's PATH looks, and those of PostgreSQL in a folder of their version.
func Installed(t *testing.T, program string) string {
	t.Helper()
	versions, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program) // the pattern is valid
	slices.Reverse(versions)
	for _, place := range append([]string{program, "/usr/sbin/" + program}, versions...) {
		if path, err := exec.LookPath(place); err == nil {
			return path
		}
	}
	Unavailable(t, program+" is not installed")
	return ""
}

// Unavailable skips the test, or fails it where nothing may be skipped.
func Unavailable(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
