package compose

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

type service struct {
	CapDrop     []string       `json:"cap_drop"`
	Environment map[string]any `json:"environment"`
	MemLimit    string         `json:"mem_limit"`
	Networks    map[string]any `json:"networks"`
	Ports       []struct {
		HostIP string `json:"host_ip"`
	} `json:"ports"`
	Privileged  bool     `json:"privileged"`
	ReadOnly    bool     `json:"read_only"`
	SecurityOpt []string `json:"security_opt"`
}

type file struct {
	Services map[string]service
	Networks map[string]struct{ Internal bool }
	Volumes  map[string]struct{ Name string }
	Secrets  map[string]struct{ File string }
}

func readFile(t *testing.T) (f file) {
	t.Helper()
	if err := json.Unmarshal([]byte(compose(t, "config", "--format", "json")), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// The password of the demonstration is published, so no other machine may reach it.
func TestDemonstrationIsOnLoopback(t *testing.T) {
	for name, s := range readFile(t).Services {
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes a port on %q", name, port.HostIP)
			}
		}
	}
}

// readProduction returns the composition of a production.env in which every setting of the
// environment files is "set", and these settings by service.
func readProduction(t *testing.T) (production file, settings map[string][]string) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "production.env")
	settings = map[string][]string{"gateway": {"GATEWAY_CLIENT_RATE", "GATEWAY_TRUSTED_PROXIES", "WEB_APP_URL"}}
	for _, service := range []string{"directory", "hardware"} {
		text := harness.ReadFile(t, harness.Path("deploy", "env", service+".env.example"))
		for _, match := range regexp.MustCompile(`(?m)^#([A-Z_]+)=`).FindAllStringSubmatch(text, -1) {
			settings[service] = append(settings[service], match[1])
		}
	}
	lines := []string{"COMPOSE_PROJECT_NAME=backend", "SECRETS=" + folder, "ENV_FILE=" + path}
	for _, names := range settings {
		for _, name := range names {
			lines = append(lines, name+"=set")
		}
	}
	harness.WriteFile(t, path, strings.Join(lines, "\n")+"\n")
	// These variables select the composition under test.
	command := []string{"env", "-u", "COMPOSE_PROJECT_NAME", "-u", "COMPOSE_FILE"}
	command = append(command, composeCommand(t, "--env-file", path, "config", "--format", "json")...)
	if err := json.Unmarshal([]byte(run(t, command...)), &production); err != nil {
		t.Fatal(err)
	}
	return production, settings
}

func TestSettingsReachTheContainers(t *testing.T) {
	production, settings := readProduction(t)
	for service, names := range settings {
		environment := production.Services[service].Environment
		for _, name := range names {
			_, inFile := environment[name+"_FILE"]
			if _, set := environment[name]; !set && !inFile {
				t.Errorf("%s does not reach %s", name, service)
			}
		}
	}
	for _, name := range settings["gateway"] {
		if got := production.Services["gateway"].Environment[name]; got != "set" {
			t.Errorf("%s reaches the gateway as %v, want set", name, got)
		}
	}
}

func TestProductionSharesNothingWithTheDemonstration(t *testing.T) {
	production, _ := readProduction(t)
	demonstration := readFile(t)
	for name, volume := range demonstration.Volumes {
		if production.Volumes[name].Name == volume.Name {
			t.Errorf("both have the volume %s", volume.Name)
		}
	}
	for name, secret := range demonstration.Secrets {
		if production.Secrets[name].File == secret.File {
			t.Errorf("both have the secret %s", secret.File)
		}
	}
	if _, seeded := production.Services["seed"]; seeded {
		t.Error("production is seeded with the demonstration's data")
	}
}

func TestContainersHaveMinimalRights(t *testing.T) {
	for name, s := range readFile(t).Services {
		if !s.ReadOnly {
			t.Errorf("%s can write to its root file system", name)
		}
		if s.Privileged {
			t.Errorf("%s is privileged", name)
		}
		if !slices.Contains(s.CapDrop, "ALL") {
			t.Errorf("%s drops the capabilities %q, want ALL", name, s.CapDrop)
		}
		if !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s has security_opt %q, want no-new-privileges:true in it", name, s.SecurityOpt)
		}
		if s.MemLimit == "" {
			t.Errorf("%s has no mem_limit", name)
		}
	}
}

// networks returns the networks of a service, which has to have some.
func (f file) networks(t *testing.T, service string) map[string]any {
	t.Helper()
	networks := f.Services[service].Networks
	if len(networks) == 0 {
		t.Errorf("there is no service %s, or it has no network", service)
	}
	return networks
}

func TestNetworksSeparateServices(t *testing.T) {
	f := readFile(t)
	for _, pair := range [][2]string{
		{"hardware", "postgres"}, {"hardware", "directory"}, {"directory", "redis"}, {"gateway", "postgres"},
		{"gateway", "redis"}, {"sandbox", "postgres"}, {"sandbox", "redis"},
	} {
		one, other := pair[0], pair[1]
		others := f.networks(t, other)
		for network := range f.networks(t, one) {
			if _, shared := others[network]; shared {
				t.Errorf("%s and %s share the network %s", one, other, network)
			}
		}
	}
	for _, name := range []string{"postgres", "redis", "migrate"} {
		for network := range f.networks(t, name) {
			if !f.Networks[network].Internal {
				t.Errorf("%s is on %s, which leads outside", name, network)
			}
		}
	}
}

func TestSecretsAreFiles(t *testing.T) {
	secret := regexp.MustCompile(`PASSWORD|SECRET$|_KEYS?$|DATABASE_URL|REDIS_URL`)
	for name, s := range readFile(t).Services {
		for variable, value := range s.Environment {
			if secret.MatchString(variable) && !strings.HasSuffix(variable, "_FILE") {
				t.Errorf("%s has %s=%v in its environment", name, variable, value)
			}
		}
	}
}

// TestImages requires that the images of the composition and those of prebuilt programs have
// the same form.
func TestImages(t *testing.T) {
	setting(t, "COMPOSE_COMMAND")
	t.Setenv("VERSION", "prebuilt")
	run(t, "deploy/docker/prebuilt.sh")
	const form = "{{json .Config.User}} {{json .Config.Entrypoint}} {{json .Config.Env}} {{json .Config.Healthcheck}}"
	const maxBytes = 40_000_000
	for _, program := range []string{"directory", "hardware", "sandbox"} {
		image, prebuilt := "backend/"+program+":dev", "backend/"+program+":prebuilt"
		t.Cleanup(func() { run(t, "docker", "image", "rm", prebuilt) })
		want := run(t, "docker", "image", "inspect", "--format", form, image)
		if got := run(t, "docker", "image", "inspect", "--format", form, prebuilt); got != want {
			t.Errorf("%s is\n%s, and %s is\n%s", image, want, prebuilt, got)
		}
		for _, name := range []string{image, prebuilt} {
			size, err := strconv.Atoi(run(t, "docker", "image", "inspect", "--format", "{{.Size}}", name))
			if err != nil || size > maxBytes {
				t.Errorf("%s takes %d bytes, want at most %d: %v", name, size, maxBytes, err)
			}
			if version := run(t, "docker", "run", "--rm", "--network", "none", name, "--version"); version == "" {
				t.Errorf("%s prints no version", name)
			}
		}
	}
}
