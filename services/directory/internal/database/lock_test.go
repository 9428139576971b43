package database_test

import (
	"context"
	"fmt"
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
