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
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
		case r.URL.Query().Get("watch") != "":
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{"metadata": map[string]any{"resourceVersion": "1"}, "items": lists[path.Base(r.URL.Path)]})
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
	bin := harness.Path(t, "bin/gateway")
	if _, err := os.Stat(bin); err != nil {
		if os.Getenv("REQUIRE_SERVICES") == "1" {
			t.Fatal(err)
		}
		t.Skipf("no gateway binary: run gateway/binary.sh (%v)", err)
	}
	objects, addr := render(t, overlay), harness.FreeAddr(t)
	port, err := strconv.Atoi(harness.Port(addr))
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range every[serversTransport](objects) {
		transport.Spec.ForwardingTimeouts.ResponseHeaderTimeout = "1s"
	}
	every[gatewayv1.Gateway](objects)["backend"].Spec.Listeners[0].Port = gatewayv1.PortNumber(port) // #nosec G115 -- a port
	objects = append(objects, &gatewayv1.GatewayClass{
		TypeMeta: metav1.TypeMeta{Kind: "GatewayClass"}, ObjectMeta: metav1.ObjectMeta{Name: "traefik"},
		Spec: gatewayv1.GatewayClassSpec{ControllerName: "traefik.io/gateway-controller"},
	})
	for name, service := range every[corev1.Service](objects) {
		if pod := pods[serversOf(name)]; pod != "" {
			objects = append(objects, endpoints(t, name, service.Spec.Ports[0].Name, pod))
		}
	}
	api := controlPlane(t, objects)
	cmd := exec.Command(bin, "--log.level=INFO", "--entrypoints.web.address="+addr, //#nosec G204 -- the gateway under test
		"--entrypoints.web.http.encodedcharacters.allowencodedslash=true",
		"--providers.kubernetesgateway.endpoint="+api, "--providers.kubernetesgateway.token=t",
		"--providers.kubernetescrd.endpoint="+api, "--providers.kubernetescrd.token=t", "--providers.kubernetescrd.allowemptyservices=true")
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
	to := int32(n)
	return &discoveryv1.EndpointSlice{
		TypeMeta:    metav1.TypeMeta{Kind: "EndpointSlice"},
		ObjectMeta:  metav1.ObjectMeta{Name: service, Namespace: "backend", Labels: map[string]string{discoveryv1.LabelServiceName: service}},
		AddressType: discoveryv1.AddressTypeIPv4, Ports: []discoveryv1.EndpointPort{{Name: &port, Port: &to}},
		Endpoints: []discoveryv1.Endpoint{{Addresses: []string{host}}},
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

// TestTraefikRefuses runs Traefik with the manifests: its refusals have the body of a service,
// for every method, and a service's own refusal passes.
func TestTraefikRefuses(t *testing.T) {
	t.Parallel()
	web := startTraefik(t, "overlays/local", map[string]string{"directory": pod(t, "directory"), "hardware": pod(t, "hardware")})
	for _, c := range []struct {
		method, path string
		body         int
		status       int
		text         string
	}{
		{"GET", "/api/bizprofile/audit", 0, 200, "directory GET /api/bizprofile/audit"},
		{"POST", "/api/bizprofile/audit", 1, 200, "directory POST /api/bizprofile/audit"},
		{"GET", "/api/benchmark/cpu", 0, 200, "hardware GET /api/benchmark/cpu"},
		{"POST", "/nothing", 1, 200, "hardware POST /nothing"},
		{"GET", "/api/bizprofile/limited", 0, 429, "directory GET /api/bizprofile/limited"},
		{"POST", "/api/prices/limited", 0, 429, "hardware POST /api/prices/limited"},
		{"GET", "/api/bizprofile/a%2Fb", 0, 400, "directory GET /niedostepne/400"},
		{"POST", "/api/bizprofile/a%2Fb", 1, 400, "directory GET /niedostepne/400"},
		{"GET", "/api/benchmark/a%2Fb", 0, 400, "hardware GET /niedostepne/kod/400"},
		{"POST", "/api/prices/a%2Fb", 1, 400, "hardware GET /niedostepne/kod/400"},
		{"POST", "/api/bizprofile/audit", 64<<10 + 1, 413, "directory GET /niedostepne/413"},
		{"POST", "/api/prices/ceneo/quotes", 64<<10 + 1, 413, "hardware GET /niedostepne/kod/413"},
		{"GET", "/api/bizprofile/cut", 0, 502, "hardware GET /niedostepne/502"},
		{"GET", "/api/bizprofile/hang", 0, 504, "hardware GET /niedostepne/504"},
		{"GET", "/api/benchmark/hang", 0, 504, "Gateway Timeout"},
		{"POST", "/api/bizprofile/cut", 1, 502, "hardware GET /niedostepne/502"},
		{"POST", "/api/prices/cut", 1, 502, "directory GET /niedostepne/kod/502"},
	} {
		if status, _, text := send(t, c.method, web+c.path, strings.Repeat("a", c.body), ""); status != c.status || text != c.text {
			t.Errorf("%s %s: %d %q, want %d %q", c.method, c.path, status, text, c.status, c.text)
		}
	}
	for form, path := range map[string]string{"directory GET /niedostepne/429": "/api/auth/me", "hardware GET /niedostepne/kod/429": "/api/prices/ceneo"} {
		for _, method := range []string{"GET", "POST"} { // one bucket for both
			refused := ""
			for i := 0; i < 500 && refused == ""; i++ {
				if status, _, text := send(t, method, web+path, "", ""); status == http.StatusTooManyRequests {
					refused = text
				}
			}
			if refused != form {
				t.Errorf("%s %s: %q, want %q", method, path, refused, form)
			}
		}
	}
}

// TestTraefikHead has the headers of GET, as in TestHeadHasTheHeadersOfGet of the gateway.
func TestTraefikHead(t *testing.T) {
	t.Parallel()
	web := startTraefik(t, "overlays/local", map[string]string{"directory": pod(t, "directory"), "hardware": pod(t, "hardware")})
	for _, path := range []string{"/", "/api/bizprofile/audit", "/api/benchmark/cpu", "/api/oauth/callback/provider_search", "/kreator", "/nothing"} {
		for accept, want := range map[string]string{"": "identity", "gzip": "gzip", "zstd": "zstd"} {
			length := "100"
			if accept != "" {
				length = ""
			}
			_, get, _ := send(t, "GET", web+path, "", accept)
			_, head, _ := send(t, "HEAD", web+path, "", accept)
			if get.Get("X-Encoding") != want || head.Get("X-Encoding") != want || head.Get("Content-Length") != length {
				t.Errorf("%s %q: GET asks for %q, HEAD for %q with Content-Length %q", path, accept,
					get.Get("X-Encoding"), head.Get("X-Encoding"), head.Get("Content-Length"))
			}
		}
	}
}
