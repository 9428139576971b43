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

// production is an installation that follows deploy/docker/README.md in a copy of the
// repository, with its own certificate instead of ACME.
type production struct {
	folder string
	paths  *strings.Replacer // from those of the documents to those of the test
	env    []string
	client *http.Client
}

// newProduction copies the repository, whose commit becomes two releases.
func newProduction(t *testing.T) *production {
	t.Helper()
	setting(t, "COMPOSE_COMMAND")
	folder := t.TempDir()
	p := &production{folder: filepath.Join(folder, "backend")}
	run(t, "git", "clone", "--quiet", harness.Path(), p.folder)
	addr := harness.FreeAddr()
	p.paths = strings.NewReplacer(
		"/etc/backend", filepath.Join(folder, "secrets"), "/var/backups/backend", filepath.Join(folder, "backups"),
		"tls-acme.yml", "tls-certificate.yml", "=…", "=id", "backend_erasures", "backend-production_erasures",
		"COMPOSE_PROJECT_NAME=backend", "COMPOSE_PROJECT_NAME=backend-production\nHTTPS_PORT="+harness.Port(addr)+
			"\nHTTP_PORT="+harness.Port(harness.FreeAddr()),
	)
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !strings.HasPrefix(name, "COMPOSE_") &&
			!strings.HasSuffix(name, "_PORT") {
			p.env = append(p.env, variable)
		}
	}
	p.env = append(p.env, "COMPOSE_ENV_FILES=production.env")
	if program := setting(t, "COMPOSE_COMMAND"); filepath.IsAbs(program) { // not a plugin of this machine
		p.env = append(p.env, "DOCKER_CONFIG="+folder)
		harness.WriteFile(t, filepath.Join(folder, "cli-plugins", "ignored"), "")
		if err := os.Symlink(program, filepath.Join(folder, "cli-plugins", "docker-compose")); err != nil {
			t.Fatal(err)
		}
	}
	p.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // #nosec G402 -- the certificate of a test
		DisableKeepAlives: true,                                  // a lost connection would be noticed
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		},
	}}
	return p
}

// bash runs commands with the paths of the test, and returns their output.
func (p *production) bash(t *testing.T, commands string) string {
	t.Helper()
	command := append([]string{"env", "-i", "-C", p.folder}, p.env...)
	return run(t, append(command, "bash", "-euo", "pipefail", "-c", p.paths.Replace(commands))...)
}

// documented runs the commands of a document that begin with the given words.
func (p *production) documented(t *testing.T, beginning string, document ...string) {
	t.Helper()
	p.bash(t, harness.Commands(t, harness.Path(document...), beginning))
}

// version installs a release with deploy/docker/upgrade.sh.
func (p *production) version(t *testing.T, version string) {
	t.Helper()
	p.bash(t, `git checkout --quiet `+version+`; sed -i 's/^VERSION=.*/VERSION=`+version+`/' production.env
		docker image inspect backend/directory:`+version+` >/dev/null 2>&1 ||
			VERSION=`+version+` deploy/docker/prebuilt.sh directory hardware
		deploy/docker/upgrade.sh`)
}

// scale changes the number of hardware replicas.
func (p *production) scale(t *testing.T, replicas string) {
	t.Helper()
	p.bash(t, `sed -i 's/^HARDWARE_REPLICAS=.*/HARDWARE_REPLICAS=`+replicas+`/' production.env
		docker compose up -d --no-recreate --wait`)
}

// TestProduction follows the documents from an empty machine through an upgrade and its
// roll-back under traffic to the loss of everything but the backups.
func TestProduction(t *testing.T) {
	p := newProduction(t)
	t.Cleanup(func() {
		p.bash(t, `docker compose down --volumes; docker image rm backend/{directory,hardware}:v1.2.{3,4}`)
	})
	p.bash(t,
		`git tag --force v1.2.3; git -c user.name=test -c user.email=test@test commit --quiet --allow-empty -m next
		git tag --force v1.2.4`)
	p.documented(t, "git checkout v1.2.3", "deploy", "docker", "README.md")
	p.bash(t, `cd /etc/backend; echo secret | tee provider_search_client_secret >provider_social_client_secret
		openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=backend.example -keyout tls.key -out tls.crt 2>/dev/null`)
	p.documented(t, "docker compose up --detach --wait", "deploy", "docker", "README.md")

	reads := []string{ranking, "/api/bizprofile/audit/health", "/kreator", "/konto/logowanie"}
	traffic := harness.StartTraffic(t, 50*time.Millisecond, func(n int) error {
		url := "https://backend.example" + reads[n%len(reads)]
		return harness.CheckOK(harness.Send(t.Context(), p.client, http.MethodGet, url, nil))
	})
	p.scale(t, "3")
	p.version(t, "v1.2.4")
	p.version(t, "v1.2.3")
	p.scale(t, "1")
	traffic.StopWithoutFailure(t)

	p.bash(t,
		`for name in alfa beta gamma; do docker compose exec -T directory /service company add $name --slug $name; done
		docker compose exec -T directory /service company delete alfa --yes`)
	p.documented(t, "umask 077\ndocker compose exec", "deploy", "README.md")
	p.bash(t, `docker compose exec -T directory /service company delete beta --yes
		docker compose cp directory:/data/erased.jsonl .
		docker compose down --volumes; rm -r /etc/backend`)
	p.documented(t, "mkdir -m 700 /etc/backend", "deploy", "README.md")
	if list := p.bash(t, `docker compose exec -T directory /service company list`); strings.Contains(list, "beta") ||
		!strings.Contains(list, "gamma") {
		t.Errorf("restored: %s", list)
	}
	if dumps := p.bash(t, `ls /var/backups/backend`); !strings.Contains(dumps, ".dump") {
		t.Errorf("no daily backup: %s", dumps)
	}
}
