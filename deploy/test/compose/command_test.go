package compose

import (
	"context"
	"fmt"
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
