// Package cluster tests the manifests of deploy/k8s with a real Kubernetes control plane on
// loopback: API server, controllers and scheduler, with nodes and pods simulated by kwok. No
// container runs, so nothing that needs a kubelet or a network plugin is tested.
//
// `make test-cluster` builds the programs and runs the tests.
package cluster

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// controlPlane is a cluster that is real except for the kubelets.
type controlPlane struct {
	url, token, kubeconfig string
	client                 *http.Client
	installed              bool // production, with its Secrets
}

// get sends a request to the API server.
func (c *controlPlane) get(ctx context.Context, path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	return c.client.Do(request)
}

const patience = 3 * time.Minute

// try runs a program in the root of the repository with kubectl in its path. A warning fails
// the test.
func (c *controlPlane) try(t *testing.T, program string, args ...string) (printed string, err error) {
	t.Helper()
	var said strings.Builder
	command := exec.CommandContext(t.Context(), program, args...) // #nosec G204 -- the test's own, or those of a README
	command.Dir, command.Stderr = harness.Path(), &said
	command.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig, "PATH="+harness.Path("bin", "cluster")+":"+
		os.Getenv("PATH"))
	out, err := command.Output()
	if strings.Contains(said.String(), "Warning") {
		t.Errorf("%s warns: %s", strings.Join(args, " "), said.String())
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, out, said.String())
	}
	return string(out), err
}

func (c *controlPlane) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.try(t, harness.Built(t, "cluster/kubectl"), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c *controlPlane) readme(t *testing.T, beginning string) string {
	t.Helper()
	out, err := c.try(t, "bash", "-euo", "pipefail", "-c",
		harness.Commands(t, harness.Path("deploy", "k8s", "README.md"), beginning))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

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
	return harness.Path("deploy", "k8s", "overlays", "production")
}
