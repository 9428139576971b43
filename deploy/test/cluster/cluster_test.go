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
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestCluster tests the manifests in one cluster. Each part applies what it needs, so that it
// can run alone.
func TestCluster(t *testing.T) {
	c := start(t)
	t.Run("overlays", c.testOverlays)
	t.Run("upgrade", c.testUpgrade)
	t.Run("broken version", c.testBrokenVersion)
	t.Run("changed setting", c.testChangedSetting)
	t.Run("drain", c.testDrain)
	t.Run("autoscaler", c.testAutoscaler)
	t.Run("components", c.testComponents)
	t.Run("erase replay", c.testEraseReplay)
}

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
	api := harness.FreeAddr(t)
	etcd := "http://" + harness.FreeAddr(t)
	peers := "http://" + harness.FreeAddr(t)
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
	key := file("key", newKey(t))
	file("kubeconfig", fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": [{"name": "test", "cluster": {"server": %q, "insecure-skip-tls-verify": true}}],
		"users": [{"name": "test", "user": {"token": %q}}],
		"contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]}`, c.url, c.token))

	run := func(program string, args ...string) {
		harness.Start(t, program, folder, nil, harness.Built(t, "cluster/"+program), args...)
	}
	run("etcd", "--data-dir="+filepath.Join(folder, "etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+etcd, "--advertise-client-urls="+etcd,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers)
	_, port, _ := net.SplitHostPort(api) // made by FreeAddr
	run("kube-apiserver", "--etcd-servers="+etcd, "--bind-address=127.0.0.1", "--secure-port="+port,
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
	run("kwok", "--kubeconfig="+c.kubeconfig, "--config="+harness.Path(t, "deploy", "test", "cluster", "stages.yaml"),
		"--manage-all-nodes", "--cidr=10.0.0.1/16")

	c.kubectl(t, "apply", "--server-side", "-f", harness.Path(t, "bin", "cluster", "crds"))
	c.kubectl(t, "wait", "--for=condition=Established", "crd", "--all", "--timeout=2m")
	c.kubectl(t, "apply", "-f", harness.Path(t, "deploy", "test", "cluster", "nodes.yaml"))
	c.kubectl(t, "wait", "--for=condition=Ready", "node", "--all", "--timeout=2m")
	return c
}

// newKey creates the key that signs the tokens of service accounts.
func newKey(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
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
	command.Dir, command.Stderr = harness.Path(t), &said
	command.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig, "PATH="+harness.Path(t, "bin", "cluster")+":"+
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
		harness.Commands(t, harness.Path(t, "deploy", "k8s", "README.md"), beginning))
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
	return harness.Path(t, "deploy", "k8s", "overlays", "production")
}
