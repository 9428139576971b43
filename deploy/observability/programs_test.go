package observability

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"backend.example/deploy/test/harness"
)

// TestQuestionsToTheLogs makes failures happen, asks the questions of README.md and compares the answers.
func TestQuestionsToTheLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs are not started by short tests")
	}
	harness.Installed(t, "jq")
	backend := harness.New(t, harness.Options{Directories: 1})
	ask := func(method, path, body string) harness.Answer {
		request, err := http.NewRequestWithContext(t.Context(), method, backend.Gateway+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("User-Agent", "test/1")
		request.Header.Set("Content-Type", "application/json")
		answer, err := harness.Do(http.DefaultClient, request)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	for range 3 {
		ask("POST", "/api/auth/login", `{"email":"gosc@firma.example","password":"wrong"}`)
	}
	id := ask("GET", "/api/benchmark/gpu", "").Header.Get("X-Request-Id")
	ask("GET", "/api/benchmark/gpu", "")
	directory, hardware := backend.Directories[0], backend.Hardware[0]
	backend.Sandbox.Fault(t, "aggregator", `{"kind":"captcha"}`)
	ask("GET", "/api/prices/ceneo?q=rtx+4060", "")
	directory.Terminate(t)
	ask("GET", "/audyt", "") // the hardware service makes the error page
	hardware.Terminate(t)
	ask("GET", "/api/benchmark/cpu", "")
	backend.Proxy.Terminate(t)
	folder := t.TempDir()
	for name, log := range map[string]string{
		"gateway": backend.Proxy.Log.String(), "directory": directory.Log.String(), "hardware": hardware.Log.String(),
	} {
		harness.WriteFile(t, filepath.Join(folder, name+".log"), log)
	}
	answers := map[string]string{ // part of the question → pattern of its answer
		"tried to log in": `(?m)^ +3 127\.0\.0\.1 401$`,
		"by itself": `^\{"time":"[^"]+","RequestPath":"/audyt","ServiceAddr":"[^"]+"\}\n\{"time":"[^"]+",` +
			`"RequestPath":"/api/benchmark/cpu","ServiceAddr":"[^"]+"\}$`,
		"slow or fails": `(?m)^ +[12] 127\.0\.0\.1:[0-9]+$`, // by then the gateway may know that nothing runs there
		"the slowest":   `(?m)^[0-9]+\t[0-9.]+\t[0-9.]+\t/api/benchmark/:type$`,
		"come from":     `(?m)^ +1 hardware; hit; ttl; detail=local$`,
		"end to end":    `^\{"time":"[^"]+","level":"INFO","msg":"request","request_id":"` + id + `".*\}$`,
	}
	question := regexp.MustCompile(`(?m)^# (.*\?)\n(.*)$`) // in a comment, with its command
	for _, q := range question.FindAllStringSubmatch(harness.ReadFile(t, "README.md"), -1) {
		command := exec.Command("bash", "-o", "pipefail", "-c", q[2]) // #nosec G204 -- from README.md
		command.Dir = folder
		command.Env = append(os.Environ(), "REQUEST_ID="+id)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s\n%s\nfails: %v\n%s", q[1], q[2], err, out)
		}
		isKnown := false
		for part, pattern := range answers {
			if !strings.Contains(q[1], part) {
				continue
			}
			isKnown = true
			delete(answers, part)
			if got := strings.Trim(string(out), "\n"); !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s\n%s\nanswers\n%s\nwant a match of %s", q[1], q[2], got, pattern)
			}
		}
		if !isKnown {
			t.Errorf("the test has no expected answer to %q", q[1])
		}
	}
	for part := range answers {
		t.Errorf("README.md has no question with %q", part)
	}
}

// TestOneTrace follows one request from the gateway through the hardware service to Redis and
// to the source.
func TestOneTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs are not started by short tests")
	}
	traces := &collector{}
	server := httptest.NewServer(traces)
	t.Cleanup(server.Close)
	backend := harness.New(t, harness.Options{Redis: true, Env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL}})

	harness.Text(t, backend.Gateway+"/api/benchmark/cpu?limit=1&private=4711")
	wanted := []string{
		"gateway GET", "gateway ReverseProxy", "hardware GET /api/benchmark/:type", "hardware GET 127.0.0.1",
	}
	var trace map[string]span // by service and name
	harness.Eventually(t, "all spans of the request are received", func() bool {
		all := map[string]map[string]span{}
		for _, s := range traces.received() {
			if all[s.trace] == nil {
				all[s.trace] = map[string]span{}
			}
			all[s.trace][s.service+" "+s.name] = s
		}
		for _, trace = range all {
			isMissing := func(name string) bool { return trace[name].id == "" }
			if !slices.ContainsFunc(wanted, isMissing) {
				return true
			}
		}
		return false
	})
	answer := trace["hardware GET /api/benchmark/:type"]
	for name, parent := range map[string]string{
		"gateway ReverseProxy":              trace["gateway GET"].id,
		"hardware GET /api/benchmark/:type": trace["gateway ReverseProxy"].id,
		"hardware get":                      answer.id,
		"hardware GET 127.0.0.1":            answer.id,
	} {
		if s := trace[name]; s.parent != parent {
			t.Errorf("%s has the parent %q, want %q: %+v", name, s.parent, parent, s)
		}
	}
	if got := trace["hardware get"].attributes["db.system"]; got != "redis" {
		t.Errorf("db.system is %q, want redis", got)
	}
	for _, s := range traces.received() {
		for name, value := range s.attributes {
			if strings.Contains(value, "4711") {
				t.Errorf("%s %s has a parameter of the request in %s=%q", s.service, s.name, name, value)
			}
		}
	}
}

type span struct {
	service, name     string
	trace, id, parent string
	attributes        map[string]string // those with text values
}

func texts(attributes []*commonv1.KeyValue) map[string]string {
	values := map[string]string{}
	for _, a := range attributes {
		values[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return values
}

// collector receives traces like an OpenTelemetry collector (OTLP over HTTP, in Protocol
// Buffers).
type collector struct {
	mu    sync.Mutex
	spans []span
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body io.Reader = r.Body
	var err error
	if r.Header.Get("Content-Encoding") == "gzip" {
		body, err = gzip.NewReader(r.Body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	export, _ := io.ReadAll(body)
	data := &tracev1.TracesData{} // encoded as an ExportTraceServiceRequest is
	if err := proto.Unmarshal(export, data); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range data.GetResourceSpans() {
		service := texts(resource.GetResource().GetAttributes())["service.name"]
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, span{
					service: service, name: s.GetName(), attributes: texts(s.GetAttributes()),
					trace: hex.EncodeToString(s.GetTraceId()), id: hex.EncodeToString(s.GetSpanId()),
					parent: hex.EncodeToString(s.GetParentSpanId()),
				})
			}
		}
	}
}

func (c *collector) received() []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}
