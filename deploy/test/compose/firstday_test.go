package compose

import (
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestFirstDay runs the commands of deploy/README.md as an operator does.
func TestFirstDay(t *testing.T) {
	d := day{folder: t.TempDir()}
	images := []string{"directory", "hardware", "sandbox"}
	t.Cleanup(func() {
		compose(t, "up", "--detach", "--no-build", "--wait", "--scale", "hardware=1") // as it was
		for _, image := range images {
			run(t, "docker", "rmi", "backend/"+image+":v1.2.2", "backend/"+image+":v1.2.3")
		}
	})
	for _, image := range images {
		run(t, "docker", "tag", "backend/"+image+":dev", "backend/"+image+":v1.2.2")
	}
	anna := newVisitor(t)
	logIn := func() {
		t.Helper()
		eventually(t, "the directory service is back", func() bool { return answers(t, anna, "/api/bizprofile/audit/health") })
		harness.OK(t, anna.Post(t, "/api/auth/login", map[string]any{"email": "anna@firma.example", "password": "zdanie-ktore-pamietam"}))
	}

	link := d.run(t, "docker compose exec -T directory /service company add")
	token := regexp.MustCompile(`\?token=(\S+)`).FindStringSubmatch(link)
	if token == nil {
		t.Fatalf("no link: %s", link)
	}
	harness.OK(t, anna.Post(t, "/api/auth/reset/confirm", map[string]any{"token": token[1], "new_password": "zdanie-ktore-pamietam"}))
	logIn()

	company := func(arguments ...string) string {
		return compose(t, append([]string{"exec", "-T", "directory", "/service", "company"}, arguments...)...)
	}
	company("add", "Firma na chwilę", "--slug", "na-chwile")
	d.run(t, "umask 077\ndocker compose exec -T postgres pg_dump")
	company("add", "Po kopii", "--slug", "po-kopii")
	company("delete", "na-chwile", "--yes") // the log of erasures is not in the database
	compose(t, "stop", "directory")
	stopped := []int{http.StatusBadGateway, http.StatusGatewayTimeout} // its address is unreachable, or silent for a moment
	unavailable(t, anna, stopped, "/konto/integracje", "text/html", "<h1>Ta część serwisu jest chwilowo niedostępna.")
	unavailable(t, anna, stopped, "/api/oauth/status", "*/*", `"success":false`)
	d.run(t, "docker compose stop directory")
	list := company("list")
	if !strings.Contains(list, "piekarnia") || strings.Contains(list, "po-kopii") || strings.Contains(list, "na-chwile") {
		t.Errorf("after the restore:\n%s", list)
	}
	logIn()

	known := newPrice()
	get(t, anna, known, http.StatusOK)
	d.run(t, "docker compose rm --stop --force redis")
	get(t, anna, known, http.StatusOK)
	get(t, anna, newPrice(), http.StatusOK)

	d.run(t, "export VERSION=v1.2.3")
	d.runs(t, "v1.2.3")
	d.run(t, "export VERSION=v1.2.2")
	d.runs(t, "v1.2.2")
	d.version = "v1.2.2"
	d.run(t, "prepare() {")
	logIn()
	d.run(t, "docker compose up -d --no-build --no-recreate --wait --scale hardware=3")
	if n := len(containers(t, "hardware")); n != 3 {
		t.Errorf("%d replicas", n)
	}
}

// day is the operator's working directory and the VERSION of the shell.
type day struct{ folder, version string }

// run runs the block of commands that begins with the given words, and returns its output.
func (d day) run(t *testing.T, beginning string) string {
	t.Helper()
	commands := harness.Commands(t, harness.Path(t, "deploy", "README.md"), beginning)
	// For the composition under test, which may need another program than the plugin.
	const docker = `docker() {
	if [[ $1 == compose ]]; then shift; $COMPOSE_COMMAND --project-directory "$ROOT" "$@"; else command docker "$@"; fi
}
`
	command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", docker+commands) // #nosec G204 -- the README's
	command.Dir = d.folder
	command.Env = append(command.Environ(), "ROOT="+harness.Path(t), "COMPOSE_COMMAND="+setting(t, "COMPOSE_COMMAND"))
	if d.version != "" {
		command.Env = append(command.Env, "VERSION="+d.version)
	}
	return harness.Run(t, command)
}

// runs requires that both services run a version.
func (d day) runs(t *testing.T, version string) {
	t.Helper()
	for _, service := range []string{"directory", "hardware"} {
		image := run(t, "docker", "inspect", "--format", "{{.Config.Image}}", newest(t, service))
		if !strings.HasSuffix(image, ":"+version) {
			t.Errorf("%s is %s, want %s", service, image, version)
		}
	}
}
