// Package cluster tests the manifests of deploy/k8s with a real Kubernetes control plane on
// loopback: API server, controllers and scheduler, with nodes and pods simulated by kwok. No
// container runs, so nothing that needs a kubelet or a network plugin is tested.
//
// `make test-cluster` builds the programs and runs the tests.
package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
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

// start runs a control plane with three simulated nodes until the test ends.
func start(t *testing.T) *controlPlane {
	t.Helper()
	folder := t.TempDir()
	api := harness.FreeAddr()
	etcd := "http://" + harness.FreeAddr()
	peers := "http://" + harness.FreeAddr()
	c := &controlPlane{
		url: "https://" + api, token: rand.Text(), kubeconfig: filepath.Join(folder, "kubeconfig"),
		client: &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // #nosec G402 -- created for the test, on loopback
		}},
	}
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		harness.WriteFile(t, path, content)
		return path
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	// It signs the tokens of service accounts.
	key := file("key", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})))
	file("kubeconfig", fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": [{"name": "test", "cluster": {"server": %q, "insecure-skip-tls-verify": true}}],
		"users": [{"name": "test", "user": {"token": %q}}],
		"contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]}`, c.url, c.token))

	run := func(program string, args ...string) {
		harness.Start(t, folder, nil, harness.Built(t, "cluster/"+program), args...)
	}
	run("etcd", "--data-dir="+filepath.Join(folder, "etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+etcd, "--advertise-client-urls="+etcd,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers)

	run("kube-apiserver", "--etcd-servers="+etcd, "--bind-address=127.0.0.1", "--secure-port="+harness.Port(api),
		"--advertise-address=192.0.2.1", "--endpoint-reconciler-type=none", "--cert-dir="+
			filepath.Join(folder, "certificates"),
		"--service-account-key-file="+key, "--service-account-signing-key-file="+key,
		"--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=RBAC", "--token-auth-file="+file("tokens", c.token+`,test,test,"system:masters"`+"\n"))
	harness.EventuallyWithin(t, patience, "the API server is ready", func() bool {
		answer, err := c.get(t.Context(), "/readyz")
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	run("kube-controller-manager", "--kubeconfig="+c.kubeconfig, "--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file="+key,
		"--node-monitor-grace-period=1h", // there are no heartbeats
		"--horizontal-pod-autoscaler-sync-period=1s")
	run("kube-scheduler", "--kubeconfig="+c.kubeconfig, "--leader-elect=false", "--secure-port=0")
	run("kwok", "--kubeconfig="+c.kubeconfig, "--config="+harness.Path("deploy", "test", "cluster", "stages.yaml"),
		"--manage-all-nodes", "--cidr=10.0.0.1/16")

	c.kubectl(t, "apply", "--server-side", "-f", harness.Path("bin", "cluster", "crds"))
	c.kubectl(t, "wait", "--for=condition=Established", "crd", "--all", "--timeout=2m")
	c.kubectl(t, "apply", "-f", harness.Path("deploy", "test", "cluster", "nodes.yaml"))
	c.kubectl(t, "wait", "--for=condition=Ready", "node", "--all", "--timeout=2m")
	return c
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

// patience bounds every wait for the cluster. Only a failing test uses it up.
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

// kubectl runs kubectl, which has to succeed.
func (c *controlPlane) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.try(t, harness.Built(t, "cluster/kubectl"), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readme runs the commands of deploy/k8s/README.md that begin with the given words.
func (c *controlPlane) readme(t *testing.T, beginning string) string {
	t.Helper()
	out, err := c.try(t, "bash", "-euo", "pipefail", "-c",
		harness.Commands(t, harness.Path("deploy", "k8s", "README.md"), beginning))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// overlay creates an overlay of production with additional text.
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
