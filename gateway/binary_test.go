package gateway

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// onlySource is the exit status of binary.sh --no-source if it would have to build.
const onlySource = 3

// fakeTraefik prints a version like the program.
const fakeTraefik = "#!/bin/sh\necho 'Version:      3.7.12'\n"

// archive returns a release like those of Traefik: the program and two texts.
func archive(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	files := tar.NewWriter(compressed)
	for name, text := range map[string]string{"CHANGELOG.md": "changes", "LICENSE.md": "MIT", "traefik": fakeTraefik} {
		if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(files.Close(), compressed.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkout copies the files that binary.sh reads, with sum as the pinned checksum.
func checkout(t *testing.T, sum string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "gateway")
	if err := os.Mkdir(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"binary.sh", "go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o700); err != nil { // #nosec G306 -- a script
			t.Fatal(err)
		}
	}
	line := sum + "  traefik_v3.7.12_linux_amd64.tar.gz\n"
	if err := os.WriteFile(filepath.Join(folder, "traefik.sha256"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// run runs binary.sh --no-source, and returns its exit status and output.
func run(t *testing.T, folder string, env ...string) (status int, said string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "binary.sh"), "--no-source")
	cmd.Env = append(os.Environ(), append([]string{"GOOS=linux", "GOARCH=amd64"}, env...)...)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func TestBinaryFromTheArchive(t *testing.T) {
	t.Parallel()
	good := archive(t)
	sum := fmt.Sprintf("%x", sha256.Sum256(good))
	for _, test := range []struct {
		name    string
		sum     string
		env     string
		serve   http.HandlerFunc
		status  int
		says    string
		atMost  time.Duration
		unasked bool
	}{
		{
			name: "right sum", sum: sum, status: 0, says: "from the official archive",
			serve: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(good) },
		},
		{
			name: "wrong sum", sum: strings.Repeat("0", 64), status: onlySource, says: "WRONG SUM",
			serve: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(good) },
		},
		{
			name: "no answer", sum: sum, status: onlySource, says: "cannot be had", atMost: 8 * time.Second,
			serve: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		},
		{name: "no network", sum: sum, status: onlySource, says: "cannot be had", atMost: 5 * time.Second,
			unasked: true},
		{
			name: "another platform", sum: sum, env: "GOARCH=riscv64", status: onlySource, says: "no sum is known",
			unasked: true,
			serve:   func(http.ResponseWriter, *http.Request) {},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			asked := ""
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r.URL.Path
				test.serve(w, r)
			}))
			t.Cleanup(server.Close)
			if test.serve == nil {
				server.Close()
			}
			folder, begun := checkout(t, test.sum), time.Now()
			status, said := run(t, folder, "TRAEFIK_RELEASES="+server.URL, test.env)
			if status != test.status || !strings.Contains(said, test.says) {
				t.Errorf("status %d, want %d; said:\n%swant %q", status, test.status, said, test.says)
			}
			if want := "/v3.7.12/traefik_v3.7.12_linux_amd64.tar.gz"; test.unasked == (asked == want) {
				t.Errorf("asked for %q", asked)
			}
			if took := time.Since(begun); test.atMost > 0 && took > test.atMost {
				t.Errorf("took %v, more than %v", took, test.atMost)
			}
			installed, err := os.ReadFile(filepath.Join(folder, "..", "bin", "gateway"))
			if (err == nil) != (test.status == 0) || err == nil && string(installed) != fakeTraefik {
				t.Errorf("bin/gateway: %q, %v", installed, err)
			}
			if left, err := filepath.Glob(filepath.Join(folder, "..", "bin", ".gateway*")); err != nil ||
				len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestBinaryOnThePath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version, says string
		status        int
	}{
		{"3.7.2", "using", 0},
		{"3.6.15", "not v3.7", onlySource},
	} {
		t.Run(test.version, func(t *testing.T) {
			t.Parallel()
			tools := t.TempDir()
			text := strings.ReplaceAll(fakeTraefik, "3.7.12", test.version)
			// #nosec G306 -- a program
			if err := os.WriteFile(filepath.Join(tools, "traefik"), []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
			status, said := run(t, checkout(t, ""), "PATH="+tools+":"+os.Getenv("PATH"))
			if status != test.status || !strings.Contains(said, test.says) {
				t.Errorf("status %d, want %d; said:\n%s", status, test.status, said)
			}
		})
	}
}

// The files of this folder are written for the minor version in go.mod.
func TestBinaryHasPinnedVersion(t *testing.T) {
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
