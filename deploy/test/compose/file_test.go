package compose

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// service is what the tests look at of a service in docker-compose.yml.
type service struct {
	CapDrop     []string       `json:"cap_drop"`
	Environment map[string]any `json:"environment"`
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

func TestContainersMayDoWhatTheyHaveTo(t *testing.T) {
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

func TestNetworksKeepApart(t *testing.T) {
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

// TestSecretsReachTheirConsumer holds every volume of secrets to those who need it.
func TestSecretsReachTheirConsumer(t *testing.T) {
	got := map[string][]string{}
	for name, s := range readFile(t).Services {
		for _, volume := range s.Volumes {
			if consumer, secrets := strings.CutPrefix(volume.Source, "secrets-"); secrets {
				got[consumer] = append(got[consumer], name)
			}
		}
	}
	want := map[string][]string{
		"directory": {"directory", "migrate", "prepare", "seed"},
		"hardware":  {"hardware", "prepare"},
		"postgres":  {"postgres", "prepare"},
		"redis":     {"prepare", "redis"},
	}
	for _, services := range got {
		slices.Sort(services)
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("secrets are mounted by\n%v, want\n%v", got, want)
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

func TestCompaniesKeepApart(t *testing.T) {
	if access := readFile(t).Services["directory"].Environment["DIRECTORY_COMPANY_ACCESS"]; access != "strict" {
		t.Errorf("DIRECTORY_COMPANY_ACCESS is %v", access)
	}
}
