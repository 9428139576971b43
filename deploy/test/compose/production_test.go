package compose

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestProduction follows deploy/docker/README.md in a copy of the repository, with its own certificate instead of
// ACME, from an empty machine through an upgrade and its
// roll-back under traffic to the loss of everything but the backups.
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
		if name, _, _ := strings.Cut(variable, "="); !strings.HasPrefix(name, "COMPOSE_") &&
			!strings.HasSuffix(name, "_PORT") {
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
	if list := bash(`docker compose exec -T directory /service company list`); strings.Contains(list, "beta") ||
		!strings.Contains(list, "gamma") {
		t.Errorf("restored: %s", list)
	}
	if dumps := bash(`ls /var/backups/backend`); !strings.Contains(dumps, ".dump") {
		t.Errorf("no daily backup: %s", dumps)
	}
}
