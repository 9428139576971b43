package database_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

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
				_ = db.DB.LockedSlowly(hanging, fmt.Sprint(i), "hanging", func(*gorm.DB, database.Commit) error {
					reached <- i
					<-hanging.Done()
					return hanging.Err()
				})
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
				ok(t, db.DB.Locked(ctx, name, func(tx *gorm.DB) error { return tx.Exec("SELECT 1").Error }))
			}
			short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
			defer stop()
			err := db.DB.LockedSlowly(short, "late", "hanging", func(*gorm.DB, database.Commit) error { return nil })
			if !errors.Is(err, context.DeadlineExceeded) || hanging.Err() != nil {
				t.Errorf("a call that waits for its share ends with %v, hanging: %v", err, hanging.Err())
			}
			if more := len(reached); more > 0 {
				t.Errorf("%d more than %d calls have connections", more, share)
			}
		}
		ran := false
		ok(t, db.DB.LockedSlowly(ctx, "other", "never called before", func(read *gorm.DB, commit database.Commit) error {
			ran = true
			return commit(func(tx *gorm.DB) error { return tx.Exec("SELECT 1").Error })
		}))
		if !ran {
			t.Error("the call of another service did not run")
		}
	})
}

func TestExclusively(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		other, ctx := databasetest.Open(t, db.URL), t.Context()
		ran := must(db.DB.Exclusively(ctx, "scan", func(ctx context.Context) error {
			for name, db := range map[string]*database.DB{"the same replica": db.DB, "another replica": other} {
				if must(db.Exclusively(ctx, "scan", func(context.Context) error { return errors.New("ran") }))(t) {
					t.Errorf("%s ran a second one", name)
				}
				if !must(db.Exclusively(ctx, "scan/2 ąę", func(context.Context) error { return nil }))(t) {
					t.Errorf("%s did not run one of another name", name)
				}
			}
			return nil
		}))(t)
		if !ran {
			t.Error("the first one did not run")
		}
		ran, err := other.Exclusively(ctx, "scan", func(context.Context) error { return io.ErrNoProgress })
		if !ran || !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("after the first one: ran %v, error %v", ran, err)
		}
	})
}

// holdLock is a program that holds the lock "scan" until its input ends.
func holdLock(ctx context.Context, url, _ string) error {
	db, err := databasetest.Connect(ctx, url)
	if err != nil {
		return err
	}
	ran, err := db.Exclusively(ctx, "scan", func(context.Context) error {
		fmt.Println("held")
		databasetest.AwaitInput()
		return nil
	})
	if !ran {
		err = errors.Join(err, errors.New("not held"))
	}
	return err
}

func TestLockOfAProcessEndsWithIt(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		holder := databasetest.Start(t, "hold", db.URL, "")
		holder.Expect(t, "held")
		try := func() bool {
			return must(db.DB.Exclusively(t.Context(), "scan", func(context.Context) error { return nil }))(t)
		}
		for range 2 { // a failed try does not release it
			if try() {
				t.Error("the other process does not keep the lock")
			}
		}
		holder.Kill(t)
		for !try() { // PostgreSQL needs a moment to see that its client is gone
			if t.Context().Err() != nil {
				t.Fatal("the lock outlives its process")
			}
		}
	})
}

// TestLockLastsOverAPooler checks that the session of a lock is in a transaction, during
// which a pooler does not give it to another client.
func TestLockLastsOverAPooler(t *testing.T) {
	onPostgres(t, func(t *testing.T, db databasetest.Database) {
		ran := must(db.DB.Exclusively(t.Context(), "scan", func(context.Context) error {
			states := db.Query(t, `SELECT a.state FROM pg_locks l JOIN pg_stat_activity a USING (pid)
				WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
			requireEqual(t, "states of sessions with a lock", []string{"idle in transaction"}, states)
			return nil
		}))(t)
		if !ran {
			t.Error("it did not run")
		}
		if left := db.Query(t, "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

// TestPoolerIsHinted removes the session's prepared statements, as a pooler does.
func TestPoolerIsHinted(t *testing.T) {
	onPostgres(t, func(t *testing.T, db databasetest.Database) {
		ok(t, db.DB.Migrate(t.Context()))
		db.Exec(t, "DEALLOCATE ALL")
		err := db.DB.Migrate(t.Context())
		if err == nil || !strings.Contains(err.Error(), "default_query_exec_mode=exec") {
			t.Errorf("error %v", err)
		}
	})
}
