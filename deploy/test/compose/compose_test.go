// Package compose tests docker-compose.yml: the promises of the file (only the gateway is
// reachable, containers have minimal rights), and a running composition whose parts are
// scaled, killed and restarted.
//
// deploy/test/compose/run.sh starts the composition, runs these tests and sets
// COMPOSE_COMMAND, COMPOSE_BASE_URL and COMPOSE_SANDBOX_URL. Without them the tests skip.
package compose

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

const patience = 2 * time.Minute

func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Skipf("%s is not set; run make test-compose", name)
	}
	return value
}

// run runs a command in the repository, which has to succeed, and returns its trimmed output.
func run(t *testing.T, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience) // also for clean-up
	defer cancel()
	var failure strings.Builder
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) // #nosec G204 -- docker, with arguments of the tests
	cmd.Dir, cmd.Stderr = harness.Path(), &failure
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, failure.String())
	}
	return strings.TrimSpace(string(out))
}

func composeCommand(t *testing.T, arguments ...string) []string {
	t.Helper()
	return append(strings.Fields(setting(t, "COMPOSE_COMMAND")), arguments...)
}

func compose(t *testing.T, arguments ...string) string {
	t.Helper()
	return run(t, composeCommand(t, arguments...)...)
}

// up starts what does not run, with so many replicas of the hardware service, until it is healthy.
func up(t *testing.T, replicas string) {
	t.Helper()
	compose(t, "up", "--detach", "--no-build", "--no-recreate", "--wait", "--scale", "hardware="+replicas)
}

// kill kills the newest container of a service, and restores everything when the test ends.
func kill(t *testing.T, service string) {
	t.Helper()
	running := func() []string {
		return strings.Fields(compose(t, "ps", "--quiet", "--status", "running", service))
	}
	id := running()[0]
	t.Cleanup(func() { up(t, "1") })
	run(t, "docker", "kill", id)
	eventually(t, service+" is gone", func() bool { return !slices.Contains(running(), id) })
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	harness.EventuallyWithin(t, patience, what, holds)
}

func newVisitor(t *testing.T) *harness.Visitor {
	t.Helper()
	return harness.NewVisitor(setting(t, "COMPOSE_BASE_URL"))
}

// get requests a path, for which the status has to be one of statuses.
func get(t *testing.T, v *harness.Visitor, path string, statuses ...int) harness.Answer {
	t.Helper()
	a, err := v.Try(t.Context(), http.MethodGet, path, nil)
	if err != nil || !slices.Contains(statuses, a.Status) {
		t.Fatalf("%s: got status %d (%v), want one of %v\n%.300s", path, a.Status, err, statuses, a.Body)
	}
	return a
}

func answers(t *testing.T, v *harness.Visitor, path string) bool {
	t.Helper()
	return harness.CheckOK(v.Try(t.Context(), http.MethodGet, path, nil)) == nil
}

// lookUps counts the requests to the sandbox's aggregator that look up a price: searches and pages
// of products, but not the category lists.
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

func sourceRequests(t *testing.T) []harness.Arrival {
	t.Helper()
	return harness.Sandbox{Control: setting(t, "COMPOSE_SANDBOX_URL")}.Requests(t, "aggregator")
}

// pace is the interval of the traffic: slow enough for the limits of both services for one client.
const pace = 25 * time.Millisecond

func startTraffic(t *testing.T, paths ...string) *harness.Traffic {
	t.Helper()
	v := newVisitor(t)
	return harness.StartTraffic(t, pace, func(n int) error {
		return harness.CheckOK(v.Try(t.Context(), http.MethodGet, paths[n%len(paths)], nil))
	})
}

// servers returns how many requests each replica of the hardware service has answered since then,
// according to its log.
func servers(t *testing.T, since time.Time) map[string]int {
	t.Helper()
	counts := map[string]int{}
	log := compose(t, "logs", "--no-color", "--since", since.UTC().Format(time.RFC3339Nano), "hardware")
	for line := range strings.Lines(log) {
		if replica, entry, ok := strings.Cut(line, " | "); ok && strings.Contains(entry, `"msg":"request"`) {
			counts[strings.TrimSpace(replica)]++
		}
	}
	return counts
}

// newPrice returns the path of a look-up that was never made before.
func newPrice() string {
	return fmt.Sprintf("/api/prices/ceneo?q=geforce+rtx+%d", time.Now().UnixNano())
}

// TestRedisDies kills Redis under load. Cached answers go on, new look-ups keep the agreed
// rate, and what was cached is there when Redis is back.
func TestRedisDies(t *testing.T) {
	v := newVisitor(t)
	known := newPrice()
	get(t, v, known, http.StatusOK)
	lookUpsBefore, requestsBefore := lookUps(t), len(sourceRequests(t))

	kill(t, "redis")
	traffic := startTraffic(t, ranking, known)
	traffic.AwaitAnswers(t, 100)
	if n := lookUps(t) - lookUpsBefore; n != 0 {
		t.Errorf("cached answers without Redis made %d requests to the source", n)
	}
	get(t, v, newPrice(), http.StatusOK)
	requests := sourceRequests(t)
	for i := requestsBefore; i < len(requests); i++ {
		// The interval is 1.2 s, and the sandbox may record an arrival late.
		if gap := requests[i].At.Sub(requests[i-1].At); gap < time.Second {
			t.Errorf("look-up request %d without Redis came %s after the previous one", i+1-requestsBefore, gap)
		}
	}
	compose(t, "up", "--detach", "--no-build", "--no-recreate", "--no-deps", "--wait", "redis")
	traffic.AwaitAnswers(t, 100)
	traffic.StopWithoutFailure(t)

	compose(t, "restart", "hardware") // drops the copies in the process
	lookUpsBefore = lookUps(t)
	eventually(t, "hardware is back", func() bool { return answers(t, v, known) })
	if n := lookUps(t) - lookUpsBefore; n != 0 {
		t.Errorf("Redis lost an answer: %d requests to the source", n)
	}
}

const ranking = "/api/benchmark/gpu?limit=5"

func TestScalingFailsNoRequest(t *testing.T) {
	get(t, newVisitor(t), ranking, http.StatusOK)
	up(t, "1")
	traffic := startTraffic(t, ranking, "/api/bizprofile/audit/health")

	up(t, "3")
	joined := time.Now()
	eventually(t, "three replicas answer", func() bool { return len(servers(t, joined)) == 3 })
	traffic.AwaitAnswers(t, 300)
	spread := servers(t, joined)
	for server, n := range spread {
		if n < 30 {
			t.Errorf("%s served only %d requests: %v", server, n, spread)
		}
	}

	up(t, "1")
	left := time.Now()
	traffic.AwaitAnswers(t, 200)
	if rest := servers(t, left); len(rest) != 1 {
		t.Errorf("%v responded after scaling to one replica", rest)
	}
	traffic.StopWithoutFailure(t)
}

func TestReplicaDies(t *testing.T) {
	up(t, "3")
	v := newVisitor(t)
	get(t, v, ranking, http.StatusOK)
	traffic := startTraffic(t, ranking)
	traffic.AwaitAnswers(t, 50)

	kill(t, "hardware")
	traffic.AwaitAnswers(t, 400)
	traffic.StopWithoutFailure(t)
}

// TestNoReplicaIsLeft expects an error of the gateway, not the 404 of an unknown path.
func TestNoReplicaIsLeft(t *testing.T) {
	v := newVisitor(t)
	t.Cleanup(func() { up(t, "1") })
	eventually(t, "a replica responds after the previous test", func() bool { return answers(t, v, ranking) })
	compose(t, "stop", "hardware")
	get(t, v, ranking, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
	get(t, v, "/api/bizprofile/audit/health", http.StatusOK)
	up(t, "1")
	eventually(t, "the gateway has the new one", func() bool { return answers(t, v, ranking) })
}

func TestRestartKeepsEverything(t *testing.T) {
	v := newVisitor(t).Login(t, "kierownik@demo.example")
	v.Connect(t, harness.SearchProfile, "anna")
	before := v.Connections(t)[harness.SearchProfile]
	harness.OK(t, v.Post(t, "/api/bizprofile/audit", map[string]any{"slug": "piekarnia-kowalski"}))
	audit := get(t, v, "/api/bizprofile/audit?slug=piekarnia-kowalski", http.StatusOK)
	known := newPrice()
	price := get(t, v, known, http.StatusOK)

	compose(t, "down")
	up(t, "1")

	get(t, v, "/api/auth/me", http.StatusOK)
	if now := v.Connections(t)[harness.SearchProfile]; !reflect.DeepEqual(now, before) {
		t.Errorf("the connection was %+v and is %+v", before, now)
	}
	auditAfter := get(t, v, "/api/bizprofile/audit?slug=piekarnia-kowalski", http.StatusOK)
	if got, want := string(auditAfter.Body), string(audit.Body); got != want {
		t.Errorf("the audit was\n%s\nand is\n%s", want, got)
	}
	priceAfter := get(t, v, known, http.StatusOK)
	if got, want := string(priceAfter.Body), string(price.Body); got != want {
		t.Errorf("the price was\n%s\nand is\n%s", want, got)
	}
	if n := lookUps(t); n != 0 { // the sandbox was restarted, too
		t.Errorf("the known price made %d requests to the source", n)
	}
}

// TestProduction follows deploy/docker/README.md in a copy of the repository, with its own certificate instead of
// ACME, from an empty machine through an upgrade and its roll-back under traffic to the loss of everything but the
// backups.
func TestProduction(t *testing.T) {
	setting(t, "COMPOSE_COMMAND")
	folder := t.TempDir()
	checkout := filepath.Join(folder, "backend")
	run(t, "git", "clone", "--quiet", harness.Path(), checkout)
	addr := harness.FreeAddr()
	paths := strings.NewReplacer( // from those of the documents to those of the test
		"/etc/backend", filepath.Join(folder, "secrets"), "/var/backups/backend", filepath.Join(folder, "backups"),
		"tls-acme.yml", "tls-certificate.yml", "=…", "=id", "backend_erasures", "backend-production_erasures",
		"COMPOSE_PROJECT_NAME=backend", "COMPOSE_PROJECT_NAME=backend-production\nHTTPS_PORT="+harness.Port(addr)+
			"\nHTTP_PORT="+harness.Port(harness.FreeAddr()),
	)
	var env []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		isOfTest := strings.HasPrefix(name, "COMPOSE_") || strings.HasSuffix(name, "_PORT")
		if !isOfTest {
			env = append(env, variable)
		}
	}
	env = append(env, "COMPOSE_ENV_FILES=production.env")
	if program := setting(t, "COMPOSE_COMMAND"); filepath.IsAbs(program) { // not a plugin of this machine
		env = append(env, "DOCKER_CONFIG="+folder)
		harness.WriteFile(t, filepath.Join(folder, "cli-plugins", "ignored"), "")
		if err := os.Symlink(program, filepath.Join(folder, "cli-plugins", "docker-compose")); err != nil {
			t.Fatal(err)
		}
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // #nosec G402 -- the certificate of a test
		DisableKeepAlives: true,                                  // a lost connection would be noticed
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		},
	}}
	bash := func(commands string) string {
		t.Helper()
		command := append([]string{"env", "-i", "-C", checkout}, env...)
		return run(t, append(command, "bash", "-euo", "pipefail", "-c", paths.Replace(commands))...)
	}
	documented := func(beginning string, document ...string) {
		t.Helper()
		bash(harness.Commands(t, harness.Path(document...), beginning))
	}
	install := func(version string) {
		t.Helper()
		bash(`git checkout --quiet ` + version + `; sed -i 's/^VERSION=.*/VERSION=` + version + `/' production.env
			docker image inspect backend/directory:` + version + ` >/dev/null 2>&1 ||
				VERSION=` + version + ` deploy/docker/prebuilt.sh directory hardware
			deploy/docker/upgrade.sh`)
	}
	scale := func(replicas string) {
		t.Helper()
		bash(`sed -i 's/^HARDWARE_REPLICAS=.*/HARDWARE_REPLICAS=` + replicas + `/' production.env
			docker compose up -d --no-recreate --wait`)
	}
	t.Cleanup(func() {
		bash(`docker compose down --volumes; docker image rm backend/{directory,hardware}:v1.2.{3,4}`)
	})
	bash(
		`git tag --force v1.2.3; git -c user.name=test -c user.email=test@test commit --quiet --allow-empty -m next
		git tag --force v1.2.4`)
	documented("git checkout v1.2.3", "deploy", "docker", "README.md")
	bash(`cd /etc/backend; echo secret | tee provider_search_client_secret >provider_social_client_secret
		openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=backend.example -keyout tls.key -out tls.crt 2>/dev/null`)
	documented("docker compose up --detach --wait", "deploy", "docker", "README.md")

	reads := []string{ranking, "/api/bizprofile/audit/health", "/kreator", "/konto/logowanie"}
	traffic := harness.StartTraffic(t, 50*time.Millisecond, func(n int) error {
		url := "https://backend.example" + reads[n%len(reads)]
		return harness.CheckOK(harness.Send(t.Context(), client, http.MethodGet, url, nil))
	})
	scale("3")
	install("v1.2.4")
	install("v1.2.3")
	scale("1")
	traffic.StopWithoutFailure(t)

	bash(
		`for name in alfa beta gamma; do docker compose exec -T directory /service company add $name --slug $name; done
		docker compose exec -T directory /service company delete alfa --yes`)
	documented("umask 077\ndocker compose exec", "deploy", "README.md")
	bash(`docker compose exec -T directory /service company delete beta --yes
		docker compose cp directory:/data/erased.jsonl .
		docker compose down --volumes; rm -r /etc/backend`)
	documented("mkdir -m 700 /etc/backend", "deploy", "README.md")
	companies := bash(`docker compose exec -T directory /service company list`)
	if strings.Contains(companies, "beta") {
		t.Errorf("the restored database has the erased company beta: %s", companies)
	}
	if !strings.Contains(companies, "gamma") {
		t.Errorf("the restored database lacks the company gamma: %s", companies)
	}
	if dumps := bash(`ls /var/backups/backend`); !strings.Contains(dumps, ".dump") {
		t.Errorf("no daily backup: %s", dumps)
	}
}
