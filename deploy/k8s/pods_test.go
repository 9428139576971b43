package k8s

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// TestPodsAreRestricted holds the pods to the restricted Pod Security Standard
// (kubernetes.io/docs/concepts/security/pod-security-standards), a root file system
// that cannot be written, and no token.
func TestPodsAreRestricted(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for name, pod := range pods(objects) {
			spec := pod.Spec
			if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
				t.Errorf("%s: gets a token", name)
			}
			if spec.EnableServiceLinks == nil || *spec.EnableServiceLinks {
				t.Errorf("%s: gets variables for every Service, which the services refuse", name)
			}
			if s := spec.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser == 0 ||
				s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s: %+v", name, s)
			}
			if spec.HostNetwork || spec.HostPID || spec.HostIPC {
				t.Errorf("%s: shares something of its host", name)
			}
			for _, container := range spec.Containers {
				checkContainer(t, name, container)
			}
		}
	})
}

func checkContainer(t *testing.T, pod string, c corev1.Container) {
	t.Helper()
	s := c.SecurityContext
	if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem ||
		s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 {
		t.Errorf("%s/%s: %+v", pod, c.Name, s)
	}
	if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
		t.Errorf("%s/%s: asks for %+v", pod, c.Name, c.Resources)
	}
}

func TestServicesAreProbedAndSpread(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, name := range []string{"directory", "hardware"} {
			pod := every[appsv1.Deployment](objects)[name].Spec.Template
			c := pod.Spec.Containers[0]
			for probe, want := range map[*corev1.Probe]string{c.StartupProbe: "/healthz", c.LivenessProbe: "/healthz", c.ReadinessProbe: "/readyz"} {
				if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != want || probe.HTTPGet.Port.StrVal != "admin" {
					t.Errorf("%s: a probe is %+v, want %s", name, probe, want)
				}
			}
			var spread []string
			for _, constraint := range pod.Spec.TopologySpreadConstraints {
				spread = append(spread, constraint.TopologyKey)
				if constraint.LabelSelector == nil || !selects(t, constraint.LabelSelector, pod.Labels) {
					t.Errorf("%s: spreads other pods", name)
				}
			}
			if !slices.Equal(spread, []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone"}) {
				t.Errorf("%s: is spread over %v", name, spread)
			}
		}
	})
}

// TestPodsMayFinish holds the time that Kubernetes gives to that which the services
// take: the delay and the longest drain (60 s).
func TestPodsMayFinish(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, name := range []string{"directory", "hardware"} {
			spec := every[appsv1.Deployment](objects)[name].Spec.Template.Spec
			delay := duration(t, environment(t, objects, spec.Containers[0])[strings.ToUpper(name)+"_DRAIN_DELAY"])
			if grace := *spec.TerminationGracePeriodSeconds; float64(grace) < delay.Seconds()+60+5 {
				t.Errorf("%s: has %d s to end, and takes %s and 60 s", name, grace, delay)
			}
		}
	})
}
