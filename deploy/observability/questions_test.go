package observability

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// question matches a question in a comment of README.md with its command.
var question = regexp.MustCompile(`(?m)^# (.*\?)\n(.*)$`)

// TestQuestionsToTheLogs runs the commands of README.md that search the logs.
func TestQuestionsToTheLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs are not started by short tests")
	}
	harness.Installed(t, "jq")
	folder, id := logs(t)
	answers := map[string]string{ // part of the question → pattern of its answer
		"tried to log in": `(?m)^ +3 127\.0\.0\.1 401$`,
		"by itself": `^\{"time":"[^"]+","RequestPath":"/audyt","ServiceAddr":"[^"]+"\}\n\{"time":"[^"]+",` +
			`"RequestPath":"/api/benchmark/cpu","ServiceAddr":"[^"]+"\}$`,
		"slow or fails": `(?m)^ +[12] 127\.0\.0\.1:[0-9]+$`, // by then the gateway may know that nothing runs there
		"the slowest":   `(?m)^[0-9]+\t[0-9.]+\t[0-9.]+\t/api/benchmark/:type$`,
		"come from":     `(?m)^ +1 hardware; hit; ttl; detail=local$`,
		"end to end":    `^\{"time":"[^"]+","level":"INFO","msg":"request","request_id":"` + id + `".*\}$`,
	}
	for _, q := range question.FindAllStringSubmatch(harness.ReadFile(t, "README.md"), -1) {
		command := exec.Command("bash", "-o", "pipefail", "-c", q[2]) // #nosec G204 -- from README.md
		command.Dir = folder
		command.Env = append(os.Environ(), "REQUEST_ID="+id)
		out, err := command.CombinedOutput()
		asked := false
		for part, pattern := range answers {
			if strings.Contains(q[1], part) {
				asked = true
				delete(answers, part)
				if got := strings.Trim(string(out), "\n"); err != nil || !regexp.MustCompile(pattern).MatchString(got) {
					t.Errorf("%s\n%s\nanswers (%v)\n%s", q[1], q[2], err, got)
				}
			}
		}
		if !asked {
			t.Errorf("the test has no expected answer to %q", q[1])
		}
	}
	for part := range answers {
		t.Errorf("README.md has no question with %q", part)
	}
}

// logs runs the three programs, causes successful and failed requests to each, and returns
// the folder of their logs with the id of a request.
func logs(t *testing.T) (folder, id string) {
	t.Helper()
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
	id = ask("GET", "/api/benchmark/gpu", "").Header.Get("X-Request-Id")
	ask("GET", "/api/benchmark/gpu", "")
	directory, hardware := backend.Directories[0], backend.Hardware[0]
	backend.Sandbox.Fault(t, "aggregator", `{"kind":"captcha"}`)
	ask("GET", "/api/prices/ceneo?q=rtx+4060", "")
	directory.Terminate(t)
	ask("GET", "/audyt", "") // the hardware service makes the error page
	hardware.Terminate(t)
	ask("GET", "/api/benchmark/cpu", "")
	backend.Proxy.Terminate(t)
	folder = t.TempDir()
	for name, log := range map[string]string{
		"gateway": backend.Proxy.Log.String(), "directory": directory.Log.String(), "hardware": hardware.Log.String(),
	} {
		harness.WriteFile(t, filepath.Join(folder, name+".log"), log)
	}
	return folder, id
}
