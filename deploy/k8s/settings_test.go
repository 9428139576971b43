package k8s

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
	corev1 "k8s.io/api/core/v1"
)

// environment returns the variables of a container, those of its ConfigMaps
// included.
func environment(t *testing.T, objects rendered, c corev1.Container) map[string]string {
	t.Helper()
	variables := map[string]string{}
	for _, source := range c.EnvFrom {
		settings := every[corev1.ConfigMap](objects)[source.ConfigMapRef.Name]
		if settings == nil {
			t.Fatalf("%s: no ConfigMap %s", c.Name, source.ConfigMapRef.Name)
		}
		for name, value := range settings.Data {
			variables[name] = value
		}
	}
	for _, variable := range c.Env {
		variables[variable.Name] = variable.Value
	}
	return variables
}

// TestSettingsExist holds the variables to those that the services know: any other
// with a service's prefix would keep it from starting.
func TestSettingsExist(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^#?([A-Z][A-Z0-9_]*)=`)
	for _, service := range []string{"directory", "hardware"} {
		text := harness.ReadFile(t, "../env/"+service+".env.example")
		known := map[string]bool{"GOMEMLIMIT": true}
		for _, match := range declared.FindAllStringSubmatch(text, -1) {
			known[match[1]] = true
		}
		inEach(t, func(t *testing.T, objects rendered) {
			for name, pod := range pods(objects) {
				if pod.Spec.ServiceAccountName != service {
					continue
				}
				for variable := range environment(t, objects, pod.Spec.Containers[0]) {
					if !known[variable] && !known[strings.TrimSuffix(variable, "_FILE")] {
						t.Errorf("%s: %s is no setting of the %s service", name, variable, service)
					}
				}
			}
		})
	}
}

func TestCompaniesKeepApart(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		settings := environment(t, objects, pods(objects)["directory"].Spec.Containers[0])
		if settings["DIRECTORY_COMPANY_ACCESS"] != "strict" {
			t.Errorf("DIRECTORY_COMPANY_ACCESS is %q", settings["DIRECTORY_COMPANY_ACCESS"])
		}
	})
}

// TestAddressesAreThePorts holds the ports of the containers to where the services
// listen.
func TestAddressesAreThePorts(t *testing.T) {
	inEach(t, func(t *testing.T, objects rendered) {
		for _, name := range []string{"directory", "hardware"} {
			c := pods(objects)[name].Spec.Containers[0]
			settings := environment(t, objects, c)
			for i, variable := range []string{"_ADDR", "_ADMIN_ADDR"} {
				if port := c.Ports[i].ContainerPort; settings[strings.ToUpper(name)+variable] != "0.0.0.0:"+strconv.Itoa(int(port)) {
					t.Errorf("%s listens on %s, and its port is %d", name, settings[strings.ToUpper(name)+variable], port)
				}
			}
		}
	})
}
