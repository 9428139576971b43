package prove

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestDisk fills the disks of both services, or makes them read-only.
func TestDisk(t *testing.T) {
	measured := report(t, "Disk full or read-only: the hardware service answers as ever; the directory service refuses writes, keeps every acknowledged one, answers reads, and goes on once there is space")
	for name, options := range map[string]string{"full": "size=4k", "read-only": "ro,size=1m"} {
		t.Run("hardware "+name, func(t *testing.T) { hardwareDisk(t, options) })
	}
	kept := map[string]int{}
	t.Run("sqlite full", func(t *testing.T) { kept["SQLite"] = sqliteDiskFull(t) })
	t.Run("sqlite read-only", sqliteReadOnly)
	t.Run("postgresql full", func(t *testing.T) { kept["PostgreSQL"] = postgresDiskFull(t) })
	measured("acknowledged writes that were looked for: %v", kept)
}

// mounted returns the arguments of unshare that start a program in a new mount namespace
// with a small file system at folder.
func mounted(t *testing.T, options, folder string) []string {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "unshare", "-rm", "true").Run(); err != nil {
		harness.Unavailable(t, "no mount namespaces here: "+err.Error())
	}
	script := `mount -t tmpfs -o ` + options + ` tmpfs "$0" && exec "$@"`
	return []string{"-rm", "sh", "-c", script, folder}
}

// hardwareDisk runs the hardware service with a full or read-only state folder. It has to
// respond with data of the source.
func hardwareDisk(t *testing.T, options string) {
	s := harness.New(t, harness.Options{})
	h, folder := s.Hardware[0], t.TempDir()
	h.Terminate(t)
	h.Env = append(h.Env, "HARDWARE_STATE_DIR="+folder)
	h.Within(t, "unshare", mounted(t, options, folder)...)
	for _, family := range []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"} {
		a := harness.Get(t, h.URL(), "/api/benchmark/"+family)
		if got := harness.Decode[struct{ Source string }](t, a); a.Status != http.StatusOK || got.Source == "local-fallback" {
			t.Errorf("%s: %d from %q", family, a.Status, got.Source)
		}
	}
	if !strings.Contains(h.Log.String(), "last good") {
		t.Error("the log has no line about the last good copy")
	}
}

// onSmallDisk restarts the directory service with its SQLite file on a file system of 2 MB,
// and returns the folder's path for this process.
func onSmallDisk(t *testing.T, s *harness.Stack) string {
	t.Helper()
	folder, d := t.TempDir(), s.Directories[0]
	d.Terminate(t)
	d.Env = append(d.Env, "DIRECTORY_DATABASE_URL=sqlite:"+filepath.Join(folder, "directory.db"))
	seeded := `"` + d.Program(t) + `" seed >/dev/null && exec "$@"`
	d.Within(t, "unshare", append(mounted(t, "size=2m", folder), "sh", "-c", seeded, "sh")...)
	s.AwaitGateway(t)
	return filepath.Join("/proc", strconv.Itoa(d.Pid()), "root", folder)
}

func sqliteDiskFull(t *testing.T) (kept int) {
	s := harness.New(t, harness.Options{Directories: 1})
	folder := onSmallDisk(t, s)
	c := newCompanyClient(t, s, "biuro@demo.example", "anna")
	return writeUntilFull(t, c, filepath.Join(folder, "ballast"))
}

// postgresDiskFull runs a whole server on a small disk, which requires root.
func postgresDiskFull(t *testing.T) (kept int) {
	t.Setenv("TMPDIR", smallDisk(t))
	server := harness.StartPostgres(t)
	ballast := filepath.Join(os.Getenv("TMPDIR"), "ballast")
	t.Setenv("TMPDIR", "") // for the other programs
	database := server.NewDatabase(t)
	s := harness.New(t, harness.Options{Directories: 1, Database: database})
	c := newCompanyClient(t, s, "biuro@demo.example", "anna")
	kept = writeUntilFull(t, c, ballast)
	requireConsistent(t, harness.OpenDatabase(t, database))
	return kept
}

// smallDisk mounts a file system of 96 MB for this test and its programs, and returns its
// folder.
func smallDisk(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	runtime.LockOSThread() // the namespace belongs to the thread, which ends with the test
	err := errors.Join(syscall.Unshare(syscall.CLONE_NEWNS), syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
	if err == nil {
		err = syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=96m,mode=0755")
	}
	if err != nil {
		harness.Unavailable(t, "no file system can be mounted here: "+err.Error())
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	for parent := folder; parent != os.TempDir() && parent != "/"; parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o755); err != nil { // #nosec G302 -- the server is not root
			t.Fatal(err)
		}
	}
	return folder
}

// writeUntilFull fills the disk with ballast, writes until a write is refused, checks reads,
// removes the ballast and checks every acknowledged write. It returns their number.
func writeUntilFull(t *testing.T, c *companyClient, ballast string) (kept int) {
	t.Helper()
	r := choices(t)
	for range 5 {
		if err := c.change(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	fill(t, ballast)
	if err := refusal(t, c, r); err == nil {
		t.Error("no write was refused on a full disk")
	}
	if a := c.visitor.Get(t, "/api/bizprofile/audit/health"); a.Status != http.StatusOK {
		t.Errorf("reads on a full disk: %d %s", a.Status, a.Body)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	c.visitor.HTTP.CloseIdleConnections()
	c.verify(t)
	for range 5 {
		if err := c.change(t.Context(), r); err != nil {
			t.Errorf("with space again: %v", err)
		}
	}
	c.verify(t)
	return c.acknowledged
}

// refusal writes until the full disk makes a write fail, and returns the error: a response
// of the service, or the page to which a failed callback redirects.
func refusal(t *testing.T, c *companyClient, r *rand.Rand) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		c.visitor.HTTP.CloseIdleConnections() // uses another address, so that the rate limit does not apply
		err := c.change(ctx, r)
		if err == nil {
			continue
		}
		if leak := leaked([]byte(err.Error())); leak != "" || !strings.HasPrefix(err.Error(), "50") && !strings.Contains(err.Error(), "?oauth_error=") {
			t.Errorf("the refusal shows %q: %v", leak, err)
		}
		return err
	}
	return nil
}

// fill writes to path until the disk is full.
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

// sqliteReadOnly starts the directory service on a read-only disk. It has to fail with a
// message and leave the file unchanged.
func sqliteReadOnly(t *testing.T) {
	folder := t.TempDir()
	database := filepath.Join(folder, "directory.db")
	env := []string{"DIRECTORY_DATABASE_URL=sqlite:" + database, "DIRECTORY_SESSION_KEYS=" + harness.NewKey(),
		"DIRECTORY_ENCRYPTION_KEYS=" + harness.NewKey(), "DIRECTORY_ADDR=127.0.0.1:0", "DIRECTORY_ADMIN_ADDR=127.0.0.1:0"}
	program := harness.Built(t, "directory")
	script := `set -e; "$1" seed >/dev/null; before=$(sha256sum "$2"); mount -o remount,ro "$0"
		status=0; timeout 20 "$1" serve || status=$?; [ "$before" = "$(sha256sum "$2")" ]; exit $status`
	args := append(mounted(t, "size=2m", folder), "sh", "-c", script, folder, program, database)
	p := harness.Start(t, "directory", folder, env, harness.Installed(t, "unshare"), args...)
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(p.Log.String(), "directory: ") {
		t.Errorf("%v: %s", err, p.Log.String())
	}
}
