package k8s

import (
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"

	"backend.example/deploy/test/harness"
)

func TestSelectorsAndPortsMatch(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for name, deployment := range every[appsv1.Deployment](objects) {
			if !selects(t, deployment.Spec.Selector, deployment.Spec.Template.Labels) {
				t.Errorf("Deployment %s does not select its own pods", name)
			}
		}
		for name, service := range every[corev1.Service](objects) {
			selector := &metav1.LabelSelector{MatchLabels: service.Spec.Selector}
			for _, pod := range selected(t, objects, "Service "+name, selector) {
				for _, port := range service.Spec.Ports {
					if target, found := portOf(pod, port.TargetPort); !found || target != port.Port {
						t.Errorf("Service %s: port %d leads to %d", name, port.Port, target)
					}
				}
			}
		}
		for name, budget := range every[policyv1.PodDisruptionBudget](objects) {
			selected(t, objects, "PodDisruptionBudget "+name, budget.Spec.Selector)
		}
		for name, policy := range every[networkingv1.NetworkPolicy](objects) {
			requirePorts := func(ports []networkingv1.NetworkPolicyPort, pod corev1.PodTemplateSpec) {
				for _, port := range ports {
					if _, found := portOf(pod, *port.Port); !found {
						t.Errorf("NetworkPolicy %s: no port %s", name, port.Port)
					}
				}
			}
			for _, pod := range selected(t, objects, "NetworkPolicy "+name, &policy.Spec.PodSelector) {
				for _, rule := range policy.Spec.Ingress {
					requirePorts(rule.Ports, pod)
				}
			}
			for _, rule := range policy.Spec.Egress {
				for _, peer := range rule.To {
					if peer.PodSelector == nil || peer.NamespaceSelector != nil {
						continue
					}
					for _, pod := range selected(t, objects, "NetworkPolicy "+name, peer.PodSelector) {
						requirePorts(rule.Ports, pod)
					}
				}
			}
		}
	})
}

func TestHardwareScalesAlone(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		scaler := every[autoscalingv2.HorizontalPodAutoscaler](objects)["hardware"]
		target := every[appsv1.Deployment](objects)[scaler.Spec.ScaleTargetRef.Name]
		if target == nil || target.Spec.Replicas != nil {
			t.Fatal("the autoscaler's target is missing or has fixed replicas")
		}
		settings := environment(t, objects, target.Spec.Template.Spec.Containers[0])
		if settings["HARDWARE_MAX_REPLICAS"] != strconv.Itoa(int(scaler.Spec.MaxReplicas)) {
			t.Errorf("the autoscaler makes up to %d replicas, but HARDWARE_MAX_REPLICAS is %s",
				scaler.Spec.MaxReplicas, settings["HARDWARE_MAX_REPLICAS"])
		}
		if least := *scaler.Spec.MinReplicas; least < 2 {
			t.Errorf("the autoscaler leaves %d replicas, want at least 2", least)
		}
		cpu := scaler.Spec.Metrics[0].Resource
		if cpu.Name != corev1.ResourceCPU || cpu.Target.AverageUtilization == nil {
			t.Fatalf("the autoscaler follows %+v, want the average utilization of the CPU", cpu)
		}
		if percent := *cpu.Target.AverageUtilization; percent >= 100 {
			t.Errorf("pods are added from %d%% of the requested CPU, want less than 100%%", percent)
		}
		// A pod that goes takes its warm cache with it.
		if wait := *scaler.Spec.Behavior.ScaleDown.StabilizationWindowSeconds; wait < 300 {
			t.Errorf("pods are removed after %d s of low load, want at least 300", wait)
		}
	})
}

func TestSecretFilesAreMounted(t *testing.T) {
	outside := map[string]map[string][]string{ // the Secrets that the operator creates according to README.md
		"overlays/production": {
			"directory": {"database_url", "session_keys", "encryption_keys", "provider_search_client_secret",
				"provider_social_client_secret", "places_api_key", "smtp_url"},
			"hardware": {"redis_url"},
		},
	}
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) {
			objects := render(t, overlay)
			keys := map[string][]string{}
			maps.Copy(keys, outside[overlay])
			for name, secret := range every[corev1.Secret](objects) {
				keys[name] = slices.Collect(maps.Keys(secret.Data))
			}
			for _, secret := range every[externalSecret](objects) {
				for _, entry := range secret.Spec.Data {
					keys[secret.Spec.Target.Name] = append(keys[secret.Spec.Target.Name], entry.SecretKey)
				}
			}
			for name, pod := range pods(objects) {
				var files []string
				for _, volume := range pod.Spec.Volumes {
					if volume.Secret == nil {
						continue
					}
					for _, item := range volume.Secret.Items {
						if !slices.Contains(keys[volume.Secret.SecretName], item.Key) {
							t.Errorf("%s: Secret %s has no %s", name, volume.Secret.SecretName, item.Key)
						}
						for _, mount := range pod.Spec.Containers[0].VolumeMounts {
							if mount.Name == volume.Name {
								files = append(files, mount.MountPath+"/"+item.Path)
							}
						}
					}
				}
				for _, variable := range pod.Spec.Containers[0].Env {
					if strings.HasSuffix(variable.Name, "_FILE") && !slices.Contains(files, variable.Value) {
						t.Errorf("%s: %s is %s; mounted are %v", name, variable.Name, variable.Value, files)
					}
				}
			}
		})
	}
}

// TestReadmeMakesRules runs the commands of the README that wrap the alerts into objects, with a
// kubectl that prints them.
func TestReadmeMakesRules(t *testing.T) {
	script := "kubectl() { cat; }\n" + harness.Commands(t, "README.md", "for file in alerts")
	command := exec.Command("bash", "-c", script) // #nosec G204 -- from the README
	command.Dir = harness.Path()
	objects := strings.Split(harness.Run(t, command), "---\n")[1:]
	for i, name := range []string{"alerts", "objectives"} {
		var groups any
		if err := yaml.Unmarshal([]byte(harness.ReadFile(t, "../observability/"+name+".yml")), &groups); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule",
			"metadata": map[string]any{"name": name}, "spec": groups}
		var got map[string]any
		if err := yaml.UnmarshalStrict([]byte(objects[i]), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the rules of %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMetricsAreCollected(t *testing.T) {
	objects := render(t, withComponents)
	monitor := every[podMonitor](objects)["backend"]
	var jobs []string
	for _, pod := range selected(t, objects, "PodMonitor", &monitor.Spec.Selector) {
		jobs = append(jobs, pod.Labels[monitor.Spec.JobLabel])
		for _, endpoint := range monitor.Spec.PodMetricsEndpoints {
			if _, found := portOf(pod, intstr.FromString(endpoint.Port)); !found || endpoint.Port != "admin" {
				t.Errorf("%v: metrics are collected from %s instead of admin", pod.Labels, endpoint.Port)
			}
		}
	}
	slices.Sort(jobs)
	if want := []string{"directory", "hardware"}; !slices.Equal(jobs, want) {
		t.Errorf("metrics are collected from %v, want %v", jobs, want)
	}
}

func TestCertificateMatchesListeners(t *testing.T) {
	objects := render(t, withComponents)
	made := every[certificate](objects)["backend-tls"].Spec
	for _, listener := range every[gatewayv1.Gateway](objects)["backend"].Spec.Listeners {
		if !slices.Contains(made.DNSNames, string(*listener.Hostname)) {
			t.Errorf("listener %s is %s, and the certificate is for %v", listener.Name, *listener.Hostname,
				made.DNSNames)
		}
		if listener.TLS != nil && string(listener.TLS.CertificateRefs[0].Name) != made.SecretName {
			t.Errorf("listener %s uses %s, and the certificate is in %s", listener.Name,
				listener.TLS.CertificateRefs[0].Name, made.SecretName)
		}
	}
}
