package release

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"backend.example/deploy/test/harness"
)

// TestTwoBuildsAreTheSame builds one program for one platform in two clones with different
// paths, umasks and file times.
func TestTwoBuildsAreTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("short tests build no programs")
	}
	if out, err := exec.Command("tar", "--version").Output(); err != nil || !strings.Contains(string(out), "GNU tar") {
		t.Skip("there is no GNU tar here")
	}
	one, other := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "another", "deeper")
	copyTree(t, one)
	commit(t, one)
	require(t, root, nil, "bash", "-c", `umask 077; git clone --quiet "$0" "$1"`, one, other)
	var sums [2]string
	var building sync.WaitGroup
	for _, folder := range []string{one, other} {
		building.Go(func() {
			if out, err := release(folder, version); err != nil || !strings.Contains(out, "no images: ") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	building.Wait()
	if t.Failed() {
		return
	}
	for i, folder := range []string{one, other} {
		dist := filepath.Join(folder, "dist", version)
		require(t, dist, nil, "sha256sum", "--quiet", "--check", "SHA256SUMS")
		sums[i] = harness.ReadFile(t, filepath.Join(dist, "SHA256SUMS"))
	}
	if sums[0] != sums[1] || strings.Count(sums[0], "\n") != 4 {
		t.Errorf("the sums are\n%s\nand\n%s", sums[0], sums[1])
	}
	checkArchive(t, filepath.Join(one, "dist", version), "hardware_"+version+"_linux_amd64")
	checkClient(t, filepath.Join(one, "dist", version))
}

// checkClient checks that the client's package has its version and all that it exports.
func checkClient(t *testing.T, dist string) {
	t.Helper()
	require(t, dist, nil, "tar", "-xzf", "backend-client-"+strings.TrimPrefix(version, "v")+".tgz")
	var manifest struct {
		Version string
		Exports map[string]map[string]string
	}
	text := harness.ReadFile(t, filepath.Join(dist, "package", "package.json"))
	if err := json.Unmarshal([]byte(text), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != strings.TrimPrefix(version, "v") || len(manifest.Exports) != 2 {
		t.Errorf("the manifest is %s", text)
	}
	for _, files := range manifest.Exports {
		for _, file := range files {
			harness.ReadFile(t, filepath.Join(dist, "package", file))
		}
	}
}

// checkArchive checks the archive of the hardware service.
func checkArchive(t *testing.T, dist, name string) {
	t.Helper()
	require(t, dist, nil, "tar", "-xzf", name+".tar.gz")
	folder := filepath.Join(dist, name)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if got, want := strings.Join(names, " "), "CHANGELOG.md README.md THIRD_PARTY_LICENSES hardware "+
		"hardware.env.example"; got != want {
		t.Errorf("the archive holds %s, want %s", got, want)
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		want := "hardware version " + version + " (commit " +
			strings.TrimSpace(require(t, dist, nil, "git", "rev-parse", "--short=12", "HEAD")) +
			", built 2026-11-20T12:00:00+01:00)\n"
		if got := require(t, folder, nil, "./hardware", "--version"); got != want {
			t.Errorf("--version prints %q, want %q", got, want)
		}
	}
	licences, bill := harness.ReadFile(t, filepath.Join(folder, "THIRD_PARTY_LICENSES")),
		harness.ReadFile(t, filepath.Join(dist, name+".cdx.json"))
	for _, module := range []string{"github.com/redis/go-redis/v9", "github.com/labstack/echo/v4"} {
		if !strings.Contains(licences, "\n=== "+module+" v") || !strings.Contains(bill, `"name": "`+module+`"`) {
			t.Errorf("%s is not among the licences, or not in the bill of materials", module)
		}
	}
	if !strings.Contains(licences, "Copyright 2009 The Go Authors") || !strings.Contains(bill, `"name": "std"`) {
		t.Error("Go itself is not among the licences, or not in the bill of materials")
	}
}

func TestReleaseRefuses(t *testing.T) {
	change := func(t *testing.T, folder string) { write(t, filepath.Join(folder, "new"), "", 0o600) }
	tagElsewhere := func(t *testing.T, folder string) {
		as := []string{"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@localhost", "GIT_AUTHOR_NAME=test",
			"GIT_AUTHOR_EMAIL=test@localhost"}
		require(t, folder, as, "git", "tag", version)
		require(t, folder, as, "git", "commit", "--quiet", "--allow-empty", "--message", "release: test")
	}
	for name, test := range map[string]struct {
		version string
		prepare func(t *testing.T, folder string)
		want    string
	}{
		"no version":               {"", nil, "'' is not a semantic version"},
		"without v":                {"9.9.9", nil, "is not a semantic version"},
		"two numbers":              {"v9.9", nil, "is not a semantic version"},
		"zero in front":            {"v9.09.9", nil, "is not a semantic version"},
		"zero in front of a label": {"v9.9.9-01", nil, "is not a semantic version"},
		"from git describe":        {"9.9.9-3-g1a2b3c4-dirty", nil, "is not a semantic version"},
		"build, which no tag of an image may hold": {"v9.9.9+1", nil, "is not a semantic version"},
		"no section":               {"v9.9.8", nil, "CHANGELOG.md has no section [9.9.8]"},
		"a section of its release": {"v9.9.9-rc.1", nil, "CHANGELOG.md has no section [9.9.9-rc.1]"},
		"changed tree":             {version, change, "the work tree has changes:\n?? new"},
		"tag of another commit":    {version, tagElsewhere, "the tag v9.9.9 is another commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			copyTree(t, folder, "CHANGELOG.md", "deploy/release", "proto-free-contracts/*.yaml")
			commit(t, folder)
			if test.prepare != nil {
				test.prepare(t, folder)
			}
			out, err := release(folder, test.version)
			if err == nil || !strings.Contains(out, test.want) {
				t.Errorf("ended with %v and %q, want %q", err, out, test.want)
			}
			if _, err := os.Stat(filepath.Join(folder, "dist")); err == nil {
				t.Error("dist exists")
			}
		})
	}
}

const (
	root    = "../.."
	version = "v9.9.9"
)

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

// commit creates a repository from a folder, with one commit whose hash depends only on the
// files.
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

// copyTree copies matching files of this work tree, tracked or new, and prepares the release:
// a section for the version in the change log.
func copyTree(t *testing.T, folder string, match ...string) {
	t.Helper()
	list := require(t, root, nil, "git",
		append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, match...)...)
	for _, path := range strings.Split(strings.Trim(list, "\x00"), "\x00") {
		info, err := os.Stat(filepath.Join(root, path))
		if os.IsNotExist(err) { // removed, but not committed
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, path), harness.ReadFile(t, filepath.Join(root, path)), info.Mode().Perm())
	}
	log := filepath.Join(folder, "CHANGELOG.md")
	write(t, log, harness.ReadFile(t, log)+"\n## ["+strings.TrimPrefix(version, "v")+"] - 2026-11-22\n", 0o600)
}

// release runs release.sh of a folder, without images.
func release(folder, version string) (string, error) {
	return run(folder, []string{"PROGRAMS=hardware", "PLATFORMS=linux/amd64", "DOCKER_HOST=unix:///nowhere"},
		filepath.Join("deploy", "release", "release.sh"), version)
}

// TestEveryModuleIsUpdated requires that the automatic updates include every module.
func TestEveryModuleIsUpdated(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string         `json:"package-ecosystem"`
			Directory   string         `json:"directory"`
			Directories []string       `json:"directories"`
			Groups      map[string]any `json:"groups"`
		} `json:"updates"`
	}
	if err := yaml.Unmarshal([]byte(harness.ReadFile(t, filepath.Join(root, ".github", "dependabot.yml"))),
		&config); err != nil {
		t.Fatal(err)
	}
	var updated []string
	for _, update := range config.Updates {
		if len(update.Groups) != 1 {
			t.Errorf("%s has %d groups, want one", update.Ecosystem, len(update.Groups))
		}
		if update.Ecosystem == "gomod" {
			updated = append(updated, update.Directories...)
			if update.Directory != "" {
				updated = append(updated, update.Directory)
			}
		}
	}
	var modules []string
	for _, path := range strings.Fields(require(t, root, nil, "git", "ls-files", "go.mod", "*/go.mod")) {
		modules = append(modules, "/"+filepath.ToSlash(filepath.Dir(path)))
	}
	slices.Sort(updated)
	slices.Sort(modules)
	if !slices.Equal(updated, modules) {
		t.Errorf("updated are %q, want %q", updated, modules)
	}
}

// TestForgeRunsTheChecks checks that the workflows run the same commands as developers.
func TestForgeRunsTheChecks(t *testing.T) {
	for name, wants := range map[string][]string{
		"ci.yml": {"bash .ci/run\n", "\n  push:\n", "\n  pull_request:\n",
			"go-version-file: proto-free-contracts/go.mod\n", "fetch-depth: 0"},
		"nightly.yml": {"make test-cluster\n", "make test-faults\n", "make fuzz\n", "\n  schedule:\n",
			"go-version-file: proto-free-contracts/go.mod\n"},
	} {
		workflow := harness.ReadFile(t, filepath.Join(root, ".github", "workflows", name))
		for _, want := range wants {
			if !strings.Contains(workflow, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
}

const mit = "Permission is hereby granted, free of charge, to any person"

// TestLicences runs licences.sh with a fake go command for one module.
func TestLicences(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string // of the module, which has the package a/b
		want  []string
		fails bool
	}{
		"all texts": {
			map[string]string{"LICENSE": mit, "NOTICE.txt": "notice", "a/COPYING": "of a", "a/b/LICENSE.md": "of b",
				"c/LICENSE": "not linked", "license.go": "not a text"},
			[]string{"=== example.com/x v1.0.0 (MIT)", "--- LICENSE\n\n" + mit, "--- NOTICE.txt\n\nnotice",
				"--- a/COPYING\n\nof a", "--- a/b/LICENSE.md\n\nof b"}, false,
		},
		"none": {map[string]string{"README": mit}, []string{"example.com/x v1.0.0: unknown is not among"},
			true},
		"a notice only": {map[string]string{"NOTICE": mit}, []string{"unknown is not among"}, true},
		"not allowed": {map[string]string{"COPYING": "GNU AFFERO GENERAL PUBLIC LICENSE"},
			[]string{"GPL is not among"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, bin := t.TempDir(), t.TempDir()
			write(t, filepath.Join(folder, "a", "b", "b.go"), "package b", 0o600)
			for path, text := range test.files {
				write(t, filepath.Join(folder, path), text, 0o600)
			}
			write(t, filepath.Join(bin, "root", "LICENSE"), mit, 0o600)
			write(t, filepath.Join(bin, "go"), `#!/usr/bin/env bash
case "$*" in
  'env GOROOT') echo "`+filepath.Join(bin, "root")+`" ;;
  'env GOVERSION') echo go1 ;;
  *) echo "example.com/x v1.0.0 `+folder+" "+filepath.Join(folder, "a", "b")+`" ;;
esac
`, 0o700)
			out, err := run(".", []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")},
				"./licences.sh", ".")
			if (err != nil) != test.fails {
				t.Errorf("ended with %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if strings.Contains(out, "not linked") || strings.Contains(out, "not a text") {
				t.Errorf("texts of unlinked packages, or code:\n%s", out)
			}
		})
	}
}
