package cluster

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"backend.example/deploy/test/harness"
)

type object map[string]any

// playMetrics serves the resource metrics API to the cluster: the pods of a namespace that
// it is asked for share the load, in thousandths of a processor, by equal parts.
func (c *controlPlane) playMetrics(t *testing.T, namespace string) (load *atomic.Int64) {
	t.Helper()
	load = &atomic.Int64{}
	const api = "/apis/metrics.k8s.io/v1beta1"
	answers := http.NewServeMux()
	answers.HandleFunc("GET "+api, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, object{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "metrics.k8s.io/v1beta1", "resources": []object{
			{"name": "pods", "singularName": "", "namespaced": true, "kind": "PodMetrics", "verbs": []string{"get", "list"}},
		}})
	})
	answers.HandleFunc("GET "+api+"/namespaces/"+namespace+"/pods", func(w http.ResponseWriter, r *http.Request) {
		answer, err := c.get(r.Context(), "/api/v1/namespaces/"+namespace+"/pods?"+r.URL.RawQuery)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = answer.Body.Close() }()
		var pods corev1.PodList
		if err := json.NewDecoder(answer.Body).Decode(&pods); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		var items []object
		for _, pod := range pods.Items {
			items = append(items, object{
				"metadata": object{"name": pod.Name, "namespace": pod.Namespace, "labels": pod.Labels},
				// A measurement counts when it began after the pod became ready.
				"timestamp": time.Now().Add(time.Minute).Format(time.RFC3339), "window": "1s",
				"containers": []object{{
					"name":  pod.Spec.Containers[0].Name,
					"usage": object{"cpu": fmt.Sprintf("%dm", load.Load()/int64(len(pods.Items))), "memory": "32Mi"},
				}},
			})
		}
		reply(w, object{"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": object{}, "items": items})
	})
	server := httptest.NewTLSServer(answers)
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String()) // made by httptest
	manifest := filepath.Join(t.TempDir(), "metrics.yaml")
	harness.WriteFile(t, manifest, strings.ReplaceAll(metricsService, "$PORT", port))
	c.kubectl(t, "apply", "-f", manifest)
	c.kubectl(t, "wait", "--for=condition=Available", "apiservice/v1beta1.metrics.k8s.io", "--timeout="+patience.String())
	return load
}

// metricsService leads the API server to the test.
const metricsService = `
apiVersion: v1
kind: Service
metadata: {name: metrics, namespace: kube-system}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  group: metrics.k8s.io
  version: v1beta1
  service: {name: metrics, namespace: kube-system, port: $PORT}
  insecureSkipTLSVerify: true
  groupPriorityMinimum: 100
  versionPriority: 100
`

func reply(w http.ResponseWriter, o object) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(o) // the API server asks again
}
