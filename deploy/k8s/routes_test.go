package k8s

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

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

// service is a service of the gateway's file of gates.
type service struct {
	Middlewares []string
	Failover    struct {
		Service, Fallback string
		Errors            any
	}
	Weighted struct{ Services []struct{ Name string } }
}

// readTransports returns the manifests of the gateway's file of transports.
func readTransports(t *testing.T) (objects []object) {
	t.Helper()
	var file struct {
		HTTP struct{ ServersTransports map[string]any }
	}
	settings{}.readYAML(t, "dynamic/transports.yml", "\x00", &file)
	for _, name := range slices.Sorted(maps.Keys(file.HTTP.ServersTransports)) {
		objects = append(objects, newObject("traefik.io/v1alpha1", "ServersTransport", name, file.HTTP.ServersTransports[name]))
	}
	return objects
}

// readGates returns the services of the file of gates.
func readGates(t *testing.T) map[string]service {
	t.Helper()
	var gates struct {
		HTTP struct{ Services map[string]service }
	}
	settings{}.readYAML(t, "dynamic/gates.yml", "\x00", &gates)
	return gates.HTTP.Services
}

// settings are those of the gateway; the others have their defaults.
type settings map[string]string

// readYAML decodes a file of the gateway, up to the text cut, after which there are other
// templates.
func (s settings) readYAML(t *testing.T, path, cut string, v any) {
	t.Helper()
	text, _, _ := strings.Cut(harness.ReadFile(t, "../../gateway/"+path), cut)
	parsed, err := template.New(path).Funcs(template.FuncMap{
		"env":       func(name string) string { return s[name] },
		"default":   func(value, given string) string { return cmp.Or(given, value) },
		"int":       strconv.Atoi,
		"mul":       func(a, b int) int { return a * b },
		"nospace":   func(list string) string { return list },
		"splitList": func(separator, list string) []string { return strings.Split(list, separator) },
		"compact":   func(list []string) []string { return list },
	}).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	if err := parsed.Execute(&plain, nil); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(plain.Bytes(), v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// match is the condition of a route. An exact path has precedence, then the longest prefix,
// then a method, then Accept-Encoding.
type match struct {
	Method string // any if empty
	Type   gatewayv1.PathMatchType
	Path   string
	Header bool // with Accept-Encoding
}

// destination is a service with its middlewares.
type destination struct {
	Middlewares string // names with spaces between them
	Service     string
}

// fileRoutes returns the routes of the gateway's files.
func fileRoutes(t *testing.T, with settings) map[match]destination {
	t.Helper()
	var static struct {
		EntryPoints map[string]struct {
			HTTP struct{ Middlewares []string }
		}
	}
	with.readYAML(t, "traefik.yml", "\nproviders:", &static)
	var always []string
	for _, name := range static.EntryPoints["web"].HTTP.Middlewares {
		always = append(always, strings.TrimSuffix(name, "@file"))
	}
	routes := map[match]destination{}
	for file, cut := range map[string]string{"directory": "\n  services:", "hardware": "\n  services:", "app": "\x00"} {
		var dynamic struct {
			HTTP struct{ Routers map[string]router }
		}
		with.readYAML(t, "dynamic/"+file+".yml", cut, &dynamic)
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
// Those by PathRegexp are left out: they lead to the same services faster, or are not logged,
// which the Gateway API cannot express.
func ways(routers map[string]router, name string) (list [][]router) {
	r := routers[name]
	if strings.Contains(r.Rule, "PathRegexp") {
		return nil
	}
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

// pathRule is a condition on the path.
type pathRule struct{ kind, path string }

// covers reports whether p matches every path that other matches.
func (p pathRule) covers(other pathRule) bool {
	return p == other || p.kind == "PathPrefix" && strings.HasPrefix(other.path, p.path)
}

// both returns the rules that match what both lists match.
func both(outer, inner []pathRule) (list []pathRule) {
	for _, o := range outer {
		for _, i := range inner {
			switch {
			case i.covers(o):
				list = append(list, o)
			case o.covers(i):
				list = append(list, i)
			}
		}
	}
	return list
}

// matches returns the combinations of method and path of a chain of rules. Those of a router
// with parents apply with Accept-Encoding, unless a rule excludes the header: a match of the
// Gateway API cannot, so that without it has less precedence. A prefix of the Gateway API has
// no slash at its end and also matches the path without it.
func matches(rules []string) (list []match) {
	paths := []pathRule{{"PathPrefix", "/"}}
	methods, header := []string{""}, len(rules) > 1
	for _, rule := range rules {
		var found []pathRule
		for _, call := range pathCall.FindAllStringSubmatch(rule, -1) {
			found = append(found, pathRule{call[1], call[2]})
		}
		if found != nil {
			paths = both(paths, found)
		}
		var named []string
		for _, call := range methodCall.FindAllStringSubmatch(rule, -1) {
			if methods[0] == "" || slices.Contains(methods, call[1]) {
				named = append(named, call[1])
			}
		}
		if named != nil {
			methods = named
		}
		header = header && !strings.Contains(rule, "!HeaderRegexp")
	}
	for _, p := range paths {
		m := match{Type: gatewayv1.PathMatchPathPrefix, Path: "/" + strings.Trim(p.path, "/"), Header: header}
		if p.kind == "Path" {
			if slices.Contains(paths, pathRule{"PathPrefix", p.path + "/"}) {
				continue
			}
			m.Type = gatewayv1.PathMatchExact
		}
		for _, m.Method = range methods {
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
				key := match{Type: *m.Path.Type, Path: *m.Path.Value, Header: len(m.Headers) > 0}
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
	want := fileRoutes(t, nil)
	if len(want) < 15 {
		t.Fatalf("only %d routes were read: %v", len(want), want)
	}
	if *update {
		writeObjects(t, "base/routes.yaml", "gateway/dynamic/*.yml", routeObjects(want))
	}
	inEach(t, func(t *testing.T, objects rendered) { checkRoutes(t, objects, want) })
}

// TestWebAppHasTheOtherRoutes checks the component web-app, which changes the routes of the
// services.
func TestWebAppHasTheOtherRoutes(t *testing.T) {
	want := fileRoutes(t, settings{"WEB_APP_URL": "http://web-app:8080"})
	if app := want[match{Type: gatewayv1.PathMatchPathPrefix, Path: "/"}]; app.Service != "web-app" {
		t.Fatalf("without a route of its own, a path leads to %v", app)
	}
	if *update {
		list := routeObjects(want)
		writeObjects(t, "components/web-app/services.yaml", "gateway/dynamic/*.yml", list[:2])
		writeObjects(t, "components/web-app/app.yaml", "gateway/dynamic/*.yml", list[2:])
	}
	objects := render(t, "testdata/web-app")
	checkRoutes(t, objects, want)
	for name, route := range every[gatewayv1.HTTPRoute](objects) {
		checkReferences(t, objects, name, route)
	}
}

// checkRoutes compares the routes of an overlay with those of the files.
func checkRoutes(t *testing.T, objects rendered, want map[match]destination) {
	t.Helper()
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
}

func TestMiddlewaresMatchGatewayFiles(t *testing.T) {
	var files struct {
		HTTP struct{ Middlewares map[string]map[string]any }
	}
	settings{}.readYAML(t, "dynamic/middlewares.yml", "\x00", &files)
	gates := readGates(t)
	used := map[string]bool{admit: true}
	for _, d := range fileRoutes(t, nil) {
		for name := range strings.FieldsSeq(d.Middlewares) {
			used[name] = true
		}
	}
	for _, s := range gates {
		for _, name := range s.Middlewares {
			used[name] = true
		}
	}
	want := forCluster(files.HTTP.Middlewares, gates)
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

func TestGatesMatchGatewayFiles(t *testing.T) {
	want := append(gateObjects(readGates(t)), readTransports(t)...)
	if *update {
		writeObjects(t, "base/gates.yaml", "gateway/dynamic/*.yml", want)
	}
	inEach(t, func(t *testing.T, objects rendered) {
		for _, o := range want {
			name, spec := o["metadata"].(object)["name"].(string), any(nil)
			if s := every[traefikService](objects)[name]; o["kind"] == "TraefikService" && s != nil {
				spec = s.Spec
			} else if s := every[serversTransport](objects)[name]; o["kind"] == "ServersTransport" && s != nil {
				spec = s.Spec
			} else if s := every[corev1.Service](objects)[name]; o["kind"] == "Service" && s != nil {
				spec = s.Spec
			}
			if got, want := asYAML(t, spec), asYAML(t, o["spec"]); got != want {
				t.Errorf("%v %s:\n%s\nand in the files:\n%s", o["kind"], name, got, want)
			}
		}
	})
}

// TestRouteReferencesExist checks every reference of the routes.
func TestRouteReferencesExist(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for name, route := range every[gatewayv1.HTTPRoute](objects) {
			checkReferences(t, objects, name, route)
		}
	})
}

func checkReferences(t *testing.T, objects rendered, name string, route *gatewayv1.HTTPRoute) {
	t.Helper()
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
	if backend.Kind != nil {
		if every[traefikService](objects)[string(backend.Name)] == nil {
			t.Errorf("HTTPRoute %s: no TraefikService %s", name, backend.Name)
		}
		return
	}
	service := every[corev1.Service](objects)[string(backend.Name)]
	if service == nil || !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == *backend.Port }) {
		t.Errorf("HTTPRoute %s: no Service %s with port %d", name, backend.Name, *backend.Port)
	}
}
