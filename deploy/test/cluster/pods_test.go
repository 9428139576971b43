package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"backend.example/deploy/test/harness"
)

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
	now    func() map[string]bool // according to the API server
	mu     sync.Mutex
	states map[string]bool
	least  int
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
	for _, is := range r.states {
		if is {
			now++
		}
	}
	r.least = min(r.least, now)
}

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
