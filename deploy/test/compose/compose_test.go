package compose

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// patience bounds every wait; only a failing test uses it up.
const patience = 2 * time.Minute

// setting returns what test-compose.sh has set, or skips the test.
func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Skipf("%s is not set; run deploy/docker/test-compose.sh", name)
	}
	return value
}

// try executes a command in the repository, with input as its standard input, and
// returns what it writes and, when it fails, what it says.
func try(t *testing.T, input string, command ...string) (output string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	var failure strings.Builder
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) // #nosec G204 -- docker, with arguments of the tests
	cmd.Dir = harness.Path(t)
	cmd.Stdin = strings.NewReader(input)
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, failure.String())
	}
	return string(out), err
}

// run executes a command that has to succeed, and returns its trimmed output.
func run(t *testing.T, command ...string) string {
	t.Helper()
	output, err := try(t, "", command...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(output)
}

// composeCommand is Docker Compose on the composition under test.
func composeCommand(t *testing.T, arguments ...string) []string {
	t.Helper()
	return append(strings.Fields(setting(t, "COMPOSE_COMMAND")), arguments...)
}

// compose runs Docker Compose on the composition under test.
func compose(t *testing.T, arguments ...string) string {
	t.Helper()
	return run(t, composeCommand(t, arguments...)...)
}

// up brings everything that is missing back, with so many hardware replicas.
func up(t *testing.T, replicas string) {
	t.Helper()
	compose(t, "up", "--detach", "--no-build", "--no-recreate", "--wait", "--scale", "hardware="+replicas)
}

// containers lists the running containers of a service.
func containers(t *testing.T, service string) []string {
	t.Helper()
	return strings.Fields(compose(t, "ps", "--quiet", "--status", "running", service))
}

// newest returns the newest running container of a service.
func newest(t *testing.T, service string) string {
	t.Helper()
	ids := containers(t, service)
	if len(ids) == 0 {
		t.Fatalf("%s does not run", service)
	}
	return ids[0]
}

// kill ends the newest container of a service at once, and has everything back
// when the test ends.
func kill(t *testing.T, service string) {
	t.Helper()
	id := newest(t, service)
	t.Cleanup(func() { up(t, "1") })
	run(t, "docker", "kill", id)
	eventually(t, service+" is gone", func() bool { return !slices.Contains(containers(t, service), id) })
}

// revive starts what was killed and waits until it is healthy.
func revive(t *testing.T, service string) {
	t.Helper()
	compose(t, "up", "--detach", "--no-build", "--no-recreate", "--no-deps", "--wait", service)
}

// eventually asks until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	harness.EventuallyWithin(t, patience, what, holds)
}

// newVisitor returns a browser without cookies.
func newVisitor(t *testing.T) *harness.Visitor {
	t.Helper()
	return harness.NewVisitor(t, setting(t, "COMPOSE_BASE_URL"))
}

// loggedIn returns a user of the demonstration data.
func loggedIn(t *testing.T) *harness.Visitor {
	t.Helper()
	return harness.LoggedIn(t, setting(t, "COMPOSE_BASE_URL"), "kierownik@demo.example")
}

// get asks for a path and wants one of the statuses.
func get(t *testing.T, v *harness.Visitor, path string, statuses ...int) harness.Answer {
	t.Helper()
	a, err := v.Try(t.Context(), http.MethodGet, path, nil)
	if err != nil || !slices.Contains(statuses, a.Status) {
		t.Fatalf("%s: %d, %v, want %v\n%.300s", path, a.Status, err, statuses, a.Body)
	}
	return a
}

// answers reports whether a path is answered 200.
func answers(t *testing.T, v *harness.Visitor, path string) bool {
	t.Helper()
	return harness.CheckOK(v.Try(t.Context(), http.MethodGet, path, nil)) == nil
}

// unavailable requires the answer that the other service makes for one that is gone.
func unavailable(t *testing.T, v *harness.Visitor, status int, path, accept, want string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.Base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	a, err := harness.Do(v.HTTP, request)
	if err != nil || a.Status != status || a.Header.Get("Retry-After") != "5" || !strings.Contains(string(a.Body), want) {
		t.Errorf("%s: %v, %d %v, want %d\n%s", path, err, a.Status, a.Header, status, a.Body)
	}
}

// sourceRequests returns the requests that reached the aggregator of the sandbox.
func sourceRequests(t *testing.T) []harness.Arrival {
	t.Helper()
	return harness.Sandbox{Control: setting(t, "COMPOSE_SANDBOX_URL")}.Requests(t, "aggregator")
}

// pace is between two requests of the traffic. A client may ask the hardware service
// 50 times a second, the directory service 20 times (gateway/dynamic/middlewares.yml).
const pace = 25 * time.Millisecond

// startTraffic asks for the paths in turn until the test is over.
func startTraffic(t *testing.T, paths ...string) *harness.Traffic {
	t.Helper()
	v := newVisitor(t)
	return harness.StartTraffic(t, pace, func(n int) error {
		return harness.CheckOK(v.Try(t.Context(), http.MethodGet, paths[n%len(paths)], nil))
	})
}

// failedRouters lists the routers of the requests that failed since a moment, as the
// gateway's access log has them.
func failedRouters(t *testing.T, since time.Time) (names []string) {
	t.Helper()
	for line := range strings.Lines(compose(t, "logs", "--no-log-prefix", "--since", since.UTC().Format(time.RFC3339Nano), "gateway")) {
		var request struct{ RouterName string }
		if json.Unmarshal([]byte(line), &request) == nil && request.RouterName != "" {
			names = append(names, request.RouterName)
		}
	}
	return names
}

// servers counts by replica what the hardware service answered since a moment.
func servers(t *testing.T, since time.Time) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(compose(t, "logs", "--no-color", "--since", since.UTC().Format(time.RFC3339Nano), "hardware")) {
		if replica, entry, ok := strings.Cut(line, " | "); ok && strings.Contains(entry, `"msg":"request"`) {
			counts[strings.TrimSpace(replica)]++
		}
	}
	return counts
}
