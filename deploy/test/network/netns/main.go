//go:build linux

package netns

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"backend.example/deploy/test/harness"
)

// inside is set in the environment of a process that has namespaces of its own.
const inside = "NETWORK_NAMESPACE"

// Main runs the tests of a package in a copy of this process that has a network, mounts
// and processes of its own, and returns the exit code. Where that cannot be had it runs
// them here, and New skips.
func Main(m *testing.M) int {
	if os.Getenv(inside) == "" {
		if code, err := enter(); err == nil {
			return code
		}
		return m.Run()
	}
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "netns:", err)
		return 1
	}
	return m.Run()
}

// enter runs this program again in new namespaces. All of its processes end with it,
// and it ends with this one.
func enter() (code int, err error) {
	runtime.LockOSThread()                                  // the thread whose end is the parent's
	again := exec.Command("/proc/self/exe", os.Args[1:]...) // #nosec G204 -- this program
	again.Env = append(os.Environ(), inside+"=1")
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL,
	}
	var exit *exec.ExitError
	if err = again.Run(); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// prepare mounts what belongs to the new namespaces, unseen by others.
func prepare() error {
	const named = "/run/netns" // where ip keeps the names of namespaces
	return errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("proc", "/proc", "proc", 0, ""),
		os.MkdirAll(named, 0o755), // #nosec G301 -- as ip makes it
		unix.Mount("netns", named, "tmpfs", 0, ""),
	)
}

// requireNamespace skips the test, or fails it where nothing may be skipped.
func requireNamespace(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts programs")
	}
	harness.Installed(t, "ip")
	if os.Getenv(inside) == "" {
		harness.Unavailable(t, "no network namespaces can be made: that takes root on Linux")
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		harness.Unavailable(t, "there is no /dev/net/tun")
	}
}
