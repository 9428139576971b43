// Package k8s tests the manifests of this folder. It renders each overlay with Kustomize,
// decodes every object strictly into its API type, and checks that the objects agree with
// each other (selectors, ports, secrets, limits), with the gateway's routes and with the
// services' settings.
//
// It needs no cluster.
package k8s

import (
	"maps"
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const withComponents = "testdata/components"

var overlays = []string{"overlays/local", "overlays/production", withComponents}

// kinds are the allowed API types. A Job is not allowed, because it is immutable and the next
// roll-out would need a manual step.
var kinds = map[string]reflect.Type{
	"v1/Namespace":                           reflect.TypeFor[corev1.Namespace](),
	"v1/ServiceAccount":                      reflect.TypeFor[corev1.ServiceAccount](),
	"v1/Service":                             reflect.TypeFor[corev1.Service](),
	"v1/ConfigMap":                           reflect.TypeFor[corev1.ConfigMap](),
	"v1/Secret":                              reflect.TypeFor[corev1.Secret](),
	"apps/v1/Deployment":                     reflect.TypeFor[appsv1.Deployment](),
	"autoscaling/v2/HorizontalPodAutoscaler": reflect.TypeFor[autoscalingv2.HorizontalPodAutoscaler](),
	"policy/v1/PodDisruptionBudget":          reflect.TypeFor[policyv1.PodDisruptionBudget](),
	"networking.k8s.io/v1/NetworkPolicy":     reflect.TypeFor[networkingv1.NetworkPolicy](),
	"gateway.networking.k8s.io/v1/Gateway":   reflect.TypeFor[gatewayv1.Gateway](),
	"gateway.networking.k8s.io/v1/HTTPRoute": reflect.TypeFor[gatewayv1.HTTPRoute](),
	"v1/PersistentVolumeClaim":               reflect.TypeFor[corev1.PersistentVolumeClaim](),
	"traefik.io/v1alpha1/Middleware":         reflect.TypeFor[middleware](),
	"traefik.io/v1alpha1/ServersTransport":   reflect.TypeFor[serversTransport](),
	"traefik.io/v1alpha1/TraefikService":     reflect.TypeFor[traefikService](),
	"cert-manager.io/v1/Certificate":         reflect.TypeFor[certificate](),
	"external-secrets.io/v1/ExternalSecret":  reflect.TypeFor[externalSecret](),
	"monitoring.coreos.com/v1/PodMonitor":    reflect.TypeFor[podMonitor](),
}

type rendered []metav1.Object

// render returns the objects of an overlay. An unknown kind or field fails the test.
func render(t *testing.T, overlay string) (objects rendered) {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), overlay)
	if err != nil {
		t.Fatal(err)
	}
	for _, resource := range resources.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		kind := resource.GetApiVersion() + "/" + resource.GetKind()
		form, known := kinds[kind]
		if !known {
			t.Fatalf("%s: no type for it", kind)
		}
		object := reflect.New(form).Interface()
		if err := yaml.UnmarshalStrict(text, object); err != nil {
			t.Fatalf("%s %s: %v", kind, resource.GetName(), err)
		}
		objects = append(objects, object.(metav1.Object))
	}
	return objects
}

// every returns the objects of one type, by name.
func every[T any](objects rendered) map[string]*T {
	found := map[string]*T{}
	for _, object := range objects {
		if one, is := object.(any).(*T); is {
			found[object.GetName()] = one
		}
	}
	return found
}

// pods returns the pod templates by the name of their Deployment.
func pods(objects rendered) map[string]corev1.PodTemplateSpec {
	templates := map[string]corev1.PodTemplateSpec{}
	for name, deployment := range every[appsv1.Deployment](objects) {
		templates[name] = deployment.Spec.Template
	}
	return templates
}

func inEach(t *testing.T, test func(t *testing.T, objects rendered)) {
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) { test(t, render(t, overlay)) })
	}
}

// custom is a custom resource, as far as the manifests use it. Its own type would import
// Traefik or an operator. `make test-cluster` checks the manifests against the definitions.
type custom[S any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              S `json:"spec"`
}

type (
	middleware       = custom[map[string]any]
	serversTransport = custom[transportSpec]
	traefikService   = custom[traefikServiceSpec]
	certificate      = custom[certificateSpec]
	externalSecret   = custom[externalSecretSpec]
	podMonitor       = custom[podMonitorSpec]

	transportSpec struct {
		MaxIdleConnsPerHost int `json:"maxIdleConnsPerHost"`
		ForwardingTimeouts  struct {
			DialTimeout           string `json:"dialTimeout"`
			ResponseHeaderTimeout string `json:"responseHeaderTimeout"`
			IdleConnTimeout       string `json:"idleConnTimeout"`
		} `json:"forwardingTimeouts"`
	}

	traefikServiceSpec struct {
		Weighted map[string]any `json:"weighted"`
	}

	certificateSpec struct {
		SecretName string   `json:"secretName"`
		DNSNames   []string `json:"dnsNames"`
		PrivateKey struct {
			RotationPolicy string `json:"rotationPolicy"`
		} `json:"privateKey"`
		IssuerRef struct{ Group, Kind, Name string } `json:"issuerRef"`
	}

	externalSecretSpec struct {
		RefreshInterval string                      `json:"refreshInterval"`
		SecretStoreRef  struct{ Kind, Name string } `json:"secretStoreRef"`
		Target          struct{ Name string }       `json:"target"`
		Data            []struct {
			SecretKey string                         `json:"secretKey"`
			RemoteRef struct{ Key, Property string } `json:"remoteRef"`
		} `json:"data"`
	}

	podMonitorSpec struct {
		JobLabel            string                            `json:"jobLabel"`
		Selector            metav1.LabelSelector              `json:"selector"`
		PodMetricsEndpoints []struct{ Port, Interval string } `json:"podMetricsEndpoints"`
	}
)

func selects(t *testing.T, selector *metav1.LabelSelector, set map[string]string) bool {
	t.Helper()
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	return s.Matches(labels.Set(set))
}

// portOf returns the number of a pod's port, which port names or repeats.
func portOf(pod corev1.PodTemplateSpec, port intstr.IntOrString) (int32, bool) {
	for _, container := range pod.Spec.Containers {
		for _, p := range container.Ports {
			named := port.Type == intstr.String && p.Name == port.StrVal
			numbered := port.Type == intstr.Int && p.ContainerPort == port.IntVal
			if named || numbered {
				return p.ContainerPort, true
			}
		}
	}
	return 0, false
}

// selected returns the pods that a selector matches, at least one. what says whose selector it is.
func selected(t *testing.T, objects rendered, what string, selector *metav1.LabelSelector) []corev1.PodTemplateSpec {
	t.Helper()
	var found []corev1.PodTemplateSpec
	for _, pod := range pods(objects) {
		if selects(t, selector, pod.Labels) {
			found = append(found, pod)
		}
	}
	if len(found) == 0 {
		t.Errorf("%s selects no pod: %v", what, selector)
	}
	return found
}

func environment(t *testing.T, objects rendered, c corev1.Container) map[string]string {
	t.Helper()
	variables := map[string]string{}
	for _, source := range c.EnvFrom {
		settings := every[corev1.ConfigMap](objects)[source.ConfigMapRef.Name]
		if settings == nil {
			t.Fatalf("%s: no ConfigMap %s", c.Name, source.ConfigMapRef.Name)
		}
		maps.Copy(variables, settings.Data)
	}
	for _, variable := range c.Env {
		variables[variable.Name] = variable.Value
	}
	return variables
}
