package cluster

import (
	"slices"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"backend.example/deploy/test/harness"
)

// testAutoscaler installs production a second time, as a tool such as Argo CD does, and
// lets its autoscaler follow a load.
func (c *controlPlane) testAutoscaler(t *testing.T) {
	const second = "second"
	load := c.playMetrics(t, second)
	defer c.kubectl(t, "delete", "apiservice", "v1beta1.metrics.k8s.io")
	apply := func(more string) (folder string) {
		t.Helper()
		folder = overlay(t, "namespace: "+second+"\n"+more)
		c.kubectl(t, "apply", "--server-side", "--field-manager=argocd-controller", "-k", folder)
		return folder
	}
	applied := apply("")
	c.awaitReady(t, second, "hardware", 2)

	load.Store(5000) // 50 times what one pod asks for
	c.awaitReady(t, second, "hardware", 10)
	busy := c.watch(t, second, "hardware")
	c.kubectl(t, "diff", "--server-side", "--field-manager=argocd-controller", "-k", applied) // fails if there is one
	apply("images: [{name: registry.example/backend/hardware, newTag: 1.1.0}]\n")
	c.kubectl(t, "-n", second, "rollout", "status", "deployment/hardware", "--timeout="+patience.String())
	if least := busy.soFar(t); least < 10 {
		t.Errorf("only %d pods were ready during a roll-out under load, want the 10 of the autoscaler", least)
	}

	load.Store(0)
	harness.EventuallyWithin(t, patience, "the autoscaler waits before it scales down", func() bool {
		scaler := read[autoscalingv2.HorizontalPodAutoscaler](t, c, "/apis/autoscaling/v2/namespaces/"+second+"/horizontalpodautoscalers/hardware")
		return slices.ContainsFunc(scaler.Status.Conditions, func(h autoscalingv2.HorizontalPodAutoscalerCondition) bool {
			return h.Type == autoscalingv2.AbleToScale && h.Status == corev1.ConditionTrue && h.Reason == "ScaleDownStabilized"
		})
	})
	c.awaitReady(t, second, "hardware", 10)
	apply(`patches:
  - target: {kind: HorizontalPodAutoscaler}
    patch: '[{"op": "replace", "path": "/spec/behavior/scaleDown/stabilizationWindowSeconds", "value": 0}]'
`)
	c.awaitReady(t, second, "hardware", 2)
}
