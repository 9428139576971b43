package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
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

func TestJobsAreDoneOnce(t *testing.T) {
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
		insert(1, nil)              // is the same job
		insert(2, errors.New("no")) // is rolled back
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
			t.Fatalf("%d jobs are left, err = %v, want the one that failed", len(left), err)
		}
		if wait := time.Until(left[0].ScheduledAt); wait < 20*time.Second || wait > 30*time.Second {
			t.Errorf("the next attempt is in %s, want 20 to 30 s", wait)
		}
		insert(1, nil) // a new one, because the first is finished
		insert(3, nil) // no new one, because the first is waiting
		if left, err = queue.List(t.Context()); err != nil || len(left) != 2 {
			t.Errorf("%d jobs are stored, err = %v, want 2", len(left), err)
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

func TestNoQueryReadsAllJobs(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		if db.Name != "postgres" {
			t.Skip("for PostgreSQL only")
		}
		for rows, n := range map[string]int{
			"'completed', now(), now()": 50_000, "'scheduled', NULL, now() + interval '1 hour'": 20_000,
			"'available', NULL, now()": 2_000, // as many as a schedule leaves
		} {
			db.Exec(t, "INSERT INTO river_job (kind, queue, args, max_attempts, state, finalized_at, scheduled_at) "+
				"SELECT 'sync', 'syncs', '{}', 9, "+rows+" FROM generate_series(1, ?)", n)
		}
		db.Exec(t, "ANALYZE river_job")
		pool := db.DB.WritePool()
		pool.SetMaxOpenConns(1)                                // the session of which the statistics are
		db.Exec(t, "SET plan_cache_mode = force_generic_plan") // as after a statement's fifth use
		// readInSequence returns how many rows of the table were read without an index so far.
		readInSequence := func() (rows int) {
			t.Helper()
			for _, statement := range []string{
				"SELECT 0 FROM pg_stat_force_next_flush()",
				"SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'river_job'",
			} {
				if err := pool.QueryRowContext(t.Context(), statement).Scan(&rows); err != nil {
					t.Fatal(err)
				}
			}
			return rows
		}
		queue := jobs.New(db.DB)
		inTransaction := func(do func(tx *gorm.DB) error) func() error {
			return func() error { return db.DB.Transaction(t.Context(), do) }
		}
		for _, call := range []struct {
			name string
			do   func() error
		}{
			{"insert", inTransaction(func(tx *gorm.DB) error { return queue.Insert(tx, jobs.Mail{ID: 1}) })},
			{"insert again", inTransaction(func(tx *gorm.DB) error { return queue.Insert(tx, jobs.Mail{ID: 1}) })},
			{"hurry", inTransaction(func(tx *gorm.DB) error { return queue.Hurry(tx, jobs.Sync{}.Kind()) })},
			{"list", func() error { return databasetest.ErrorOf(queue.List(t.Context())) }},
			{"available", func() error {
				return databasetest.ErrorOf(queue.CountAvailable(t.Context(), jobs.Sync{}.Kind()))
			}},
			{"work", func() error {
				workers := jobs.NewWorkers()
				jobs.Add(workers, func(context.Context, *river.Job[jobs.Mail]) error { return nil })
				return queue.Drain(t.Context(), workers, slog.New(slog.DiscardHandler))
			}},
		} {
			before := readInSequence()
			if err := call.do(); err != nil {
				t.Fatalf("%s: %v", call.name, err)
			}
			if n := readInSequence() - before; n > 0 {
				t.Errorf("%s: %d rows were read without an index, want none", call.name, n)
			}
		}
	})
}

func TestUI(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		ui, err := jobs.New(db.DB).UI(t.Context(), "/jobs", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			method, path, site string
			want               int
		}{
			{http.MethodGet, "/jobs/", "", http.StatusOK},
			{http.MethodGet, "/jobs/api/jobs?state=available&limit=9", "", http.StatusOK},
			{http.MethodPost, "/jobs/api/jobs/retry", "same-origin", http.StatusNotFound},
			{http.MethodPost, "/jobs/api/jobs/retry", "cross-site", http.StatusForbidden},
		} {
			request := httptest.NewRequest(test.method, test.path, strings.NewReader(`{"ids": ["1"]}`))
			request.Header.Set("Sec-Fetch-Site", test.site)
			response := httptest.NewRecorder()
			ui.ServeHTTP(response, request)
			if response.Code != test.want {
				t.Errorf("%s %s from %q: %d, want %d", test.method, test.path, test.site, response.Code, test.want)
			}
		}
	})
}
