package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// patience bounds every wait for the cluster; only a failing test uses it up.
const patience = 3 * time.Minute

// try runs a program in the root of the repository, where it finds kubectl and the
// cluster. A warning fails the test.
func (c *controlPlane) try(t *testing.T, program string, args ...string) (printed string, err error) {
	t.Helper()
	var said strings.Builder
	command := exec.CommandContext(t.Context(), program, args...) // #nosec G204 -- the test's own, or those of a README
	command.Dir, command.Stderr = harness.Path(t), &said
	command.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig, "PATH="+harness.Path(t, "bin", "cluster")+":"+os.Getenv("PATH"))
	out, err := command.Output()
	if strings.Contains(said.String(), "Warning") {
		t.Errorf("%s warns: %s", strings.Join(args, " "), said.String())
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, out, said.String())
	}
	return string(out), err
}

// kubectl has to succeed.
func (c *controlPlane) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.try(t, harness.Built(t, "cluster/kubectl"), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readme runs the commands of deploy/k8s/README.md that begin with the given words, as
// they stand there.
func (c *controlPlane) readme(t *testing.T, beginning string) string {
	t.Helper()
	out, err := c.try(t, "bash", "-euo", "pipefail", "-c", harness.Commands(t, harness.Path(t, "deploy", "k8s", "README.md"), beginning))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// overlay makes an overlay of production, with more in it.
func overlay(t *testing.T, more string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	base, err := filepath.Rel(folder, production(t))
	if err != nil {
		t.Fatal(err)
	}
	harness.WriteFile(t, filepath.Join(folder, "kustomization.yaml"), "resources: ["+base+"]\n"+more)
	return folder
}

func production(t *testing.T) string {
	return harness.Path(t, "deploy", "k8s", "overlays", "production")
}
