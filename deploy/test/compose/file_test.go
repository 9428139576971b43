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

// The demonstration has a published password.
func TestDemonstrationIsOnLoopback(t *testing.T) {
	for name, s := range readFile(t).Services {
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes a port on %q", name, port.HostIP)
			}
		}
	}
}

// Every setting in an environment file reaches the containers of its service, and the
// production of that file shares neither volumes nor secrets with the demonstration.
func TestSettingsReachTheContainers(t *testing.T) {
	folder, names := t.TempDir(), map[string][]string{}
	env := "COMPOSE_PROJECT_NAME=backend\nSECRETS=" + folder + "\nENV_FILE=" + folder + "/production.env\n"
	for _, service := range []string{"directory", "hardware"} {
		text := harness.ReadFile(t, harness.Path("deploy", "env", service+".env.example"))
		for _, match := range regexp.MustCompile(`(?m)^#([A-Z_]+)=`).FindAllStringSubmatch(text, -1) {
			names[service] = append(names[service], match[1])
			env += match[1] + "=set\n"
		}
	}
	names["gateway"] = []string{"GATEWAY_CLIENT_RATE", "GATEWAY_TRUSTED_PROXIES", "WEB_APP_URL"}
	env += strings.Join(names["gateway"], "=set\n") + "=set\n"
	harness.WriteFile(t, filepath.Join(folder, "production.env"), env)
	command := composeCommand(t, "--env-file", filepath.Join(folder, "production.env"), "config", "--format", "json")
	// Without the variables that select the composition under test.
	output := run(t, append([]string{"env", "-u", "COMPOSE_PROJECT_NAME", "-u", "COMPOSE_FILE"}, command...)...)
	var production file
	if err := json.Unmarshal([]byte(output), &production); err != nil {
		t.Fatal(err)
	}
	for service, settings := range names {
		environment := production.Services[service].Environment
		for _, name := range settings {
			_, inFile := environment[name+"_FILE"]
			if _, set := environment[name]; !set && !inFile {
				t.Errorf("%s does not reach %s", name, service)
			}
		}
	}
	for _, name := range names["gateway"] {
		if got := production.Services["gateway"].Environment[name]; got != "set" {
			t.Errorf("%s reaches the gateway as %v", name, got)
		}
	}
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
		t.Error("production is seeded")
	}
}

func TestContainersHaveMinimalRights(t *testing.T) {
	for name, s := range readFile(t).Services {
		if !s.ReadOnly || s.Privileged {
			t.Fatalf("%s: read_only %t, privileged %t, cap_drop %v, security_opt %v, mem_limit %q",
				name, s.ReadOnly, s.Privileged, s.CapDrop, s.SecurityOpt, s.MemLimit)
		}
		if !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Fatalf("%s: read_only %t, privileged %t, cap_drop %v, security_opt %v, mem_limit %q",
				name, s.ReadOnly, s.Privileged, s.CapDrop, s.SecurityOpt, s.MemLimit)
		}
		if s.MemLimit == "" {
			t.Errorf("%s: read_only %t, privileged %t, cap_drop %v, security_opt %v, mem_limit %q",
				name, s.ReadOnly, s.Privileged, s.CapDrop, s.SecurityOpt, s.MemLimit)
		}
	}
}

func TestNetworksSeparateServices(t *testing.T) {
	f := readFile(t)
	for _, pair := range [][2]string{
		{"hardware", "postgres"}, {"hardware", "directory"}, {"directory", "redis"}, {"gateway", "postgres"},
		{"gateway", "redis"}, {"sandbox", "postgres"}, {"sandbox", "redis"},
	} {
		for network := range f.Services[pair[0]].Networks {
			if _, shared := f.Services[pair[1]].Networks[network]; shared {
				t.Errorf("%s and %s share the network %s", pair[0], pair[1], network)
			}
		}
	}
	for _, name := range []string{"postgres", "redis", "migrate"} {
		for network := range f.Services[name].Networks {
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
	for _, program := range []string{"directory", "hardware", "sandbox"} {
		image, prebuilt := "backend/"+program+":dev", "backend/"+program+":prebuilt"
		t.Cleanup(func() { run(t, "docker", "image", "rm", prebuilt) })

		const form = "{{json .Config.User}} {{json .Config.Entrypoint}} {{json .Config.Env}} {{json " +
			".Config.Healthcheck}}"
		want := run(t, "docker", "image", "inspect", "--format", form, image)
		if got := run(t, "docker", "image", "inspect", "--format", form, prebuilt); got != want {
			t.Errorf("%s is\n%s, and %s is\n%s", image, want, prebuilt, got)
		}
		for _, name := range []string{image, prebuilt} {
			size, err := strconv.Atoi(run(t, "docker", "image", "inspect", "--format", "{{.Size}}", name))
			if err != nil || size > 40e6 {
				t.Errorf("%s takes %d bytes: %v", name, size, err)
			}
			if version := run(t, "docker", "run", "--rm", "--network", "none", name, "--version"); version == "" {
				t.Errorf("%s prints no version", name)
			}
		}
	}
}
