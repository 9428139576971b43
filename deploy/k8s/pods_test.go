package k8s

import (
	"regexp"
	"slices"
	"strconv"
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
				t.Fatalf("%s: %+v", name, s)
			}
			want := &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: s.RunAsUser, RunAsGroup: s.RunAsGroup, FSGroup: s.FSGroup,
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			}
			if diff := cmp.Diff(want, s); diff != "" {
				t.Errorf("%s: %s", name, diff)
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
					t.Errorf("%s/%s: %s", name, c.Name, diff)
				}
				requests, limits := c.Resources.Requests, c.Resources.Limits
				if requests.Cpu().IsZero() || requests.Memory().IsZero() || limits.Memory().IsZero() {
					t.Errorf("%s/%s: resources %+v", name, c.Name, c.Resources)
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
					t.Errorf("%s: %s", name, diff)
				}
			}
			if minutes := c.StartupProbe.PeriodSeconds * c.StartupProbe.FailureThreshold / 60; name == "directory" &&
				minutes < 30 {
				t.Errorf("%s is restarted after %d minutes, in which a migration may not have built its indexes", name,
					minutes)
			}
			var spread []string
			for _, constraint := range pod.Spec.TopologySpreadConstraints {
				spread = append(spread, constraint.TopologyKey)
				if constraint.LabelSelector == nil || !selects(t, constraint.LabelSelector, pod.Labels) {
					t.Errorf("%s: the constraint selects other pods", name)
				}
			}
			if !slices.Equal(spread, []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone"}) {
				t.Errorf("%s: is spread over %v only", name, spread)
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
			if rolling == nil || rolling.MaxUnavailable == nil {
				t.Fatalf("%s: upgrades by %+v", name, rolling)
			}
			if rolling.MaxUnavailable.String() != "0" || rolling.MaxSurge.String() != "1" {
				t.Errorf("%s: upgrades by %+v", name, rolling)
			}
			budget := every[policyv1.PodDisruptionBudget](objects)[name]
			if budget == nil || budget.Spec.MaxUnavailable.String() != "1" ||
				!selects(t, budget.Spec.Selector, pods(objects)[name].Labels) {
				t.Errorf("%s: is drained by %+v", name, budget)
			}
		}
	})
}

// TestGracePeriodCoversDrain compares the grace period with the delay and the longest drain
// (60 s) of the services.
func TestGracePeriodCoversDrain(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, name := range []string{"directory", "hardware"} {
			spec := every[appsv1.Deployment](objects)[name].Spec.Template.Spec
			delay, err := time.ParseDuration(
				environment(t, objects, spec.Containers[0])[strings.ToUpper(name)+"_DRAIN_DELAY"])
			if err != nil {
				t.Fatal(err)
			}
			if grace := *spec.TerminationGracePeriodSeconds; float64(grace) < delay.Seconds()+60+5 {
				t.Errorf("%s: the grace period is %d s, less than %s and 60 s", name, grace, delay)
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
			t.Errorf("DIRECTORY_COMPANY_ACCESS is %q", settings["DIRECTORY_COMPANY_ACCESS"])
		}
	})
}

// TestContainerPortsMatchAddresses compares the ports of the containers with the addresses of
// the services.
func TestContainerPortsMatchAddresses(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, name := range []string{"directory", "hardware"} {
			c := pods(objects)[name].Spec.Containers[0]
			settings := environment(t, objects, c)
			for i, variable := range []string{"_ADDR", "_ADMIN_ADDR"} {
				if port := c.Ports[i].ContainerPort; settings[strings.ToUpper(name)+variable] != "0.0.0.0:"+
					strconv.Itoa(int(port)) {
					t.Errorf("%s listens on %s, and its port is %d", name, settings[strings.ToUpper(name)+variable],
						port)
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
		if claim == nil ||
			!slices.Equal(claim.Spec.AccessModes, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}) {
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
		if level := every[corev1.Namespace](
			objects,
		)["backend"].Labels["pod-security.kubernetes.io/enforce"]; level != "restricted" {
			t.Errorf("pod security of the namespace is %q", level)
		}
	})
}
