package gateway

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// The binary is of the minor version that go.mod pins: the files of this folder
// are written for it.
func TestBinaryIsOfThePinnedVersion(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`github\.com/traefik/traefik/v3 v(\d+\.\d+)\.`).FindSubmatch(mod)
	if pinned == nil {
		t.Fatal("go.mod does not pin Traefik")
	}
	out, err := exec.CommandContext(t.Context(), binary(t), "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	built := regexp.MustCompile(`Version:\s+v?(\d+\.\d+)\.`).FindSubmatch(out)
	if built == nil || string(built[1]) != string(pinned[1]) {
		t.Errorf("go.mod pins %s, the binary says:\n%s", pinned[1], out)
	}
}
