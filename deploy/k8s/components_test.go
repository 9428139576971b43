package k8s

import (
	"reflect"
	"slices"
	"testing"

	"backend.example/deploy/test/harness"
	"k8s.io/apimachinery/pkg/util/intstr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"
)

const withComponents = "testdata/components"

func TestRulesAreThoseOfPrometheus(t *testing.T) {
	want := map[string]ruleFile{}
	var objects []object
	for _, name := range []string{"alerts", "objectives"} {
		text := harness.ReadFile(t, "../observability/"+name+".yml")
		var file ruleFile
		if err := yaml.UnmarshalStrict([]byte(text), &file); err != nil || len(file.Groups) == 0 {
			t.Fatalf("%s: %d groups, %v", name, len(file.Groups), err)
		}
		want[name] = file
		rule := newObject("monitoring.coreos.com/v1", "PrometheusRule", name, file)
		rule["metadata"] = object{"name": name, "namespace": "backend"}
		objects = append(objects, rule)
	}
	if *update {
		writeObjects(t, "components/monitoring/rules.yaml", "deploy/observability", objects)
	}
	got := map[string]ruleFile{}
	for name, rule := range every[prometheusRule](render(t, withComponents)) {
		got[name] = rule.Spec
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("the rules are not those of deploy/observability: go test -update .")
	}
}

// TestMetricsAreCollected holds the jobs to the names by which the alerts know them.
func TestMetricsAreCollected(t *testing.T) {
	objects := render(t, withComponents)
	monitor := every[podMonitor](objects)["backend"]
	var jobs []string
	for _, pod := range selected(t, objects, "PodMonitor", &monitor.Spec.Selector) {
		jobs = append(jobs, pod.Labels[monitor.Spec.JobLabel])
		for _, endpoint := range monitor.Spec.PodMetricsEndpoints {
			if _, found := portOf(pod, intstr.FromString(endpoint.Port)); !found || endpoint.Port != "admin" {
				t.Errorf("%v has its metrics on admin, not on %s", pod.Labels, endpoint.Port)
			}
		}
	}
	if slices.Sort(jobs); !slices.Equal(jobs, []string{"directory", "hardware"}) {
		t.Errorf("collected are %v", jobs)
	}
}

func TestCertificateIsTheListeners(t *testing.T) {
	objects := render(t, withComponents)
	made := every[certificate](objects)["backend-tls"].Spec
	for _, listener := range every[gatewayv1.Gateway](objects)["backend"].Spec.Listeners {
		if !slices.Contains(made.DNSNames, string(*listener.Hostname)) {
			t.Errorf("listener %s is %s, and the certificate is for %v", listener.Name, *listener.Hostname, made.DNSNames)
		}
		if listener.TLS != nil && string(listener.TLS.CertificateRefs[0].Name) != made.SecretName {
			t.Errorf("listener %s uses %s, and the certificate is in %s", listener.Name, listener.TLS.CertificateRefs[0].Name, made.SecretName)
		}
	}
}
