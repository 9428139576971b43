package k8s

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
	corev1 "k8s.io/api/core/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"
)

// router is a router of the gateway's files, as far as the routes need it.
type router struct {
	ParentRefs  []string `json:"parentRefs"`
	Priority    int      `json:"priority"`
	Rule        string   `json:"rule"`
	Middlewares []string `json:"middlewares"`
	Service     string   `json:"service"`
}

// settingOr is a setting of the gateway with its default, in a template.
var settingOr = regexp.MustCompile(`\{\{ env "\w+" \| default "(\w+)" \}\}`)

// readYAML decodes a file of the gateway with its defaults, up to the text cut, after which
// there are other templates.
func readYAML(t *testing.T, path, cut string, v any) {
	t.Helper()
	text := harness.ReadFile(t, "../../gateway/"+path)
	plain, _, _ := strings.Cut(settingOr.ReplaceAllString(text, "$1"), cut)
	lines := slices.DeleteFunc(strings.SplitAfter(plain, "\n"), func(line string) bool { return strings.HasPrefix(line, "{{") })
	if err := yaml.Unmarshal([]byte(strings.Join(lines, "")), v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// match is the condition of a route. An exact path has precedence, then the longest prefix,
// then a method.
type match struct {
	Method string // any if empty
	Type   gatewayv1.PathMatchType
	Path   string
}

// destination is a service with its middlewares.
type destination struct {
	Middlewares string // names with spaces between them
	Service     string
}

// fileRoutes returns the routes of the gateway's files.
func fileRoutes(t *testing.T) map[match]destination {
	t.Helper()
	var static struct {
		EntryPoints map[string]struct {
			HTTP struct{ Middlewares []string }
		}
	}
	readYAML(t, "traefik.yml", "\nproviders:", &static)
	var always []string
	for _, name := range static.EntryPoints["web"].HTTP.Middlewares {
		always = append(always, strings.TrimSuffix(name, "@file"))
	}
	routes := map[match]destination{}
	for _, file := range []string{"directory", "hardware"} {
		var dynamic struct {
			HTTP struct{ Routers map[string]router }
		}
		readYAML(t, "dynamic/"+file+".yml", "\n  services:", &dynamic)
		best := map[match][]int{}
		for name, r := range dynamic.HTTP.Routers {
			if r.Service == "" {
				continue
			}
			for _, way := range ways(dynamic.HTTP.Routers, name) {
				var priorities []int
				var rules, middlewares []string
				for _, r := range way {
					priorities, rules = append(priorities, r.Priority), append(rules, r.Rule)
					middlewares = append(middlewares, r.Middlewares...)
				}
				for _, m := range matches(rules) {
					if slices.Compare(priorities, best[m]) > 0 {
						best[m] = priorities
						routes[m] = destination{strings.Join(slices.Concat(always, middlewares), " "), r.Service}
					}
				}
			}
		}
	}
	return routes
}

// ways returns the chains of routers that lead to a router, each from one without a parent.
func ways(routers map[string]router, name string) (list [][]router) {
	r := routers[name]
	if len(r.ParentRefs) == 0 {
		return [][]router{{r}}
	}
	for _, parent := range r.ParentRefs {
		for _, way := range ways(routers, parent) {
			list = append(list, append(slices.Clip(way), r))
		}
	}
	return list
}

var (
	pathCall   = regexp.MustCompile("\\b(Path|PathPrefix)\\(`([^`]*)`\\)")
	methodCall = regexp.MustCompile("\\bMethod\\(`([^`]*)`\\)")
)

// matches returns the combinations of method and path of a chain of rules. The last rule with
// paths, or methods, counts. A prefix of the Gateway API has no slash at its end and also
// matches the path without it.
func matches(rules []string) (list []match) {
	var paths [][]string
	methods := [][]string{{"", ""}}
	for _, rule := range rules {
		if found := pathCall.FindAllStringSubmatch(rule, -1); found != nil && (paths == nil || found[0][0] != "PathPrefix(`/`)") {
			paths = found
		}
		if found := methodCall.FindAllStringSubmatch(rule, -1); found != nil {
			methods = found
		}
	}
	for _, path := range paths {
		m := match{Type: gatewayv1.PathMatchPathPrefix, Path: "/" + strings.Trim(path[2], "/")}
		if path[1] == "Path" {
			if slices.ContainsFunc(paths, func(other []string) bool { return other[1] == "PathPrefix" && other[2] == path[2]+"/" }) {
				continue
			}
			m.Type = gatewayv1.PathMatchExact
		}
		for _, method := range methods {
			m.Method = method[1]
			list = append(list, m)
		}
	}
	return list
}

// apiRoutes returns the routes of the HTTPRoutes of the listener "web".
func apiRoutes(objects rendered) map[match]destination {
	routes := map[match]destination{}
	for _, route := range every[gatewayv1.HTTPRoute](objects) {
		if *route.Spec.ParentRefs[0].SectionName != "web" {
			continue
		}
		for _, rule := range route.Spec.Rules {
			var filters []string
			for _, filter := range rule.Filters {
				filters = append(filters, string(filter.ExtensionRef.Name))
			}
			for _, m := range rule.Matches {
				key := match{Type: *m.Path.Type, Path: *m.Path.Value}
				if m.Method != nil {
					key.Method = string(*m.Method)
				}
				routes[key] = destination{strings.Join(filters, " "), string(rule.BackendRefs[0].Name)}
			}
		}
	}
	return routes
}

func TestRoutesMatchGatewayFiles(t *testing.T) {
	want := fileRoutes(t)
	if len(want) < 15 {
		t.Fatalf("only %d routes were read: %v", len(want), want)
	}
	if *update {
		writeObjects(t, "base/routes.yaml", "gateway/dynamic/*.yml", routeObjects(want))
	}
	inEach(t, func(t *testing.T, objects rendered) {
		got := apiRoutes(objects)
		for m := range want {
			if got[m] != want[m] {
				t.Errorf("%v: %v, and in the files %v", m, got[m], want[m])
			}
		}
		for m := range got {
			if _, there := want[m]; !there {
				t.Errorf("%v is not in the files", m)
			}
		}
	})
}

func TestMiddlewaresMatchGatewayFiles(t *testing.T) {
	var files struct {
		HTTP struct{ Middlewares map[string]map[string]any }
	}
	readYAML(t, "dynamic/middlewares.yml", "\x00", &files)
	used := map[string]bool{}
	for _, d := range fileRoutes(t) {
		for name := range strings.FieldsSeq(d.Middlewares) {
			used[name] = true
		}
	}
	want := forCluster(files.HTTP.Middlewares)
	maps.DeleteFunc(want, func(name string, _ map[string]any) bool { return !used[name] }) // used by services of the files only
	if *update {
		writeObjects(t, "base/middlewares.yaml", "gateway/dynamic/*.yml", middlewareObjects(want))
	}
	inEach(t, func(t *testing.T, objects rendered) {
		got := map[string]map[string]any{}
		for name, m := range every[middleware](objects) {
			got[name] = m.Spec
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("middlewares:\n%v\nand in the files:\n%v", got, want)
		}
	})
}

// TestRouteReferencesExist checks every reference of the routes.
func TestRouteReferencesExist(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for name, route := range every[gatewayv1.HTTPRoute](objects) {
			checkParents(t, objects, name, route)
			for _, rule := range route.Spec.Rules {
				for _, backend := range rule.BackendRefs {
					checkBackend(t, objects, name, backend)
				}
				for _, filter := range rule.Filters {
					if ref := filter.ExtensionRef; ref != nil && every[middleware](objects)[string(ref.Name)] == nil {
						t.Errorf("HTTPRoute %s: no Middleware %s", name, ref.Name)
					}
				}
			}
		}
	})
}

func checkParents(t *testing.T, objects rendered, name string, route *gatewayv1.HTTPRoute) {
	t.Helper()
	for _, parent := range route.Spec.ParentRefs {
		gateway := every[gatewayv1.Gateway](objects)[string(parent.Name)]
		if gateway == nil || !slices.ContainsFunc(gateway.Spec.Listeners, func(l gatewayv1.Listener) bool { return l.Name == *parent.SectionName }) {
			t.Errorf("HTTPRoute %s: no listener %s/%s", name, parent.Name, *parent.SectionName)
		}
	}
}

func checkBackend(t *testing.T, objects rendered, name string, backend gatewayv1.HTTPBackendRef) {
	t.Helper()
	service := every[corev1.Service](objects)[string(backend.Name)]
	if service == nil || !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == *backend.Port }) {
		t.Errorf("HTTPRoute %s: no Service %s with port %d", name, backend.Name, *backend.Port)
	}
}
