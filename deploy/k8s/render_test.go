package k8s

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
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

// overlays are the overlays for users, and production with every component.
var overlays = []string{"overlays/local", "overlays/production", withComponents}

// kinds are the allowed API types. A Job is not allowed, because it is immutable and the next
// roll-out would need a manual step.
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
	"traefik.io/v1alpha1/ServersTransport":    reflect.TypeFor[serversTransport](),
	"traefik.io/v1alpha1/TraefikService":      reflect.TypeFor[traefikService](),
	"cert-manager.io/v1/Certificate":          reflect.TypeFor[certificate](),
	"external-secrets.io/v1/ExternalSecret":   reflect.TypeFor[externalSecret](),
	"monitoring.coreos.com/v1/PodMonitor":     reflect.TypeFor[podMonitor](),
	"monitoring.coreos.com/v1/PrometheusRule": reflect.TypeFor[prometheusRule](),
}

// rendered is an overlay as a cluster receives it.
type rendered []metav1.Object

// render decodes every object of an overlay. Unknown fields fail the test.
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

// inEach runs a test on every overlay.
func inEach(t *testing.T, test func(t *testing.T, objects rendered)) {
	for _, overlay := range overlays {
		t.Run(overlay, func(t *testing.T) { test(t, render(t, overlay)) })
	}
}

func TestAllObjectsAreInTheNamespace(t *testing.T) {
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

// custom is a custom resource, as far as the manifests use it. Its own type would import
// Traefik or an operator. `make test-cluster` checks the manifests against the definitions.
type custom[S any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              S `json:"spec"`
}

type (
	middleware       = custom[map[string]any] // is compared with the gateway's file
	serversTransport = custom[transportSpec]
	traefikService   = custom[traefikServiceSpec]
	certificate      = custom[certificateSpec]
	externalSecret   = custom[externalSecretSpec]
	podMonitor       = custom[podMonitorSpec]
	prometheusRule   = custom[ruleFile]

	transportSpec struct {
		MaxIdleConnsPerHost int `json:"maxIdleConnsPerHost"`
		ForwardingTimeouts  struct {
			DialTimeout           string `json:"dialTimeout"`
			ResponseHeaderTimeout string `json:"responseHeaderTimeout"`
			IdleConnTimeout       string `json:"idleConnTimeout"`
		} `json:"forwardingTimeouts"`
	}

	traefikServiceSpec struct {
		Failover map[string]any `json:"failover"`
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

	// ruleFile is a file of rules as Prometheus reads it.
	ruleFile struct {
		Groups []any `json:"groups"`
	}
)

// keys returns the keys of the resulting Secret.
func (e externalSecretSpec) keys() []string {
	made := map[string]bool{}
	for _, entry := range e.Data {
		made[entry.SecretKey] = true
	}
	return slices.Sorted(maps.Keys(made))
}

// update regenerates the manifests that are derived from other files of the repository.
var update = flag.Bool("update", false, "write the routes and middlewares from the gateway's files, the rules from those of Prometheus")

// servicePorts are the ports of the routes' Services.
var servicePorts = map[string]int{"directory": 8081, "hardware": 8082, "web-app": 8080}

// object is a manifest. Its fields are written in alphabetical order.
type object map[string]any

func newObject(apiVersion, kind, name string, spec any) object {
	return object{"apiVersion": apiVersion, "kind": kind, "metadata": object{"name": name}, "spec": spec}
}

// routeObjects returns an HTTPRoute for each service, with a rule for each destination.
func routeObjects(routes map[match]destination) (objects []object) {
	byDestination := map[destination][]match{}
	for m, w := range routes {
		byDestination[w] = append(byDestination[w], m)
	}
	rules := map[string][]object{}
	for _, w := range slices.SortedFunc(maps.Keys(byDestination), func(a, b destination) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Middlewares, b.Middlewares))
	}) {
		servers := serversOf(w.Service)
		rules[servers] = append(rules[servers], rule(w, byDestination[w]))
	}
	for _, service := range slices.Sorted(maps.Keys(rules)) {
		objects = append(objects, newObject("gateway.networking.k8s.io/v1", "HTTPRoute", service, object{
			"parentRefs": []object{{"name": "backend", "sectionName": "web"}}, "rules": rules[service],
		}))
	}
	return objects
}

func rule(w destination, list []match) object {
	slices.SortFunc(list, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method),
			cmp.Compare(strconv.FormatBool(a.Header), strconv.FormatBool(b.Header)))
	})
	var matches, filters []object
	for _, m := range list {
		one := object{"path": object{"type": m.Type, "value": m.Path}}
		if m.Method != "" {
			one["method"] = m.Method
		}
		if m.Header {
			one["headers"] = []object{{"type": "RegularExpression", "name": "Accept-Encoding", "value": "."}}
		}
		matches = append(matches, one)
	}
	for _, name := range strings.Fields(w.Middlewares) {
		filters = append(filters, object{
			"type": "ExtensionRef", "extensionRef": object{"group": "traefik.io", "kind": "Middleware", "name": name},
		})
	}
	backend := object{"group": "traefik.io", "kind": "TraefikService", "name": w.Service}
	if port, plain := servicePorts[w.Service]; plain {
		backend = object{"name": w.Service, "port": port}
	}
	return object{"backendRefs": []object{backend}, "filters": filters, "matches": matches}
}

// serversOf returns the Service whose pods stand behind a service of the gateway's files.
func serversOf(name string) string {
	if _, plain := servicePorts[name]; plain {
		return name
	}
	servers, _, _ := strings.Cut(name, "-")
	return servers
}

// admit is the middleware that leads from a gate to the servers. In a custom resource,
// noop@internal cannot have the middlewares of the gate.
const admit = "admit"

// gateObjects returns the gates as custom resources. Traefik names a service after the Service
// and its port, whatever its middlewares, so each list of middlewares needs a Service of its
// own.
func gateObjects(gates map[string]service) (objects []object) {
	var services []object
	reference := func(name string) object {
		r := object{"name": name, "port": servicePorts[serversOf(name)]}
		var middlewares []object
		for _, m := range gates[name].Middlewares {
			middlewares = append(middlewares, object{"name": m})
		}
		if strings.HasSuffix(name, "-gate") {
			middlewares = append(middlewares, object{"name": admit})
		}
		if middlewares != nil {
			r["middlewares"] = middlewares
		}
		r["serversTransport"] = serversOf(name)
		if w := gates[name].Weighted.Services; len(w) > 0 && strings.HasSuffix(w[0].Name, "-quick") {
			r["serversTransport"] = "quick"
		}
		return r
	}
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		switch s := gates[name]; {
		case s.Failover.Service != "":
			objects = append(objects, newObject("traefik.io/v1alpha1", "TraefikService", name, object{"failover": object{
				"service": reference(s.Failover.Service), "fallback": reference(s.Failover.Fallback), "errors": s.Failover.Errors,
			}}))
		case !strings.HasSuffix(name, "-bodies"):
			services = append(services, newObject("v1", "Service", name, object{
				"selector": object{"app.kubernetes.io/name": serversOf(name)},
				"ports":    []object{{"name": "http", "port": servicePorts[serversOf(name)], "targetPort": "http"}},
			}))
		}
	}
	return append(objects, services...)
}

// asYAML returns v as comparable text.
func asYAML(t *testing.T, v any) string {
	t.Helper()
	text, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// forCluster names the service of an error page as Traefik's custom resource does, and adds
// admit.
func forCluster(specs map[string]map[string]any, gates map[string]service) map[string]map[string]any {
	for _, spec := range specs {
		if page, ok := spec["errors"].(map[string]any); ok {
			name := page["service"].(string)
			service := map[string]any{"name": serversOf(name), "port": float64(servicePorts[serversOf(name)])}
			if list := gates[name].Middlewares; list != nil {
				service["middlewares"] = []any{map[string]any{"name": list[0]}}
			}
			page["service"] = service
		}
	}
	specs[admit] = map[string]any{"ipAllowList": map[string]any{"sourceRange": []any{"255.255.255.255"}, "rejectStatusCode": float64(418)}}
	return specs
}

func middlewareObjects(specs map[string]map[string]any) (objects []object) {
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		objects = append(objects, newObject("traefik.io/v1alpha1", "Middleware", name, specs[name]))
	}
	return objects
}

// writeObjects writes a file of manifests that are derived from other files.
func writeObjects(t *testing.T, path, from string, objects []object) {
	t.Helper()
	text := []string{"# Made from " + from + ", which gives the reasons: go test -update .\n"}
	for i, o := range objects {
		one, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			text = append(text, "---\n")
		}
		text = append(text, string(one))
	}
	if err := os.WriteFile(path, []byte(strings.Join(text, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}
