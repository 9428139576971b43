package prove

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"backend.example/deploy/e2e/stack"
)

// mounted starts a program in a mount namespace of its own, with a small file
// system of its own at folder.
func mounted(t *testing.T, options, folder string) []string {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "unshare", "-rm", "true").Run(); err != nil {
		stack.Unavailable(t, "no mount namespaces here: "+err.Error())
	}
	script := `mount -t tmpfs -o ` + options + ` tmpfs "$0" && exec "$@"`
	return []string{"-rm", "sh", "-c", script, folder}
}

// TestDisk lets the state folder of the hardware service be full or read-only: the
// service answers from the source all the same.
func TestDisk(t *testing.T) {
	measured := figures(t, "Disk full or read-only: the hardware service answers as ever, the directory service refuses writes, keeps what it has and answers reads")
	for name, options := range map[string]string{"full": "size=4k", "read-only": "ro,size=1m"} {
		t.Run("hardware "+name, func(t *testing.T) {
			s := stack.New(t, stack.Options{})
			h, folder := s.Hardware[0], t.TempDir()
			if err := h.Stop(syscall.SIGTERM); !stack.ExitedCleanly(err) {
				t.Fatal(err)
			}
			h.Env = append(h.Env, "HARDWARE_STATE_DIR="+folder)
			h.Within(t, "unshare", mounted(t, options, folder)...)
			for _, family := range []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"} {
				a := stack.Get(t, h.URL(), "/api/benchmark/"+family)
				if got := stack.Decode[struct{ Source string }](t, a); a.Status != http.StatusOK || got.Source == "local-fallback" {
					t.Errorf("%s: %d from %q", family, a.Status, got.Source)
				}
			}
			if !strings.Contains(h.Log.String(), "last good") {
				t.Error("the log does not tell that nothing can be kept")
			}
		})
	}
	t.Run("directory full", directoryDiskFull)
	measured("full and read-only state folder, full disk under SQLite")
}

// directoryDiskFull fills the disk under the database while writers write, then
// gives the space back.
func directoryDiskFull(t *testing.T) {
	folder := t.TempDir()
	s := stack.New(t, stack.Options{Directories: 1})
	d := s.Directories[0]
	if err := d.Stop(syscall.SIGTERM); !stack.ExitedCleanly(err) {
		t.Fatal(err)
	}
	database := filepath.Join(folder, "directory.db")
	d.Env = append(d.Env, "DIRECTORY_DATABASE_URL=sqlite:"+database)
	seeded := `"` + d.Program(t) + `" seed >/dev/null && exec "$@"`
	args := append(mounted(t, "size=2m", folder), "sh", "-c", seeded, "sh")
	d.Within(t, "unshare", args...)
	inside := filepath.Join("/proc", strconv.Itoa(d.Pid()), "root", folder)

	v := stack.NewVisitor(t, d.URL())
	v.Login(t, "biuro@demo.example")
	fill(t, filepath.Join(inside, "ballast"))
	refused := 0
	for range 30 {
		a := v.At(d.URL()).Post(t, "/api/oauth/connect/"+searchPair, nil) // keeps a state in the session
		if a.Status >= http.StatusInternalServerError {
			refused++
		}
		if leak := leaked(a.Body); leak != "" {
			t.Errorf("the answer tells %q: %s", leak, a.Body)
		}
	}
	if refused == 0 {
		t.Error("no write was refused on a full disk")
	}
	if a := v.Get(t, "/api/bizprofile/audit/health"); a.Status != http.StatusOK {
		t.Errorf("reads on a full disk: %d %s", a.Status, a.Body)
	}
	if err := os.Remove(filepath.Join(inside, "ballast")); err != nil {
		t.Fatal(err)
	}
	if a := v.Post(t, "/api/oauth/connect/"+searchPair, nil); a.Status != http.StatusOK {
		t.Errorf("with space again: %d %s", a.Status, a.Body)
	}
	if a := v.Get(t, "/api/auth/me"); a.Status != http.StatusOK {
		t.Errorf("the session after it: %d %s", a.Status, a.Body)
	}
}

// fill writes to path until nothing more fits.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path) // #nosec G304 -- in a folder of the test
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
}

// TestMigrationsAtOnce lets several processes bring one empty database up to date,
// and one of them be killed.
func TestMigrationsAtOnce(t *testing.T) {
	measured := figures(t, "Migrations of several processes at once, some of them killed: one schema, applied once")
	server := stack.StartPostgres(t)
	const rounds, processes = 5, 6
	for range rounds {
		for _, database := range []string{"sqlite:" + filepath.Join(t.TempDir(), "directory.db"), server.URL(server.Addr, server.NewDatabase(t))} {
			env := []string{"DIRECTORY_DATABASE_URL=" + database, "DIRECTORY_SESSION_KEYS=" + stack.NewKey(), "DIRECTORY_ENCRYPTION_KEYS=" + stack.NewKey()}
			var wg sync.WaitGroup
			for i := range processes {
				p := stack.Start(t, "migrate", t.TempDir(), env, stack.Built(t, "directory"), "migrate", "up")
				wg.Go(func() {
					signal := syscall.Signal(0) // waits for the end
					if i == 0 {
						signal = syscall.SIGKILL
					}
					if err := p.Stop(signal); i > 0 && err != nil {
						t.Errorf("migrate up: %v\n%s", err, p.Log.String())
					}
				})
			}
			wg.Wait()
			status := stack.Start(t, "migrate", t.TempDir(), env, stack.Built(t, "directory"), "migrate", "status")
			if err := status.Stop(0); err != nil || strings.Contains(status.Log.String(), " no\n") {
				t.Errorf("status: %v\n%s", err, status.Log.String())
			}
		}
	}
	measured("%d times %d processes on each database", rounds, processes)
}
