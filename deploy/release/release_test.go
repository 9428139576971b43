// Package release tests what .goreleaser.yaml makes of a commit: the same bytes in every
// folder, with licences and bills of materials; and that automatic updates and workflows cover
// the repository.
package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"backend.example/deploy/test/harness"
)

const (
	root = "../.."
	// prepare commits the files of this work tree, tracked or new, as v9.9.9 in the folder $0,
	// with a hash that depends only on the files, and clones that to $1.
	prepare = `git ls-files -zco --exclude-standard | tar --null --ignore-failed-read -T - -c 2>/dev/null |
		tar -C "$0" -x
		export GIT_{AUTHOR,COMMITTER}_{NAME=test,EMAIL=test@localhost,DATE=2026-11-20T12:00:00+01:00}
		export GIT_CONFIG_GLOBAL=/dev/null
		cd "$0" && printf '\n## [9.9.9] - 2026-11-22\n' >>CHANGELOG.md && git init --quiet && git add --all &&
		git commit --quiet --message 'release: test' && git tag v9.9.9 && git remote add origin "$1" &&
		umask 077 && git clone --quiet . "$1"`
)

// TestTwoBuildsAreTheSame releases one program for one platform from two clones with different
// paths, umasks and file times.
func TestTwoBuildsAreTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("short tests build no programs")
	}
	harness.Built(t, "lint/cyclonedx-gomod")
	one, other := t.TempDir(), filepath.Join(t.TempDir(), "another", "deeper")
	shell(t, root, prepare, one, other)

	var parsed map[string]any
	original := harness.ReadFile(t, filepath.Join(root, ".goreleaser.yaml"))
	if err := yaml.Unmarshal([]byte(original), &parsed); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"builds", "archives"} {
		parsed[list] = slices.DeleteFunc(parsed[list].([]any), func(v any) bool {
			return slices.Contains([]any{"directory", "sandbox"}, v.(map[string]any)["id"])
		})
	}
	build := parsed["builds"].([]any)[0].(map[string]any)
	build["goos"], build["goarch"] = []string{"linux"}, []string{"amd64"}
	text, err := yaml.Marshal(parsed)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "release.yaml")
	harness.WriteFile(t, config, string(text))

	var building sync.WaitGroup
	for _, folder := range []string{one, other} {
		command := release(t, folder, config)
		building.Go(func() {
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("release in %s: %v\n%s", folder, err, out)
			}
		})
	}
	building.Wait()
	if t.Failed() {
		return
	}
	dist := filepath.Join(one, "dist")
	sums := harness.ReadFile(t, filepath.Join(dist, "SHA256SUMS"))
	if diff := cmp.Diff(sums, harness.ReadFile(t, filepath.Join(other, "dist", "SHA256SUMS"))); diff != "" {
		t.Fatalf("the sums of the two builds differ:\n%s", diff)
	}
	shell(t, dist, `sha256sum --quiet --check SHA256SUMS
		for archive in *gz; do tar -xzf $archive; done; mv hardware_9.9.9_linux_amd64 program`)
	commit := strings.TrimSpace(shell(t, dist, "git rev-parse --short=12 HEAD"))
	for command, want := range map[string]string{
		"cut -c 67- SHA256SUMS": "backend-client-9.9.9.tgz\ncontracts_9.9.9.tar.gz\n" +
			"gateway-configuration_9.9.9.tar.gz\nhardware_9.9.9_linux_amd64.cdx.json\n" +
			"hardware_9.9.9_linux_amd64.tar.gz\n",
		"ls program": "CHANGELOG.md\nREADME.md\nhardware\nhardware.env.example\nlicences\n",
		"program/hardware --version": "hardware version v9.9.9 (commit " + commit +
			", built 2026-11-20T11:00:00Z)\n",
		"head -1 program/licences/go/LICENSE": "Copyright 2009 The Go Authors.\n",
		"cd program/licences/github.com && ls redis/go-redis/v9 prometheus/common": "prometheus/common:\nLICENSE\n" +
			"NOTICE\n\nredis/go-redis/v9:\nLICENSE\n",
		`grep -cE '"name": "(std|github.com/labstack/echo/v4)"' *.cdx.json`: "2\n",
		"ls package":                        "README.md\ndirectory\nhardware\npackage.json\n",
		"ls package/hardware/*.js":          "package/hardware/index.js\n",
		"grep version package/package.json": "  \"version\": \"9.9.9\",\n",
		"ls contracts_9.9.9":                "CHANGELOG.md\ndirectory.openapi.yaml\nhardware.openapi.yaml\nreference\n",
		"ls gateway-configuration_9.9.9":    "CHANGELOG.md\nREADME.md\ndynamic\nstart.sh\ntraefik.yml\n",
	} {
		if diff := cmp.Diff(want, shell(t, dist, command)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", command, diff)
		}
	}
}

func TestReleaseNeedsChanges(t *testing.T) {
	one := t.TempDir()
	shell(t, root, prepare, one, filepath.Join(t.TempDir(), "other"))
	shell(t, one, "git tag -d v9.9.9 && git tag v9.9.8")
	const want = "CHANGELOG.md has no section [9.9.8]"
	out, err := release(t, one, ".goreleaser.yaml").CombinedOutput()
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("the release ends with %v and %q, want a failure with %q", err, out, want)
	}
}

// release returns the command that makes dist in a clone without publishing it.
func release(t *testing.T, folder, config string) *exec.Cmd {
	t.Helper()
	program := harness.Built(t, "lint/goreleaser")
	// #nosec G204 -- the callers are the tests above
	cmd := exec.Command(program, "release", "--config", config, "--skip=docker,publish")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	return cmd
}

func shell(t *testing.T, folder, script string, args ...string) string {
	t.Helper()
	cmd := exec.Command("bash", append([]string{"-c", script}, args...)...) // #nosec G204 -- constant scripts
	cmd.Dir = folder
	return harness.Run(t, cmd)
}

func TestEveryModuleIsUpdated(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string         `json:"package-ecosystem"`
			Directory   string         `json:"directory"`
			Directories []string       `json:"directories"`
			Groups      map[string]any `json:"groups"`
		} `json:"updates"`
	}
	file := harness.ReadFile(t, filepath.Join(root, ".github", "dependabot.yml"))
	if err := yaml.Unmarshal([]byte(file), &config); err != nil {
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
	for _, path := range strings.Fields(shell(t, root, "git ls-files go.mod '*/go.mod'")) {
		modules = append(modules, "/"+filepath.ToSlash(filepath.Dir(path)))
	}
	slices.Sort(updated)
	slices.Sort(modules)
	if !slices.Equal(updated, modules) {
		t.Errorf("Dependabot updates the modules %q, want %q", updated, modules)
	}
}

func TestForgeRunsTheChecks(t *testing.T) {
	for name, wants := range map[string][]string{
		"ci.yml": {"bash .ci/run\n", "\n  push:\n", "\n  pull_request:\n",
			"go-version-file: proto-free-contracts/go.mod\n", "fetch-depth: 0"},
		"nightly.yml": {"make test-cluster\n", "make test-faults\n", "make fuzz\n", "\n  schedule:\n",
			"go-version-file: proto-free-contracts/go.mod\n"},
		"release.yml": {"\n    tags: ", "goreleaser release", "go-version-file: proto-free-contracts/go.mod\n"},
	} {
		workflow := harness.ReadFile(t, filepath.Join(root, ".github", "workflows", name))
		for _, want := range wants {
			if !strings.Contains(workflow, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
}
