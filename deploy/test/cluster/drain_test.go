package cluster

import (
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// testDrain drains nodes while there is no other, which the budgets forbid, and while
// there is one.
func (c *controlPlane) testDrain(t *testing.T) {
	c.production(t)
	atLeast := c.watchAll(t)
	defer c.kubectl(t, "uncordon", "one", "two", "three")
	c.kubectl(t, "cordon", "one", "two", "three")
	drain := []string{"drain", "--ignore-daemonsets", "--delete-emptydir-data"}
	_, err := c.try(t, harness.Built(t, "cluster/kubectl"), append(drain, "--timeout=10s", "one", "two", "three")...)
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
}
