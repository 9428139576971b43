package release

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
	"sigs.k8s.io/yaml"
)

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
	if err := yaml.Unmarshal([]byte(harness.ReadFile(t, filepath.Join(root, ".github", "dependabot.yml"))), &config); err != nil {
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
		"ci.yml":      {"bash .ci/run\n", "\n  push:\n", "\n  pull_request:\n", "go-version-file: proto-free-contracts/go.mod\n", "fetch-depth: 0"},
		"nightly.yml": {"make test-cluster\n", "make test-network\n", "\n  schedule:\n", "go-version-file: proto-free-contracts/go.mod\n"},
	} {
		workflow := harness.ReadFile(t, filepath.Join(root, ".github", "workflows", name))
		for _, want := range wants {
			if !strings.Contains(workflow, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
}
