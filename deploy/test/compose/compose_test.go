package compose

import (
	"context"
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

// patience bounds every wait. Only a failing test uses it up.
const patience = 2 * time.Minute

// setting returns a setting of run.sh, or skips the test without it.
func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Skipf("%s is not set; run make test-compose", name)
	}
	return value
}

// try runs a command in the repository, with input as its standard input, and returns what it
// prints. The error contains its standard error.
func try(t *testing.T, input string, command ...string) (output string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	var failure strings.Builder
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) // #nosec G204 -- docker, with arguments of the tests
	cmd.Dir = harness.Path()
	cmd.Stdin = strings.NewReader(input)
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, failure.String())
	}
	return string(out), err
}

// run runs a command, which has to succeed, and returns its trimmed output.
func run(t *testing.T, command ...string) string {
	t.Helper()
	output, err := try(t, "", command...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(output)
}

// composeCommand returns a command of Docker Compose for the composition under test.
func composeCommand(t *testing.T, arguments ...string) []string {
	t.Helper()
	return append(strings.Fields(setting(t, "COMPOSE_COMMAND")), arguments...)
}

// compose runs Docker Compose for the composition under test.
func compose(t *testing.T, arguments ...string) string {
	t.Helper()
	return run(t, composeCommand(t, arguments...)...)
}

// up starts everything that is missing, with so many hardware replicas.
func up(t *testing.T, replicas string) {
	t.Helper()
	compose(t, "up", "--detach", "--no-build", "--no-recreate", "--wait", "--scale", "hardware="+replicas)
}

// containers returns the running containers of a service.
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

// kill kills the newest container of a service, and restores everything when the test ends.
func kill(t *testing.T, service string) {
	t.Helper()
	id := newest(t, service)
	t.Cleanup(func() { up(t, "1") })
	run(t, "docker", "kill", id)
	eventually(t, service+" is gone", func() bool { return !slices.Contains(containers(t, service), id) })
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	harness.EventuallyWithin(t, patience, what, holds)
}

// newVisitor returns a browser without cookies.
func newVisitor(t *testing.T) *harness.Visitor {
	t.Helper()
	return harness.NewVisitor(setting(t, "COMPOSE_BASE_URL"))
}

// get requests a path, for which the status has to be one of statuses.
func get(t *testing.T, v *harness.Visitor, path string, statuses ...int) harness.Answer {
	t.Helper()
	a, err := v.Try(t.Context(), http.MethodGet, path, nil)
	if err != nil || !slices.Contains(statuses, a.Status) {
		t.Fatalf("%s: %d, %v, want %v\n%.300s", path, a.Status, err, statuses, a.Body)
	}
	return a
}

// answers reports whether a path responds with 200.
func answers(t *testing.T, v *harness.Visitor, path string) bool {
	t.Helper()
	return harness.CheckOK(v.Try(t.Context(), http.MethodGet, path, nil)) == nil
}

// lookUps counts the searches and pages of products that were requested from the aggregator of
// the sandbox, which is read for its category lists, too.
func lookUps(t *testing.T) int {
	t.Helper()
	n := 0
	for _, request := range sourceRequests(t) {
		if strings.Contains(request.Path, ";szukaj-") || strings.Contains(request.Path, ";0280-") {
			n++
		}
	}
	return n
}

// sourceRequests returns the requests that reached the aggregator of the sandbox.
func sourceRequests(t *testing.T) []harness.Arrival {
	t.Helper()
	return harness.Sandbox{Control: setting(t, "COMPOSE_SANDBOX_URL")}.Requests(t, "aggregator")
}

// pace is the interval of the traffic, within the limits of both services for a client.
const pace = 25 * time.Millisecond

// startTraffic requests the paths in turn until the test ends.
func startTraffic(t *testing.T, paths ...string) *harness.Traffic {
	t.Helper()
	v := newVisitor(t)
	return harness.StartTraffic(t, pace, func(n int) error {
		return harness.CheckOK(v.Try(t.Context(), http.MethodGet, paths[n%len(paths)], nil))
	})
}

// servers counts the requests to each replica of the hardware service since a moment.
func servers(t *testing.T, since time.Time) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(
		compose(t, "logs", "--no-color", "--since", since.UTC().Format(time.RFC3339Nano), "hardware"),
	) {
		if replica, entry, ok := strings.Cut(line, " | "); ok && strings.Contains(entry, `"msg":"request"`) {
			counts[strings.TrimSpace(replica)]++
		}
	}
	return counts
}
