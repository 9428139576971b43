package compose

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// service is a service in docker-compose.yml, as far as the tests check it.
type service struct {
	CapDrop     []string       `json:"cap_drop"`
	Environment map[string]any `json:"environment"`
	Labels      map[string]string
	MemLimit    string         `json:"mem_limit"`
	Networks    map[string]any `json:"networks"`
	Ports       []struct {
		HostIP string `json:"host_ip"`
	} `json:"ports"`
	Privileged  bool     `json:"privileged"`
	Profiles    []string `json:"profiles"`
	ReadOnly    bool     `json:"read_only"`
	SecurityOpt []string `json:"security_opt"`
	Volumes     []struct {
		Source string `json:"source"`
	} `json:"volumes"`
}

// file is docker-compose.yml with every profile and every variable resolved.
type file struct {
	Services map[string]service
	Networks map[string]struct{ Internal bool }
}

func readFile(t *testing.T) (f file) {
	t.Helper()
	if err := json.Unmarshal([]byte(compose(t, "--profile", "*", "config", "--format", "json")), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOnlyTheGatewayIsReachable(t *testing.T) {
	for name, s := range readFile(t).Services {
		for _, port := range s.Ports {
			if name != "gateway" && (port.HostIP != "127.0.0.1" || len(s.Profiles) == 0) {
				t.Errorf("%s publishes a port on %q", name, port.HostIP)
			}
		}
	}
}

func TestContainersHaveMinimalRights(t *testing.T) {
	for name, s := range readFile(t).Services {
		if !s.ReadOnly || s.Privileged || !slices.Contains(s.CapDrop, "ALL") ||
			!slices.Contains(s.SecurityOpt, "no-new-privileges:true") || s.MemLimit == "" {
			t.Errorf("%s: read_only %t, privileged %t, cap_drop %v, security_opt %v, mem_limit %q",
				name, s.ReadOnly, s.Privileged, s.CapDrop, s.SecurityOpt, s.MemLimit)
		}
		for _, volume := range s.Volumes {
			if strings.HasSuffix(volume.Source, "docker.sock") && name != "engine" {
				t.Errorf("%s has the engine's socket", name)
			}
		}
	}
}

// TestHardwareServersAreChecked checks the labels of the hardware service. Two services, because
// for a single one Traefik adds a router for the host hardware-backend, which bypasses the gate.
func TestHardwareServersAreChecked(t *testing.T) {
	labels := readFile(t).Services["hardware"].Labels
	for service, transport := range map[string]string{"hardware": "hardware@file", "hardware-quick": "quick@file"} {
		for label, want := range map[string]string{
			"serverstransport": transport, "healthcheck.path": "/readyz", "healthcheck.port": "9082",
			"healthcheck.interval": "2s", "healthcheck.unhealthyinterval": "1s", "healthcheck.timeout": "1s",
		} {
			if got := labels["traefik.http.services."+service+".loadbalancer."+label]; got != want {
				t.Errorf("%s: %s is %q, want %q", service, label, got, want)
			}
		}
	}
}

func TestNetworksSeparateServices(t *testing.T) {
	f := readFile(t)
	for _, pair := range [][2]string{
		{"hardware", "postgres"}, {"hardware", "directory"}, {"directory", "redis"}, {"gateway", "postgres"},
		{"gateway", "redis"}, {"hardware", "engine"}, {"directory", "engine"}, {"sandbox", "postgres"}, {"sandbox", "redis"},
	} {
		for network := range f.Services[pair[0]].Networks {
			if _, shared := f.Services[pair[1]].Networks[network]; shared {
				t.Errorf("%s and %s share the network %s", pair[0], pair[1], network)
			}
		}
	}
	for _, name := range []string{"postgres", "redis", "engine", "migrate"} {
		for network := range f.Services[name].Networks {
			if !f.Networks[network].Internal {
				t.Errorf("%s is on %s, which leads outside", name, network)
			}
		}
	}
}

func TestSecretsAreFiles(t *testing.T) {
	secret := regexp.MustCompile(`PASSWORD|SECRET|_KEYS?$|DATABASE_URL|REDIS_URL`)
	for name, s := range readFile(t).Services {
		for variable, value := range s.Environment {
			if secret.MatchString(variable) && !strings.HasSuffix(variable, "_FILE") {
				t.Errorf("%s has %s=%v in its environment", name, variable, value)
			}
		}
	}
}

func TestCompanyAccessIsStrict(t *testing.T) {
	if access := readFile(t).Services["directory"].Environment["DIRECTORY_COMPANY_ACCESS"]; access != "strict" {
		t.Errorf("DIRECTORY_COMPANY_ACCESS is %v", access)
	}
}

// TestImages requires that the images of the composition and those of prebuilt programs have
// the same form.
func TestImages(t *testing.T) {
	setting(t, "COMPOSE_COMMAND")
	t.Setenv("VERSION", "prebuilt")
	run(t, "deploy/docker/prebuilt.sh")
	for _, program := range []string{"directory", "hardware", "sandbox"} {
		image, prebuilt := "backend/"+program+":dev", "backend/"+program+":prebuilt"
		t.Cleanup(func() { run(t, "docker", "image", "rm", prebuilt) })

		const form = "{{json .Config.User}} {{json .Config.Entrypoint}} {{json .Config.Env}} {{json .Config.Healthcheck}}"
		want := run(t, "docker", "image", "inspect", "--format", form, image)
		if got := run(t, "docker", "image", "inspect", "--format", form, prebuilt); got != want {
			t.Errorf("%s is\n%s, and %s is\n%s", image, want, prebuilt, got)
		}
		for _, name := range []string{image, prebuilt} {
			if size, err := strconv.Atoi(run(t, "docker", "image", "inspect", "--format", "{{.Size}}", name)); err != nil || size > 40e6 {
				t.Errorf("%s takes %d bytes: %v", name, size, err)
			}
			if version := run(t, "docker", "run", "--rm", "--network", "none", name, "--version"); version == "" {
				t.Errorf("%s prints no version", name)
			}
		}
	}
}

// files returns the contents of a tar archive by name.
func files(t *testing.T, archive string) map[string]string {
	t.Helper()
	found := map[string]string{}
	reader := tar.NewReader(strings.NewReader(archive))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			found[header.Name] = string(content)
		}
	}
}

// TestContainersSeeTheirOwnSecrets lists the secrets in the running containers.
func TestContainersSeeTheirOwnSecrets(t *testing.T) {
	for service, want := range map[string][]string{
		"directory": {
			"database_url", "encryption_keys", "places_api_key",
			"provider_search_client_secret", "provider_social_client_secret", "session_keys", "smtp_url",
		},
		"hardware": {"redis_url"},
		"postgres": {"database_password"},
		"redis":    {"redis_acl"},
	} {
		var got []string
		for name, content := range files(t, run(t, "docker", "cp", newest(t, service)+":/run/secrets", "-")) {
			got = append(got, path.Base(name))
			if content == "" && path.Base(name) != "smtp_url" { // without one, links are printed
				t.Errorf("%s of %s is empty", name, service)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has the secrets %v, want %v", service, got, want)
		}
	}
}

// TestLostSecretsStopTheStart removes a secret of another composition and empties one.
func TestLostSecretsStopTheStart(t *testing.T) {
	other := func(arguments ...string) []string {
		return composeCommand(t, append([]string{"--project-name", os.Getenv("COMPOSE_PROJECT_NAME") + "-lost"}, arguments...)...)
	}
	prepare := func(arguments ...string) []string {
		return other(append([]string{"run", "--rm", "--no-TTY", "prepare"}, arguments...)...)
	}
	t.Cleanup(func() { run(t, other("down", "--volumes")...) })
	run(t, prepare()...)
	backup, err := try(t, "", prepare("backup")...)
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, backup)

	run(t, other("run", "--rm", "--entrypoint", "rm", "prepare", "/secrets/hardware/redis_url")...)
	run(t, other("run", "--rm", "--entrypoint", "truncate", "prepare", "--size=0", "/secrets/directory/encryption_keys")...)
	if _, err := try(t, "", other("up", "--detach", "--no-build", "directory")...); err == nil || !strings.Contains(err.Error(), `"prepare"`) {
		t.Errorf("the start with lost secrets: %v", err)
	}
	said := run(t, other("logs", "--no-log-prefix", "prepare")...)
	if want := "prepare: missing or empty, while other secrets are there: directory/encryption_keys hardware/redis_url."; !strings.HasPrefix(said, want) || strings.Contains(said, "\n") {
		t.Errorf("the start prints\n%s\nwant one line that begins with\n%s", said, want)
	}

	if _, err := try(t, backup, prepare("restore")...); err != nil {
		t.Fatal(err)
	}
	run(t, prepare()...)
	if _, err := try(t, "k1:a-new-key", prepare("put", "directory/encryption_keys")...); err != nil {
		t.Fatal(err)
	}
	before["directory/encryption_keys"] = "k1:a-new-key\n"
	if after := files(t, run(t, prepare("backup")...)); !maps.Equal(after, before) {
		t.Errorf("the restored secrets are %v, want %v", after, before)
	}
}
