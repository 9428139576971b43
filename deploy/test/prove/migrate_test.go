package prove

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestMigrationsAtOnce lets several processes bring one empty database up to date,
// and one of them be killed.
func TestMigrationsAtOnce(t *testing.T) {
	measured := report(t, "Migrations of several processes at once, some of them killed: one schema, applied once")
	const rounds, processes = 5, 6
	for range rounds {
		for _, database := range []string{"sqlite:" + filepath.Join(t.TempDir(), "directory.db"), harness.NewDatabase(t)} {
			env := []string{"DIRECTORY_DATABASE_URL=" + database, "DIRECTORY_SESSION_KEYS=" + harness.NewKey(), "DIRECTORY_ENCRYPTION_KEYS=" + harness.NewKey()}
			var wg sync.WaitGroup
			for i := range processes {
				p := harness.Start(t, "migrate", t.TempDir(), env, harness.Built(t, "directory"), "migrate", "up")
				wg.Go(func() {
					if i == 0 {
						p.Kill()
					} else if err := p.Wait(); err != nil {
						t.Errorf("migrate up: %v\n%s", err, p.Log.String())
					}
				})
			}
			wg.Wait()
			status := harness.Start(t, "migrate", t.TempDir(), env, harness.Built(t, "directory"), "migrate", "status")
			if err := status.Wait(); err != nil || strings.Contains(status.Log.String(), " no\n") {
				t.Errorf("status: %v\n%s", err, status.Log.String())
			}
		}
	}
	measured("%d times %d processes on each database", rounds, processes)
}
