package k8s

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// update writes anew what is made from files elsewhere in the repository.
var update = flag.Bool("update", false, "write the routes and middlewares from the gateway's files, the rules from those of Prometheus")

// servicePorts are the ports of the Services to which routes lead.
var servicePorts = map[string]int{"directory": 8081, "hardware": 8082}

// object is a manifest; its fields are written in the order of the alphabet.
type object map[string]any

func newObject(apiVersion, kind, name string, spec any) object {
	return object{"apiVersion": apiVersion, "kind": kind, "metadata": object{"name": name}, "spec": spec}
}

// routeObjects makes one HTTPRoute for each service, with one rule for each destination.
func routeObjects(routes map[match]destination) (objects []object) {
	byDestination := map[destination][]match{}
	for m, w := range routes {
		byDestination[w] = append(byDestination[w], m)
	}
	rules := map[string][]object{}
	for _, w := range slices.SortedFunc(maps.Keys(byDestination), func(a, b destination) int { return cmp.Compare(a.Middlewares, b.Middlewares) }) {
		rules[w.Service] = append(rules[w.Service], rule(w, byDestination[w]))
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
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	var matches, filters []object
	for _, m := range list {
		one := object{"path": object{"type": m.Type, "value": m.Path}}
		if m.Method != "" {
			one["method"] = m.Method
		}
		matches = append(matches, one)
	}
	for _, name := range strings.Fields(w.Middlewares) {
		filters = append(filters, object{
			"type": "ExtensionRef", "extensionRef": object{"group": "traefik.io", "kind": "Middleware", "name": name},
		})
	}
	return object{
		"backendRefs": []object{{"name": w.Service, "port": servicePorts[w.Service]}}, "filters": filters, "matches": matches,
	}
}

// forCluster names the service of an error page as Traefik's custom resource does.
func forCluster(specs map[string]map[string]any) map[string]map[string]any {
	for _, spec := range specs {
		if page, ok := spec["errors"].(map[string]any); ok {
			name := strings.TrimSuffix(page["service"].(string), "-any")
			page["service"] = map[string]any{"name": name, "port": float64(servicePorts[name])}
		}
	}
	return specs
}

func middlewareObjects(specs map[string]map[string]any) (objects []object) {
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		objects = append(objects, newObject("traefik.io/v1alpha1", "Middleware", name, specs[name]))
	}
	return objects
}

// writeObjects writes a file of manifests, which is made from others.
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
