package prove

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestNoSecretOutside gives the services their secrets in files, lets them work and
// fail, ends the directory service as a crash does, and looks for each secret in what
// others may see: logs, stack dumps, metrics, traces, answers and pages, command
// lines, environment, and files that were left.
func TestNoSecretOutside(t *testing.T) {
	measured := report(t, "No secret in logs, stack dumps, metrics, traces, error answers, pages, the process list, the environment, and no core file after a crash")
	allowCoreFiles(t)
	var places, secrets atomic.Int64
	crashes := []syscall.Signal{syscall.SIGABRT, syscall.SIGQUIT, syscall.SIGSEGV, syscall.SIGTRAP}
	t.Run("after", func(t *testing.T) {
		for _, signal := range crashes {
			t.Run(signal.String(), func(t *testing.T) {
				t.Parallel() // the services wait for their failing providers
				b := newSecretBackend(t)
				seen, known := b.crash(t, signal), b.allSecrets(t)
				requireNone(t, seen, known)
				places.Add(int64(len(seen)))
				secrets.Add(int64(len(known)))
			})
		}
	})
	measured("%d secrets, %d places after %d kinds of crash", secrets.Load(), places.Load(), len(crashes))
}

// crash lets the services work and fail, ends the directory service with a signal, and
// returns what others could see.
func (b *secretBackend) crash(t *testing.T, signal syscall.Signal) map[string][]byte {
	t.Helper()
	d := b.Directories[0]
	seen := map[string][]byte{"answers and pages": b.workAndFail(t)}
	for name, p := range b.programs() {
		seen["metrics of the "+name] = []byte(p.Metrics(t))
		seen["command line of the "+name] = []byte(harness.ReadFile(t, fmt.Sprintf("/proc/%d/cmdline", p.Pid())))
		seen["environment of the "+name] = []byte(harness.ReadFile(t, fmt.Sprintf("/proc/%d/environ", p.Pid())))
	}
	seen["traces"] = b.awaitTraces(t)
	seen["database"] = dump(t, b.database)
	_ = d.Stop(signal)
	for name, p := range b.programs() {
		seen["log of the "+name] = []byte(p.Log.String())
	}
	if !bytes.Contains(seen["log of the directory"], []byte("goroutine ")) {
		t.Errorf("%s left no stack dump to look into", signal)
	}
	requireNoCoreFile(t, d.Folder)
	return seen
}

// allowCoreFiles lets the programs write core files, if they would.
func allowCoreFiles(t *testing.T) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: before.Max, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Setrlimit(syscall.RLIMIT_CORE, &before) })
}

// requireNone looks for each secret in each place.
func requireNone(t *testing.T, seen map[string][]byte, secrets map[string]string) {
	t.Helper()
	for place, text := range seen {
		for secret, kind := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s: a %s in the clear", place, kind)
			}
		}
	}
}

// requireNoCoreFile fails if the crash left its memory behind.
func requireNoCoreFile(t *testing.T, folder string) {
	t.Helper()
	cores, err := filepath.Glob(filepath.Join(folder, "*core*"))
	if err != nil || len(cores) > 0 {
		t.Errorf("core files: %v, %v", cores, err)
	}
}
