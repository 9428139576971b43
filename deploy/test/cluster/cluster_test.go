// Package cluster tests the manifests of deploy/k8s with a real Kubernetes control plane on
// loopback: API server, controllers and scheduler, with nodes and pods simulated by kwok. No
// container runs, so nothing that needs a kubelet or a network plugin is tested.
//
// `make test-cluster` builds the programs and runs the tests.
package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"backend.example/deploy/test/harness"
)

// controlPlane is a cluster that is real except for the kubelets.
type controlPlane struct {
	url, token, kubeconfig string
	client                 *http.Client
	installed              bool // whether production was applied, with its Secrets
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

// overlay returns a folder with an overlay of production. more is further text of its kustomization.
func overlay(t *testing.T, more string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	base, err := filepath.Rel(folder, productionFolder())
	if err != nil {
		t.Fatal(err)
	}
	harness.WriteFile(t, filepath.Join(folder, "kustomization.yaml"), "resources: ["+base+"]\n"+more)
	return folder
}

func productionFolder() string {
	return harness.Path("deploy", "k8s", "overlays", "production")
}

const backend = "backend"

var services = []string{"directory", "hardware"}

func read[T any](t *testing.T, c *controlPlane, path string) (object T) {
	t.Helper()
	answer, err := c.get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if err := json.NewDecoder(answer.Body).Decode(&object); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, answer.StatusCode, err)
	}
	return object
}

func podsPath(namespace, service string) string {
	return "/api/v1/namespaces/" + namespace + "/pods?labelSelector=" +
		url.QueryEscape("app.kubernetes.io/name="+service)
}

// pods returns the pods of a service, except those that have ended or are terminating.
func (c *controlPlane) pods(t *testing.T, namespace, service string) []corev1.Pod {
	t.Helper()
	return slices.DeleteFunc(read[corev1.PodList](t, c, podsPath(namespace, service)).Items, ending)
}

func ending(p corev1.Pod) bool {
	return p.DeletionTimestamp != nil || p.Status.Phase == corev1.PodSucceeded
}

func ready(p corev1.Pod) bool {
	return !ending(p) && slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// settled waits until each service has two ready pods of its newest version and no others.
func (c *controlPlane) settled(t *testing.T) {
	t.Helper()
	for _, service := range services {
		c.kubectl(t, "-n", backend, "rollout", "status", "deployment/"+service, "--timeout="+patience.String())
		c.awaitReady(t, backend, service, 2)
	}
}

func (c *controlPlane) awaitReady(t *testing.T, namespace, service string, n int) {
	t.Helper()
	harness.EventuallyWithin(t, patience, fmt.Sprintf("%d pods of %s are ready", n, service), func() bool {
		all := c.pods(t, namespace, service)
		return len(all) == n && !slices.ContainsFunc(all, func(p corev1.Pod) bool { return !ready(p) })
	})
}

type readiness struct {
	now    func() map[string]bool // states according to the API server
	mu     sync.Mutex
	states map[string]bool // whether each pod is ready, by name
	least  int             // pods that were ready at every moment
}

// watchAll watches the pods of both services. The returned function fails the test if at some
// moment fewer than want were ready.
func (c *controlPlane) watchAll(t *testing.T) (atLeast func(want int)) {
	t.Helper()
	watched := map[string]*readiness{}
	for _, service := range services {
		watched[service] = c.watch(t, backend, service)
	}
	return func(want int) {
		t.Helper()
		for service, r := range watched {
			if least := r.soFar(t); least < want {
				t.Errorf("%s: only %d pods were ready, want %d at every moment", service, least, want)
			}
		}
	}
}

func (c *controlPlane) watch(t *testing.T, namespace, service string) *readiness {
	t.Helper()
	path := podsPath(namespace, service)
	list := read[corev1.PodList](t, c, path)
	r := &readiness{states: states(list.Items), least: len(list.Items)}
	r.now = func() map[string]bool { return states(read[corev1.PodList](t, c, path).Items) }
	events, err := c.get(t.Context(), path+"&watch=true&resourceVersion="+list.ResourceVersion)
	if err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the request, whose context is the test's
		defer func() { _ = events.Body.Close() }()
		decoder := json.NewDecoder(events.Body)
		for {
			var event struct {
				Type   string
				Object corev1.Pod
			}
			if decoder.Decode(&event) != nil {
				return
			}
			r.record(event.Object, event.Type == "DELETED")
		}
	}()
	return r
}

func states(pods []corev1.Pod) map[string]bool {
	all := map[string]bool{}
	for _, pod := range pods {
		all[pod.Name] = ready(pod)
	}
	return all
}

func (r *readiness) record(pod corev1.Pod, gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states[pod.Name] = ready(pod)
	if gone {
		delete(r.states, pod.Name)
	}
	now := 0
	for _, isReady := range r.states {
		if isReady {
			now++
		}
	}
	r.least = min(r.least, now)
}

// soFar returns how many pods were ready at every moment until now.
func (r *readiness) soFar(t *testing.T) (least int) {
	t.Helper()
	harness.EventuallyWithin(t, patience, "the watch has caught up", func() bool {
		now := r.now()
		r.mu.Lock()
		defer r.mu.Unlock()
		least = r.least
		return maps.Equal(now, r.states)
	})
	return least
}
