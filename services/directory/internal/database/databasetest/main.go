package databasetest

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// process is what the tests of a process share, and what Main takes away.
var process struct {
	managed bool // Main is running
	once    sync.Once
	server  *server
	err     error
}

// Main runs the tests of a package, then drops what they left on the PostgreSQL
// server, and returns the exit code.
func Main(m *testing.M) int {
	process.managed = true
	code := m.Run()
	if process.server != nil {
		if err := process.server.close(); err != nil {
			fmt.Fprintln(os.Stderr, "databasetest:", err)
			return max(code, 1)
		}
	}
	return code
}

// postgres connects to the server with the first test that needs it.
func postgres(t *testing.T) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("PostgreSQL is left out with -short")
	}
	if !process.managed {
		t.Fatal("databasetest: TestMain has to call databasetest.Main")
	}
	process.once.Do(func() { process.server, process.err = connect() })
	if process.err == nil {
		return process.server
	}
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatalf("no PostgreSQL server for tests: %v", process.err)
	}
	t.Skipf("no PostgreSQL server for tests (set TEST_DATABASE_URL): %v", process.err)
	return nil
}
