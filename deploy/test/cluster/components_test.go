package cluster

import (
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// testComponents adds every component to production. The definitions of their kinds are
// those of the operators that act on them, which are not here.
func (c *controlPlane) testComponents(t *testing.T) {
	c.production(t)
	c.apply(t, harness.Path(t, "deploy", "k8s", "testdata", "components"))
	got := strings.Fields(c.kubectl(t, "-n", backend, "get", "certificate,externalsecret,podmonitor,prometheusrule", "-o", "name"))
	want := []string{
		"certificate.cert-manager.io/backend-tls",
		"externalsecret.external-secrets.io/directory",
		"externalsecret.external-secrets.io/hardware",
		"podmonitor.monitoring.coreos.com/backend",
		"prometheusrule.monitoring.coreos.com/alerts",
		"prometheusrule.monitoring.coreos.com/objectives",
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the components are %v, want %v", got, want)
	}
}
