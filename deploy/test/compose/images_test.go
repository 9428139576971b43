package compose

import (
	"strconv"
	"testing"
)

// TestImages holds the images of the composition, and those around programs that
// make build has built, to the same form.
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
				t.Errorf("%s does not tell its version", name)
			}
		}
	}
}
