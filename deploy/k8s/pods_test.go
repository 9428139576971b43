package k8s

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"backend.example/deploy/test/harness"
)

// TestPodsAreRestricted checks the restricted Pod Security Standard
// (kubernetes.io/docs/concepts/security/pod-security-standards), a read-only root file system
// and the absence of a token.
func TestPodsAreRestricted(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for name, pod := range pods(objects) {
			spec := pod.Spec
			if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
				t.Errorf("%s: mounts a token", name)
			}
			if spec.EnableServiceLinks == nil || *spec.EnableServiceLinks {
				t.Errorf("%s: has variables for every Service, which the services refuse", name)
			}
			s := spec.SecurityContext
			if s == nil || s.RunAsUser == nil || *s.RunAsUser == 0 {
				t.Errorf("%s: runs as root or as an unknown user: %+v", name, s)
				continue
			}
			want := &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: s.RunAsUser, RunAsGroup: s.RunAsGroup, FSGroup: s.FSGroup,
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			}
			if diff := cmp.Diff(want, s); diff != "" {
				t.Errorf("%s: security context (-want +got):\n%s", name, diff)
			}
			if spec.HostNetwork || spec.HostPID || spec.HostIPC {
				t.Errorf("%s: shares a namespace of its host", name)
			}
			for _, c := range spec.Containers {
				want := &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				}
				if diff := cmp.Diff(want, c.SecurityContext); diff != "" {
					t.Errorf("%s/%s: security context (-want +got):\n%s", name, c.Name, diff)
				}
				requests, limits := c.Resources.Requests, c.Resources.Limits
				if requests.Cpu().IsZero() || requests.Memory().IsZero() || limits.Memory().IsZero() {
					t.Errorf("%s/%s: lacks a request of CPU or memory, or a limit of memory: %+v",
						name, c.Name, c.Resources)
				}
			}
		}
	})
}

func TestServicesAreProbedAndSpread(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, name := range []string{"directory", "hardware"} {
			pod := every[appsv1.Deployment](objects)[name].Spec.Template
			c := pod.Spec.Containers[0]
			for probe, path := range map[*corev1.Probe]string{
				c.StartupProbe: "/healthz", c.LivenessProbe: "/healthz", c.ReadinessProbe: "/readyz",
			} {
				want := &corev1.HTTPGetAction{
					Path: path, Port: intstr.FromString("admin"), Scheme: probe.HTTPGet.Scheme,
				}
				if diff := cmp.Diff(want, probe.HTTPGet); diff != "" {
					t.Errorf("%s: probe (-want +got):\n%s", name, diff)
				}
			}
			minutes := c.StartupProbe.PeriodSeconds * c.StartupProbe.FailureThreshold / 60
			if name == "directory" && minutes < 30 {
				t.Errorf("%s may start for %d minutes, want 30: a migration builds indexes", name, minutes)
			}
			var spread []string
			for _, constraint := range pod.Spec.TopologySpreadConstraints {
				spread = append(spread, constraint.TopologyKey)
				if constraint.LabelSelector == nil || !selects(t, constraint.LabelSelector, pod.Labels) {
					t.Errorf("%s: the constraint selects other pods", name)
				}
			}
			if want := []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone"}; !slices.Equal(spread, want) {
				t.Errorf("%s: is spread over %q, want %q", name, spread, want)
			}
		}
	})
}

// TestUpgradesAndDrainsKeepAPod checks that a new pod is ready before an old one ends, and that
// nodes are drained one pod at a time.
func TestUpgradesAndDrainsKeepAPod(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, name := range []string{"directory", "hardware"} {
			rolling := every[appsv1.Deployment](objects)[name].Spec.Strategy.RollingUpdate
			want := &appsv1.RollingUpdateDeployment{
				MaxUnavailable: new(intstr.FromInt32(0)), MaxSurge: new(intstr.FromInt32(1)),
			}
			if diff := cmp.Diff(want, rolling); diff != "" {
				t.Errorf("%s: roll-out (-want +got):\n%s", name, diff)
			}
			budget := every[policyv1.PodDisruptionBudget](objects)[name]
			if budget == nil || !selects(t, budget.Spec.Selector, pods(objects)[name].Labels) {
				t.Errorf("%s: no disruption budget selects its pods", name)
				continue
			}
			if got := budget.Spec.MaxUnavailable.String(); got != "1" {
				t.Errorf("%s: a drain may take %s pods at a time, want 1", name, got)
			}
		}
	})
}

// TestGracePeriodCoversDrain compares the grace period with the time from SIGTERM to the end of a
// service.
func TestGracePeriodCoversDrain(t *testing.T) {
	const longestDrain, reserve = 60, 5 // seconds
	inEach(t, func(t *testing.T, objects rendered) {
		for _, name := range []string{"directory", "hardware"} {
			spec := every[appsv1.Deployment](objects)[name].Spec.Template.Spec
			settings := environment(t, objects, spec.Containers[0])
			delay, err := time.ParseDuration(settings[strings.ToUpper(name)+"_DRAIN_DELAY"])
			if err != nil {
				t.Fatal(err)
			}
			want := delay.Seconds() + longestDrain + reserve
			if grace := *spec.TerminationGracePeriodSeconds; float64(grace) < want {
				t.Errorf("%s: the grace period is %d s, want at least %v s", name, grace, want)
			}
		}
	})
}

// TestSettingsExist checks that all variables are settings of the services. An unknown one with
// a service's prefix would prevent its start.
func TestSettingsExist(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^#?([A-Z][A-Z0-9_]*)=`)
	for _, service := range []string{"directory", "hardware"} {
		text := harness.ReadFile(t, "../env/"+service+".env.example")
		known := map[string]bool{"GOMEMLIMIT": true}
		for _, match := range declared.FindAllStringSubmatch(text, -1) {
			known[match[1]] = true
		}
		inEach(t, func(t *testing.T, objects rendered) {
			for name, pod := range pods(objects) {
				if pod.Spec.ServiceAccountName != service {
					continue
				}
				for variable := range environment(t, objects, pod.Spec.Containers[0]) {
					if !known[variable] && !known[strings.TrimSuffix(variable, "_FILE")] {
						t.Errorf("%s: the %s service has no setting %s", name, service, variable)
					}
				}
			}
		})
	}
}

func TestCompanyAccessIsStrict(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		settings := environment(t, objects, pods(objects)["directory"].Spec.Containers[0])
		if settings["DIRECTORY_COMPANY_ACCESS"] != "strict" {
			t.Errorf("DIRECTORY_COMPANY_ACCESS is %q, want strict", settings["DIRECTORY_COMPANY_ACCESS"])
		}
	})
}

func TestContainerPortsMatchAddresses(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, name := range []string{"directory", "hardware"} {
			c := pods(objects)[name].Spec.Containers[0]
			settings := environment(t, objects, c)
			for i, variable := range []string{"_ADDR", "_ADMIN_ADDR"} {
				got := settings[strings.ToUpper(name)+variable]
				if want := fmt.Sprintf("0.0.0.0:%d", c.Ports[i].ContainerPort); got != want {
					t.Errorf("%s listens on %s, want %s as in the ports of its container", name, got, want)
				}
			}
		}
	})
}

// TestErasureLogIsPersistent checks the volume of the log of erasures. If the log were lost
// with its pod, a restored database would bring back erased data.
func TestErasureLogIsPersistent(t *testing.T) {
	objects := render(t, "overlays/production")
	pod := every[appsv1.Deployment](objects)["directory"].Spec.Template.Spec
	log := environment(t, objects, pod.Containers[0])["DIRECTORY_ERASURE_LOG"]
	for _, mount := range pod.Containers[0].VolumeMounts {
		if !strings.HasPrefix(log, mount.MountPath+"/") || mount.ReadOnly {
			continue
		}
		volume := pod.Volumes[slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })]
		if volume.PersistentVolumeClaim == nil {
			t.Fatalf("%s is on %s, which is deleted with the pod", log, volume.Name)
		}
		claim := every[corev1.PersistentVolumeClaim](objects)[volume.PersistentVolumeClaim.ClaimName]
		want := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
		if claim == nil || !slices.Equal(claim.Spec.AccessModes, want) {
			t.Errorf("the replicas cannot share the volume of %s: %+v", log, claim)
		}
		return
	}
	t.Errorf("DIRECTORY_ERASURE_LOG is %q, which is on no volume", log)
}

func TestAllObjectsAreInTheNamespace(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, object := range objects {
			if _, is := object.(*corev1.Namespace); !is && object.GetNamespace() != "backend" {
				t.Errorf("%T %s is in %q", object, object.GetName(), object.GetNamespace())
			}
		}
		namespace := every[corev1.Namespace](objects)["backend"]
		if level := namespace.Labels["pod-security.kubernetes.io/enforce"]; level != "restricted" {
			t.Errorf("the namespace enforces the level %q, want restricted", level)
		}
	})
}
