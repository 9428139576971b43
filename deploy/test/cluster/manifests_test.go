package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"backend.example/deploy/test/harness"
)

// TestCluster tests the manifests in one cluster with three simulated nodes. Each part applies what it needs, so
// that it can run alone.
func TestCluster(t *testing.T) {
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
	// The key signs the tokens of service accounts.
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

	t.Run("switch from each overlay to the other", func(t *testing.T) {
		local := harness.Path("deploy", "k8s", "overlays", "local")
		c.apply(t, local)
		c.production(t)
		c.apply(t, local)
		c.production(t)
		if jobs := read[batchv1.JobList](t, c, "/apis/batch/v1/jobs"); len(jobs.Items) > 0 {
			t.Errorf("%d Jobs: a Job is immutable, so a roll-out would need a manual step", len(jobs.Items))
		}
	})
	t.Run("upgrade by digest, and back", func(t *testing.T) {
		c.production(t)
		requireImages := func(suffix string) {
			t.Helper()
			for _, service := range services {
				for _, pod := range c.pods(t, backend, service) {
					if image := pod.Spec.Containers[0].Image; image != "registry.example/backend/"+service+suffix {
						t.Errorf("%s runs %s, want %s", pod.Name, image, suffix)
					}
				}
			}
		}
		digest := "sha256:" + strings.Repeat("0", 64)
		atLeast := c.watchAll(t)
		c.apply(t, version(t, "digest: "+digest))
		requireImages("@" + digest)
		c.production(t)
		requireImages(":1.0.0")
		atLeast(2)
	})
	t.Run("a broken version", func(t *testing.T) {
		c.production(t)
		atLeast := c.watchAll(t)
		c.kubectl(t, "apply", "-k", version(t, "newTag: broken"))
		for _, service := range services {
			harness.EventuallyWithin(t, patience, "a node has a broken pod of "+service, func() bool {
				return slices.ContainsFunc(c.pods(t, backend, service), func(p corev1.Pod) bool {
					return p.Spec.NodeName != "" && strings.HasSuffix(p.Spec.Containers[0].Image, ":broken")
				})
			})
		}
		c.production(t)
		atLeast(2)
	})
	t.Run("a changed setting replaces the pods that use it", func(t *testing.T) {
		names := func(service string) []string {
			return slices.Sorted(maps.Keys(states(c.pods(t, backend, service))))
		}
		c.production(t)
		before := map[string][]string{}
		for _, service := range services {
			before[service] = names(service)
		}
		atLeast := c.watchAll(t)
		c.apply(t, overlay(t, "configMapGenerator: [{name: directory, namespace: backend, behavior: merge, "+
			"literals: [DIRECTORY_SCAN_INTERVAL=12h]}]\n"))
		for _, name := range names("directory") {
			if slices.Contains(before["directory"], name) {
				t.Errorf("%s still has the old setting", name)
			}
		}
		if now := names("hardware"); !slices.Equal(now, before["hardware"]) {
			t.Errorf("the other service was restarted: %v, before %v", now, before["hardware"])
		}
		atLeast(2)
	})
	// The budgets forbid that all nodes are drained at once.
	t.Run("drain", func(t *testing.T) {
		c.production(t)
		atLeast := c.watchAll(t)
		defer c.kubectl(t, "uncordon", "one", "two", "three")
		c.kubectl(t, "cordon", "one", "two", "three")
		drain := []string{"drain", "--ignore-daemonsets", "--delete-emptydir-data"}
		all := append(drain, "--timeout=10s", "one", "two", "three")
		_, err := c.try(t, harness.Built(t, "cluster/kubectl"), all...)
		if err == nil || !strings.Contains(err.Error(), "would violate the pod's disruption budget") {
			t.Errorf("all nodes were drained at once: %v", err)
		}
		atLeast(1)

		c.kubectl(t, "uncordon", "three")
		t.Setenv("NODE", "one")
		c.readme(t, `kubectl drain "$NODE"`)
		t.Setenv("NODE", "two")
		c.readme(t, `kubectl drain "$NODE"`)
		c.settled(t)
		atLeast(1)
		for _, service := range services {
			for _, pod := range c.pods(t, backend, service) {
				if pod.Spec.NodeName != "three" {
					t.Errorf("%s is still on %s", pod.Name, pod.Spec.NodeName)
				}
			}
		}
	})
	// Production is installed a second time, as a tool such as Argo CD does, and a version rolled out while there are
	// as many pods as the autoscaler makes under load. Without metrics it leaves their number.
	t.Run("autoscaler", func(t *testing.T) {
		const second = "second"
		apply := func(more string) (folder string) {
			t.Helper()
			folder = overlay(t, "namespace: "+second+"\n"+more)
			c.kubectl(t, "apply", "--server-side", "--field-manager=argocd-controller", "-k", folder)
			return folder
		}
		applied := apply("")
		c.awaitReady(t, second, "hardware", 2)
		c.kubectl(t, "-n", second, "scale", "deployment/hardware", "--replicas=10")
		c.awaitReady(t, second, "hardware", 10)
		busy := c.watch(t, second, "hardware")
		// kubectl diff fails if there is a difference.
		c.kubectl(t, "diff", "--server-side", "--field-manager=argocd-controller", "-k", applied)
		apply("images: [{name: registry.example/backend/hardware, newTag: 1.1.0}]\n")
		c.kubectl(t, "-n", second, "rollout", "status", "deployment/hardware", "--timeout="+patience.String())
		if least := busy.soFar(t); least < 10 {
			t.Errorf("only %d pods were ready during the roll-out, want 10", least)
		}
	})
	// The cluster has the definitions of the kinds of the components, but not the operators.
	t.Run("components", func(t *testing.T) {
		c.production(t)
		c.apply(t, harness.Path("deploy", "k8s", "testdata", "components"))
		c.readme(t, "for file in alerts")
		got := strings.Fields(c.kubectl(t, "-n", backend, "get", "certificate,externalsecret,podmonitor,prometheusrule",
			"-o", "name"))
		want := []string{
			"certificate.cert-manager.io/backend-tls",
			"externalsecret.external-secrets.io/directory",
			"externalsecret.external-secrets.io/hardware",
			"podmonitor.monitoring.coreos.com/backend",
			"prometheusrule.monitoring.coreos.com/alerts",
			"prometheusrule.monitoring.coreos.com/objectives",
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("the components are %v, want %v", got, want)
		}
	})
	t.Run("erase replay", func(t *testing.T) {
		c.production(t)
		service := c.pods(t, backend, "directory")[0].Spec.Containers[0]
		c.readme(t, "kubectl -n backend scale deployment/directory --replicas=0")
		c.settled(t)
		jobs := read[batchv1.JobList](t, c, "/apis/batch/v1/namespaces/"+backend+"/jobs").Items
		if len(jobs) != 1 {
			t.Fatalf("there are %d jobs, want 1", len(jobs))
		}
		replay := jobs[0].Spec.Template.Spec.Containers[0]
		if want := []string{"erase", "replay"}; !slices.Equal(replay.Args, want) {
			t.Errorf("the job runs %q, want %q", replay.Args, want)
		}
		if replay.Image != service.Image {
			t.Errorf("the job has the image %s, want %s", replay.Image, service.Image)
		}
		if !reflect.DeepEqual(replay.EnvFrom, service.EnvFrom) || !reflect.DeepEqual(replay.Env, service.Env) {
			t.Errorf("the job has other settings than the service: %+v", replay)
		}
	})
}

// production applies production until its pods are ready, the first time with the Secrets of the README.
func (c *controlPlane) production(t *testing.T) {
	t.Helper()
	if c.installed {
		c.apply(t, productionFolder())
		return
	}
	c.installed = true
	secrets := t.TempDir()
	for _, name := range []string{
		"directory/database_url", "directory/session_keys", "directory/encryption_keys",
		"directory/provider_search_client_secret", "directory/provider_social_client_secret",
		"directory/places_api_key", "directory/smtp_url",
		"hardware/redis_url",
	} {
		harness.WriteFile(t, secrets+"/"+name, "played")
	}
	t.Setenv("SECRETS", secrets)
	c.readme(t, "kubectl apply -f deploy/k8s/base/namespace.yaml")
	c.settled(t)
}

func (c *controlPlane) apply(t *testing.T, overlay string) {
	t.Helper()
	c.kubectl(t, "apply", "-k", overlay)
	c.settled(t)
}

func version(t *testing.T, images string) string {
	t.Helper()
	var text strings.Builder
	for _, service := range services {
		fmt.Fprintf(&text, "  - {name: registry.example/backend/%s, %s}\n", service, images)
	}
	return overlay(t, "images:\n"+text.String())
}
