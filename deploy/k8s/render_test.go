package k8s

import (
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// overlays are what people apply, and production with every component.
var overlays = []string{"overlays/local", "overlays/production", withComponents}

// kinds are the API types that may occur. A Job may not: it cannot be changed, so the
// next roll-out would need a step by hand.
var kinds = map[string]reflect.Type{
	"v1/Namespace":                            reflect.TypeFor[corev1.Namespace](),
	"v1/ServiceAccount":                       reflect.TypeFor[corev1.ServiceAccount](),
	"v1/Service":                              reflect.TypeFor[corev1.Service](),
	"v1/ConfigMap":                            reflect.TypeFor[corev1.ConfigMap](),
	"v1/Secret":                               reflect.TypeFor[corev1.Secret](),
	"apps/v1/Deployment":                      reflect.TypeFor[appsv1.Deployment](),
	"autoscaling/v2/HorizontalPodAutoscaler":  reflect.TypeFor[autoscalingv2.HorizontalPodAutoscaler](),
	"policy/v1/PodDisruptionBudget":           reflect.TypeFor[policyv1.PodDisruptionBudget](),
	"networking.k8s.io/v1/NetworkPolicy":      reflect.TypeFor[networkingv1.NetworkPolicy](),
	"gateway.networking.k8s.io/v1/Gateway":    reflect.TypeFor[gatewayv1.Gateway](),
	"gateway.networking.k8s.io/v1/HTTPRoute":  reflect.TypeFor[gatewayv1.HTTPRoute](),
	"v1/PersistentVolumeClaim":                reflect.TypeFor[corev1.PersistentVolumeClaim](),
	"traefik.io/v1alpha1/Middleware":          reflect.TypeFor[middleware](),
	"cert-manager.io/v1/Certificate":          reflect.TypeFor[certificate](),
	"external-secrets.io/v1/ExternalSecret":   reflect.TypeFor[externalSecret](),
	"monitoring.coreos.com/v1/PodMonitor":     reflect.TypeFor[podMonitor](),
	"monitoring.coreos.com/v1/PrometheusRule": reflect.TypeFor[prometheusRule](),
}

// rendered is an overlay as the cluster would get it.
type rendered []metav1.Object

// render decodes every object of an overlay; a field that its type does not have
// fails the test.
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

// pods returns the pod templates by the name of what makes them.
func pods(objects rendered) map[string]corev1.PodTemplateSpec {
	templates := map[string]corev1.PodTemplateSpec{}
	for name, deployment := range every[appsv1.Deployment](objects) {
		templates[name] = deployment.Spec.Template
	}
	return templates
}

// inEach runs a test on every overlay.
func inEach(t *testing.T, test func(t *testing.T, objects rendered)) {
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) { test(t, render(t, overlay)) })
	}
}

func TestEverythingIsInTheNamespace(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, object := range objects {
			if _, is := object.(*corev1.Namespace); !is && object.GetNamespace() != "backend" {
				t.Errorf("%T %s is in %q", object, object.GetName(), object.GetNamespace())
			}
		}
		if level := every[corev1.Namespace](objects)["backend"].Labels["pod-security.kubernetes.io/enforce"]; level != "restricted" {
			t.Errorf("pod security of the namespace is %q", level)
		}
	})
}
