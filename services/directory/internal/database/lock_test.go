package database_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

// TestSlowLocksShareThePool: calls of many names wait for one external service, with
// hardly a connection more than they may take. Everything else continues, also for a
// name that waits for its turn.
func TestSlowLocksShareThePool(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		const names, share = 12, 4
		if db.Name == "postgres" {
			must(db.DB.Write(t.Context()).DB())(t).SetMaxOpenConns(share + 2)
		}
		hanging, end := context.WithTimeout(t.Context(), 20*time.Second)
		var slow sync.WaitGroup
		defer slow.Wait()
		defer end()
		reached := make(chan int, names)
		for i := range names {
			slow.Go(func() {
				lock, err := db.DB.LockSlowly(hanging, fmt.Sprint(i), "hanging")
				if err != nil {
					return
				}
				defer lock.Release()
				reached <- i
				<-hanging.Done()
			})
		}
		waiting := map[string]bool{}
		for i := range names {
			waiting[fmt.Sprint(i)] = true
		}
		for range share {
			delete(waiting, fmt.Sprint(<-reached))
		}
		ctx, cancel := context.WithTimeout(hanging, 5*time.Second)
		defer cancel()
		ok(t, db.DB.Ping(ctx))
		if db.Name == "postgres" { // in an SQLite file nothing waits for a share
			for name := range waiting {
				ok(t, use(db.DB.Lock(ctx, name)))
			}
			short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
			defer stop()
			err := use(db.DB.LockSlowly(short, "late", "hanging"))
			if !errors.Is(err, context.DeadlineExceeded) || hanging.Err() != nil {
				t.Errorf("a call that waits for its share ends with %v, hanging: %v", err, hanging.Err())
			}
			if more := len(reached); more > 0 {
				t.Errorf("%d more than %d calls have connections", more, share)
			}
		}
		ok(t, use(db.DB.LockSlowly(ctx, "other", "never called before")))
	})
}

// use writes with a lock and releases it.
func use(lock *database.Lock, err error) error {
	if err != nil {
		return err
	}
	defer lock.Release()
	tx, err := lock.Begin()
	if err != nil {
		return err
	}
	return errors.Join(tx.Exec("SELECT 1").Error, lock.Commit())
}

func TestLockLastsOverAPooler(t *testing.T) {
	onPostgres(t, func(t *testing.T, db databasetest.Database) {
		release := must(db.DB.Acquire(t.Context(), "migrate"))(t)
		states := db.Query(t, `SELECT a.state FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND l.database =
				(SELECT oid FROM pg_database WHERE datname = current_database())`)
		requireEqual(t, "states of sessions with a lock", []string{"idle in transaction"}, states)
		release()
		if left := db.Query(t, "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state LIKE "+
			"'idle in%'"); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}
