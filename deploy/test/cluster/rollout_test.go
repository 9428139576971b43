package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"backend.example/deploy/test/harness"
)

// production brings the cluster to the overlay of that name, installed by the commands
// of the README where it is not.
func (c *controlPlane) production(t *testing.T) {
	t.Helper()
	if c.installed {
		c.apply(t, production(t))
		return
	}
	c.installed = true
	secrets := t.TempDir()
	for _, name := range []string{
		"directory/database_url", "directory/session_keys", "directory/encryption_keys",
		"directory/provider_search_client_secret", "directory/provider_social_client_secret", "directory/places_api_key",
		"hardware/redis_url",
	} {
		harness.WriteFile(t, secrets+"/"+name, "played")
	}
	t.Setenv("SECRETS", secrets)
	c.readme(t, "kubectl apply -f deploy/k8s/base/namespace.yaml")
	c.settled(t)
}

func (c *controlPlane) apply(t *testing.T, overlay string) {
	t.Helper()
	c.kubectl(t, "apply", "-k", overlay)
	c.settled(t)
}

// testOverlays changes from each overlay to the other.
func (c *controlPlane) testOverlays(t *testing.T) {
	local := harness.Path(t, "deploy", "k8s", "overlays", "local")
	c.apply(t, local)
	c.production(t)
	c.apply(t, local)
	c.production(t)
	if jobs := read[batchv1.JobList](t, c, "/apis/batch/v1/jobs"); len(jobs.Items) > 0 {
		t.Errorf("%d Jobs: one cannot be changed, so that a roll-out would need a step by hand", len(jobs.Items))
	}
}

// version is an overlay of production with other images, as they stand in its images.
func version(t *testing.T, images string) string {
	t.Helper()
	var text strings.Builder
	for _, service := range services {
		fmt.Fprintf(&text, "  - {name: registry.example/backend/%s, %s}\n", service, images)
	}
	return overlay(t, "images:\n"+text.String())
}

// testUpgrade rolls out images by their digest, and rolls them back.
func (c *controlPlane) testUpgrade(t *testing.T) {
	c.production(t)
	digest := "sha256:" + strings.Repeat("0", 64)
	atLeast := c.watchAll(t)
	c.apply(t, version(t, "digest: "+digest))
	c.run(t, "@"+digest)
	c.production(t)
	c.run(t, ":1.0.0")
	atLeast(2)
}

// run holds the pods of the services to images that end in suffix.
func (c *controlPlane) run(t *testing.T, suffix string) {
	t.Helper()
	for _, service := range services {
		for _, pod := range c.pods(t, backend, service) {
			if image := pod.Spec.Containers[0].Image; image != "registry.example/backend/"+service+suffix {
				t.Errorf("%s runs %s, want %s", pod.Name, image, suffix)
			}
		}
	}
}

// testBrokenVersion rolls out pods that never become ready, and rolls them back.
func (c *controlPlane) testBrokenVersion(t *testing.T) {
	c.production(t)
	atLeast := c.watchAll(t)
	c.kubectl(t, "apply", "-k", version(t, "newTag: broken"))
	for _, service := range services {
		harness.EventuallyWithin(t, patience, "a node has a broken pod of "+service, func() bool {
			return slices.ContainsFunc(c.pods(t, backend, service), func(p corev1.Pod) bool {
				return p.Spec.NodeName != "" && strings.HasSuffix(p.Spec.Containers[0].Image, ":broken")
			})
		})
	}
	c.production(t)
	atLeast(2)
}

// testChangedSetting rolls the pods that read it, and no others.
func (c *controlPlane) testChangedSetting(t *testing.T) {
	c.production(t)
	before := map[string][]string{}
	for _, service := range services {
		before[service] = c.names(t, service)
	}
	atLeast := c.watchAll(t)
	c.apply(t, overlay(t, `configMapGenerator:
  - {name: directory, namespace: backend, behavior: merge, literals: [DIRECTORY_SCAN_INTERVAL=12h]}
`))
	for _, name := range c.names(t, "directory") {
		if slices.Contains(before["directory"], name) {
			t.Errorf("%s still has the old setting", name)
		}
	}
	if now := c.names(t, "hardware"); !slices.Equal(now, before["hardware"]) {
		t.Errorf("the other service was restarted: %v, before %v", now, before["hardware"])
	}
	atLeast(2)
}

// names of the pods of a service.
func (c *controlPlane) names(t *testing.T, service string) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(states(c.pods(t, backend, service))))
}
