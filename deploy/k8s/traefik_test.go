package k8s

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// controlPlane serves objects as Kubernetes' API does, as far as Traefik reads it: lists that
// never change.
func controlPlane(t *testing.T, objects rendered) string {
	t.Helper()
	lists := map[string][]any{}
	for _, o := range objects {
		text := map[string]any{}
		if err := json.Unmarshal([]byte(asJSON(t, o)), &text); err != nil {
			t.Fatal(err)
		}
		kind := strings.ToLower(text["kind"].(string))
		lists[kind+"s"] = append(lists[kind+"s"], text)
		lists[kind+"es"] = append(lists[kind+"es"], text)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodGet: // a status
			_, _ = io.Copy(w, r.Body)
		case r.URL.Query().Get("sendInitialEvents") != "":
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(
				w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`,
			)
		case r.URL.Query().Get("watch") != "":
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			_ = json.NewEncoder(w).
				Encode(
					map[string]any{"metadata": map[string]any{"resourceVersion": "1"},
						"items": lists[path.Base(r.URL.Path)]},
				)
		}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// startTraefik runs Traefik with an overlay. Pods of a Service are the server at its address
// in pods. It returns the address of the entry point.
func startTraefik(t *testing.T, overlay string, pods map[string]string) string {
	t.Helper()
	bin := harness.Path("bin/gateway")
	if _, err := os.Stat(bin); err != nil {
		if os.Getenv("REQUIRE_SERVICES") == "1" {
			t.Fatal(err)
		}
		t.Skipf("no gateway binary: run gateway/binary.sh (%v)", err)
	}
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
	for name, service := range every[corev1.Service](objects) {
		if pod := pods[strings.TrimSuffix(name, "-quick")]; pod != "" {
			objects = append(objects, endpoints(t, name, service.Spec.Ports[0].Name, pod))
		}
	}
	api := controlPlane(t, objects)
	//#nosec G204 -- the gateway under test
	cmd := exec.Command(bin, "--log.level=INFO", "--entrypoints.web.address="+addr,
		"--entrypoints.web.http.encodedcharacters.allowencodedslash=false",
		"--providers.kubernetesgateway.endpoint="+api, "--providers.kubernetesgateway.token=t",
		"--providers.kubernetescrd.endpoint="+api, "--providers.kubernetescrd.token=t")
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("log of Traefik:\n%s", log.String())
		}
	})
	harness.Eventually(t, "Traefik has the routes", func() bool {
		resp, err := http.Get("http://" + addr + "/api/oauth/status")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return "http://" + addr
}

func endpoints(t *testing.T, service, port, pod string) *discoveryv1.EndpointSlice {
	t.Helper()
	host, number, err := net.SplitHostPort(strings.TrimPrefix(pod, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	to, ready := int32(n), true
	return &discoveryv1.EndpointSlice{
		TypeMeta: metav1.TypeMeta{Kind: "EndpointSlice"},
		ObjectMeta: metav1.ObjectMeta{
			Name: service, Namespace: "backend", Labels: map[string]string{discoveryv1.LabelServiceName: service},
		},
		AddressType: discoveryv1.AddressTypeIPv4, Ports: []discoveryv1.EndpointPort{{Name: &port, Port: &to}},
		Endpoints: []discoveryv1.Endpoint{
			{Addresses: []string{host}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}},
		},
	}
}

// pod is a server that writes its name, the method and the path of a request, and what it
// received as Accept-Encoding. /limited is refused by the pod itself.
func pod(t *testing.T, name string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "cut":
			panic(http.ErrAbortHandler)
		case "hang":
			<-r.Context().Done()
			return
		}
		w.Header().Set("X-Encoding", r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Length", "100")
		if strings.HasSuffix(r.URL.Path, "/limited") {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		if r.Method != http.MethodHead {
			_, _ = io.WriteString(w, (name + " " + r.Method + " " + r.URL.Path + strings.Repeat(" ", 100))[:100])
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// send returns the status and the header of a response, and the first words of its body.
func send(t *testing.T, method, url, body, encoding string) (status int, header http.Header, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if encoding != "" {
		req.Header.Set("Accept-Encoding", encoding)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, strings.TrimSpace(string(all))
}

// routed contains requests that reach a service with and without a web app.
var routed = []struct{ method, path, want string }{
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
	{"GET", "/api/bizprofile/a%2Fb", "400 "},
	{"GET", "/api/benchmark/hang", "504 Gateway Timeout"},
	{"POST", "/api/bizprofile/cut", "502 Bad Gateway"},
}

func TestTraefikRoutes(t *testing.T) {
	t.Parallel()
	web := startTraefik(t, "overlays/local",
		map[string]string{"directory": pod(t, "directory"), "hardware": pod(t, "hardware")})
	for _, c := range append(routed, []struct{ method, path, want string }{
		{"GET", "/", "200 directory GET /"},
		{"POST", "/konto/logowanie", "200 directory POST /konto/logowanie"},
		{"GET", "/kreator/czesc", "200 hardware GET /kreator/czesc"},
		{"POST", "/nothing", "200 hardware POST /nothing"},
	}...) {
		checkRoute(t, web, c.method, c.path, "", c.want)
	}
	checkRoute(t, web, "POST", "/api/bizprofile/audit", strings.Repeat("a", 64<<10+1), "413 Request Entity Too Large")
}

func TestTraefikRoutesWithWebApp(t *testing.T) {
	t.Parallel()
	web := startTraefik(t, "testdata/web-app", map[string]string{
		"directory": pod(t, "directory"), "hardware": pod(t, "hardware"), "web-app": pod(t, "app"),
	})
	for _, c := range append(routed, []struct{ method, path, want string }{
		{"GET", "/", "200 app GET /"},
		{"GET", "/konto/integracje", "200 app GET /konto/integracje"},
		{"POST", "/kreator/z", "200 app POST /kreator/z"},
	}...) {
		checkRoute(t, web, c.method, c.path, "", c.want)
	}
}

func checkRoute(t *testing.T, web, method, path, body, want string) {
	t.Helper()
	status, _, text := send(t, method, web+path, body, "")
	if got := strconv.Itoa(status) + " " + text; got != want {
		t.Errorf("%s %s: %q, want %q", method, path, got, want)
	}
}
