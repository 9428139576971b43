package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

const (
	root    = "../.."
	version = "v9.9.9"

	released = "proto-free-contracts/released"
)

var contracts = []string{"directory.openapi.yaml", "hardware.openapi.yaml"}

func command(folder string, environ []string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...) // #nosec G204 -- the callers are the tests below
	cmd.Dir, cmd.Env = folder, append(os.Environ(), environ...)
	return cmd
}

// run returns what a command prints to both outputs, and how it ended.
func run(folder string, environ []string, name string, args ...string) (string, error) {
	out, err := command(folder, environ, name, args...).CombinedOutput()
	return string(out), err
}

func require(t *testing.T, folder string, environ []string, name string, args ...string) string {
	t.Helper()
	return harness.Run(t, command(folder, environ, name, args...))
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// commit makes a repository of a folder, with one commit whose hash depends on its
// files alone.
func commit(t *testing.T, folder string) {
	t.Helper()
	as := []string{
		"GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@localhost", "GIT_AUTHOR_DATE=2026-11-20T12:00:00+01:00",
		"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@localhost", "GIT_COMMITTER_DATE=2026-11-20T12:00:00+01:00",
		"GIT_CONFIG_GLOBAL=/dev/null",
	}
	require(t, folder, as, "git", "init", "--quiet")
	require(t, folder, as, "git", "add", "--all")
	require(t, folder, as, "git", "commit", "--quiet", "--message", "release: test")
}

// copyTree copies the files of this work tree that match, tracked or new, and prepares
// the release: a section for the version in the change log, and its contracts among
// those that are released.
func copyTree(t *testing.T, folder string, match ...string) {
	t.Helper()
	list := require(t, root, nil, "git", append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, match...)...)
	for _, path := range strings.Split(strings.Trim(list, "\x00"), "\x00") {
		info, err := os.Stat(filepath.Join(root, path))
		if os.IsNotExist(err) { // removed, and not committed yet
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, path), harness.ReadFile(t, filepath.Join(root, path)), info.Mode().Perm())
	}
	log := filepath.Join(folder, "CHANGELOG.md")
	write(t, log, harness.ReadFile(t, log)+"\n## ["+strings.TrimPrefix(version, "v")+"] - 2026-11-22\n", 0o600)
	for _, contract := range contracts {
		write(t, filepath.Join(folder, released, contract), harness.ReadFile(t, filepath.Join(root, "proto-free-contracts", contract)), 0o600)
	}
}

// release runs release.sh of a folder, without images.
func release(folder, version string) (string, error) {
	return run(folder, []string{"PROGRAMS=hardware", "PLATFORMS=linux/amd64", "DOCKER_HOST=unix:///nowhere"},
		filepath.Join("deploy", "release", "release.sh"), version)
}
