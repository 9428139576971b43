package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/jobs"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// TestJobs inserts jobs in transactions, of which one is rolled back, and does the others.
func TestJobs(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		queue := jobs.New(db.DB)
		insert := func(id int64, outcome error) {
			err := db.DB.Transaction(t.Context(), func(tx *gorm.DB) error {
				return errors.Join(queue.Insert(tx, jobs.Mail{ID: id}), outcome)
			})
			if !errors.Is(err, outcome) {
				t.Fatal(err)
			}
		}
		insert(1, nil)
		insert(1, nil)
		insert(2, errors.New("no"))
		insert(3, nil)
		var mu sync.Mutex
		var done []int64
		workers := jobs.NewWorkers()
		jobs.Add(workers, func(_ context.Context, job *river.Job[jobs.Mail]) error {
			mu.Lock()
			defer mu.Unlock()
			done = append(done, job.Args.ID)
			if job.Args.ID == 3 {
				return errors.New("refused")
			}
			return nil
		})
		if err := queue.Drain(t.Context(), workers, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		slices.Sort(done)
		if diff := cmp.Diff([]int64{1, 3}, done); diff != "" {
			t.Errorf("jobs done (-want +got):\n%s", diff)
		}
		left, err := queue.List(t.Context())
		if err != nil || len(left) != 1 {
			t.Fatalf("%d jobs left, %v", len(left), err)
		}
		if wait := time.Until(left[0].ScheduledAt); wait < 20*time.Second || wait > 30*time.Second {
			t.Errorf("the next attempt is in %s, want 30 s", wait)
		}
		insert(1, nil) // the first one is finished
		insert(3, nil)
		if left, err = queue.List(t.Context()); err != nil || len(left) != 2 {
			t.Errorf("%d jobs, %v, want 2", len(left), err)
		}
	})
}

func TestInsertOutsideTransaction(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, databasetest.NewSQLite(t))
	queue := jobs.New(db)
	if err := queue.Insert(db.Write(t.Context()), jobs.Purge{}); err == nil {
		t.Error("a job was inserted without a transaction")
	}
}
