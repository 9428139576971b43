package k8s

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"backend.example/deploy/test/harness"
)

// controlPlane serves lists of objects as Kubernetes' API does, as far as Traefik reads it.
func controlPlane(t *testing.T, objects rendered) string {
	t.Helper()
	lists := map[string][]any{}
	for _, o := range objects {
		encoded, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var object struct{ Kind string }
		if err := json.Unmarshal(encoded, &object); err != nil {
			t.Fatal(err)
		}
		kind := strings.ToLower(object.Kind)
		for _, plural := range []string{kind + "s", kind + "es"} { // one of them is the API's
			lists[plural] = append(lists[plural], json.RawMessage(encoded))
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodGet: // Traefik writes the status of an object
			_, _ = io.Copy(w, r.Body)
		case r.URL.Query().Get("sendInitialEvents") != "": // refused, so that it asks for lists
			w.WriteHeader(http.StatusUnprocessableEntity)
			const refusal = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`
			_, _ = io.WriteString(w, refusal)
		case r.URL.Query().Get("watch") != "": // nothing changes
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{
				"metadata": map[string]any{"resourceVersion": "1"}, "items": lists[path.Base(r.URL.Path)],
			})
		}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// pod serves what it received after its name. The last part of a path may ask for a failure: cut,
// hang or limited.
func pod(t *testing.T, name string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "cut":
			panic(http.ErrAbortHandler)
		case "hang":
			<-r.Context().Done()
			return
		case "limited":
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, name+" "+r.Method+" "+r.URL.Path)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestTraefikRoutes(t *testing.T) {
	type route struct {
		method string // LARGE is a POST with a body over the limit
		path   string
		want   string // status and body
	}
	common := []route{ // with and without a web app
		{"GET", "/api/bizprofile/audit", "200 directory GET /api/bizprofile/audit"},
		{"POST", "/api/bizprofile/audit", "200 directory POST /api/bizprofile/audit"},
		{"GET", "/api/oauth/callback/provider_search", "200 directory GET /api/oauth/callback/provider_search"},
		{"GET", "/konto/usuniecie-danych/6f1c", "200 directory GET /konto/usuniecie-danych/6f1c"},
		{"GET", "/konto/static/site.css", "200 directory GET /konto/static/site.css"},
		{"GET", "/kreator/static/site.css", "200 hardware GET /kreator/static/site.css"},
		{"GET", "/api/benchmark/cpu", "200 hardware GET /api/benchmark/cpu"},
		{"POST", "/api/prices/ceneo/quotes", "200 hardware POST /api/prices/ceneo/quotes"},
		{"GET", "/api/nothing", "200 hardware GET /api/nothing"},
		{"GET", "/api/bizprofile/limited", "429 directory GET /api/bizprofile/limited"},
		{"GET", "/api/bizprofile/a%2Fb", "400"},
		{"GET", "/api/benchmark/hang", "504 Gateway Timeout"},
		{"POST", "/api/bizprofile/cut", "502 Bad Gateway"},
	}
	for overlay, own := range map[string][]route{
		"overlays/local": {
			{"GET", "/", "200 directory GET /"},
			{"POST", "/konto/logowanie", "200 directory POST /konto/logowanie"},
			{"GET", "/kreator/czesc", "200 hardware GET /kreator/czesc"},
			{"POST", "/nothing", "200 hardware POST /nothing"},
			{"LARGE", "/api/bizprofile/audit", "413 Request Entity Too Large"},
		},
		"testdata/web-app": {
			{"GET", "/", "200 app GET /"},
			{"GET", "/konto/integracje", "200 app GET /konto/integracje"},
			{"POST", "/kreator/z", "200 app POST /kreator/z"},
		},
	} {
		t.Run(overlay, func(t *testing.T) {
			t.Parallel()
			bin := harness.Built(t, "gateway")
			objects, addr := render(t, overlay), harness.FreeAddr()
			port, err := strconv.Atoi(harness.Port(addr))
			if err != nil {
				t.Fatal(err)
			}
			for _, transport := range every[serversTransport](objects) {
				transport.Spec.ForwardingTimeouts.ResponseHeaderTimeout = "1s"
			}
			// #nosec G115 -- a port
			every[gatewayv1.Gateway](objects)["backend"].Spec.Listeners[0].Port = gatewayv1.PortNumber(port)
			objects = append(objects, &gatewayv1.GatewayClass{
				TypeMeta: metav1.TypeMeta{Kind: "GatewayClass"}, ObjectMeta: metav1.ObjectMeta{Name: "traefik"},
				Spec: gatewayv1.GatewayClassSpec{ControllerName: "traefik.io/gateway-controller"},
			})
			pods := map[string]*httptest.Server{
				"directory": pod(t, "directory"), "hardware": pod(t, "hardware"), "web-app": pod(t, "app"),
			}
			for name, service := range every[corev1.Service](objects) {
				server := pods[strings.TrimSuffix(name, "-quick")]
				if server == nil {
					continue
				}
				target := server.Listener.Addr().(*net.TCPAddr)
				objects = append(objects, &discoveryv1.EndpointSlice{
					TypeMeta: metav1.TypeMeta{Kind: "EndpointSlice"},
					ObjectMeta: metav1.ObjectMeta{
						Name: name, Namespace: "backend", Labels: map[string]string{discoveryv1.LabelServiceName: name},
					},
					AddressType: discoveryv1.AddressTypeIPv4,
					// #nosec G115 -- a port
					Ports: []discoveryv1.EndpointPort{
						{Name: &service.Spec.Ports[0].Name, Port: new(int32(target.Port))},
					},
					Endpoints: []discoveryv1.Endpoint{{
						Addresses:  []string{target.IP.String()},
						Conditions: discoveryv1.EndpointConditions{Ready: new(true)},
					}},
				})
			}
			api, web := controlPlane(t, objects), "http://"+addr
			harness.Start(t, t.TempDir(), nil, bin, "--log.level=INFO", "--entrypoints.web.address="+addr,
				"--entrypoints.web.http.encodedcharacters.allowencodedslash=false",
				"--providers.kubernetesgateway.endpoint="+api, "--providers.kubernetesgateway.token=t",
				"--providers.kubernetescrd.endpoint="+api, "--providers.kubernetescrd.token=t")
			harness.Healthy(t, web+"/api/oauth/status")
			for _, c := range append(own, common...) {
				method, body := c.method, ""
				if method == "LARGE" {
					method, body = http.MethodPost, strings.Repeat("a", 64<<10+1)
				}
				request, err := http.NewRequestWithContext(t.Context(), method, web+c.path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				request.Close = true
				a, err := harness.Do(harness.Client(), request)
				if err != nil {
					t.Fatalf("%s %s: %v", c.method, c.path, err)
				}
				if got := strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, a.Body)); got != c.want {
					t.Errorf("%s %s: got %q, want %q", c.method, c.path, got, c.want)
				}
			}
		})
	}
}
