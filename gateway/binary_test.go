package gateway

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// binary.sh uses a program on the PATH of the pinned minor version, or the official archive
// if its checksum is the pinned one. Otherwise it would build the source (status 3).
func TestBinary(t *testing.T) {
	t.Parallel()
	const program = "#!/bin/sh\necho 'Version:      %s'\n"
	packed := t.TempDir()
	write(t, filepath.Join(packed, "traefik"), fmt.Sprintf(program, "3.7.12"))
	archive, err := exec.CommandContext(t.Context(), "tar", "-C", packed, "-czf", "-", "traefik").Output()
	if err != nil {
		t.Fatal(err)
	}
	releases := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(archive)
	}))
	t.Cleanup(releases.Close)
	sum := fmt.Sprintf("%x", sha256.Sum256(archive))
	wrong := strings.Repeat("0", 64)
	for name, test := range map[string]struct {
		onPath, sum, releases, says string
		installed                   bool
	}{
		"on the path":      {"3.7.2", wrong, "http://127.0.0.1:1", "using", true},
		"another minor":    {"3.6.15", wrong, "http://127.0.0.1:1", "not v3.7", false},
		"archive":          {"", sum, releases.URL, "from the official archive", true},
		"wrong sum":        {"", wrong, releases.URL, "WRONG SUM", false},
		"no network":       {"", sum, "http://127.0.0.1:1", "cannot be had", false},
		"another platform": {"", "", releases.URL, "no sum is known", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "gateway")
			for _, file := range []string{"binary.sh", "go.mod", "go.sum"} {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(folder, file), string(text))
			}
			write(t, filepath.Join(folder, "traefik.sha256"), test.sum+"  traefik_v3.7.12_linux_amd64.tar.gz\n")
			tools := filepath.Join(folder, "tools")
			write(t, filepath.Join(tools, "traefik"), fmt.Sprintf(program, test.onPath))
			cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "binary.sh"), "--no-source")
			cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "TRAEFIK_RELEASES="+test.releases,
				"PATH="+tools+":"+os.Getenv("PATH"))
			if name == "another platform" {
				cmd.Env = append(cmd.Env, "GOARCH=riscv64")
			}
			out, err := cmd.CombinedOutput()
			if !strings.Contains(string(out), test.says) || (err == nil) != test.installed {
				t.Errorf("%v, want %q:\n%s", err, test.says, out)
			}
			_, err = os.Stat(filepath.Join(folder, "..", "bin", "gateway"))
			if (err == nil) != test.installed {
				t.Errorf("bin/gateway: %v", err)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil { // #nosec G306 -- scripts and programs
		t.Fatal(err)
	}
}
