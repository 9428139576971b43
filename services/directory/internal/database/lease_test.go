package database_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

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

// briefLease is long enough that a test which runs renews it.
const briefLease = time.Second

// holdLease is a program that has the lease "scan" until its input ends.
func holdLease(ctx context.Context, url, _ string) error {
	db, err := databasetest.Connect(ctx, url, database.WithLease(briefLease))
	if err != nil {
		return err
	}
	ran, err := db.Exclusively(ctx, "scan", func(ctx context.Context) error {
		fmt.Println("held")
		ctx, stop := context.WithCancel(ctx)
		go func() { databasetest.AwaitInput(); stop() }()
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if !ran {
		return errors.Join(err, errors.New("not held"))
	}
	fmt.Println(err)
	return nil
}

// TestLeaseExpires checks that a killed holder keeps others out no longer than the lease
// lasts, and a frozen one, too, which ends its work when it continues.
func TestLeaseExpires(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		waiting := databasetest.Open(t, db.URL, database.WithLease(briefLease)) // all replicas have the same length
		for name, stop := range map[string]func(*databasetest.Process, *testing.T){
			"killed": (*databasetest.Process).Kill, "frozen": (*databasetest.Process).Freeze,
		} {
			holder := databasetest.Start(t, "hold", db.URL, "")
			holder.Expect(t, "held")
			try := func() bool {
				return must(waiting.Exclusively(t.Context(), "scan", func(context.Context) error {
					if name == "frozen" {
						holder.Continue(t)
						holder.Expect(t, database.ErrLeaseLost.Error())
					}
					return nil
				}))(t)
			}
			for range 2 { // a failed try does not release it
				if try() {
					t.Errorf("%s: the other process does not keep the lease", name)
				}
			}
			stop(holder, t)
			for !try() {
				if t.Context().Err() != nil {
					t.Fatalf("%s: the lease does not expire", name)
				}
			}
		}
	})
}

// TestLeaseOutlastsItsConnection ends every connection of the holder: the lease, which no
// connection holds, is kept and renewed.
func TestLeaseOutlastsItsConnection(t *testing.T) {
	onPostgres(t, func(t *testing.T, db databasetest.Database) {
		holder := databasetest.Open(t, db.URL, database.WithLease(briefLease))
		ran := must(holder.Exclusively(t.Context(), "scan", func(ctx context.Context) error {
			begin := db.Query(t, "SELECT expires_ms FROM leases")[0]
			db.Query(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "+
				"AND pid <> pg_backend_pid()")
			other := databasetest.Open(t, db.URL)
			for len(db.Query(t, "SELECT expires_ms FROM leases WHERE expires_ms > "+begin+" + 1000")) == 0 {
				if must(other.Exclusively(ctx, "scan", func(context.Context) error { return nil }))(t) {
					t.Fatal("another one has it")
				}
				ok(t, ctx.Err())
			}
			return nil
		}))(t)
		if !ran {
			t.Error("it did not run")
		}
	})
}

// TestLostLeaseEndsTheWork checks that a holder whose lease another one has, or that does
// not reach the database, stops, and leaves the lease of the other one.
func TestLostLeaseEndsTheWork(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		for name, lose := range map[string]func(holder *database.DB){
			"taken": func(*database.DB) { db.Exec(t, "UPDATE leases SET holder = 'other'") },
			"no database": func(holder *database.DB) {
				db.Exec(t, "UPDATE leases SET holder = 'other'")
				ok(t, must(holder.Write(t.Context()).DB())(t).Close())
			},
		} {
			holder := must(databasetest.Connect(t.Context(), db.URL, database.WithLease(briefLease)))(t)
			begin := time.Now()
			ran, err := holder.Exclusively(t.Context(), "scan", func(ctx context.Context) error {
				lose(holder)
				<-ctx.Done()
				return context.Cause(ctx)
			})
			if !ran || !errors.Is(err, database.ErrLeaseLost) {
				t.Errorf("%s: ran %t, %v", name, ran, err)
			}
			if took := time.Since(begin); name == "no database" && took < briefLease {
				t.Errorf("lost after %s, though nobody else can have it yet", took)
			}
			requireEqual(t, name, []string{"other"}, db.Query(t, "SELECT holder FROM leases"))
			db.Exec(t, "DELETE FROM leases")
			_ = holder.Close()
		}
	})
}

// TestLeaseOfAClockThatWasAhead checks that a lease which expires years from now is free.
func TestLeaseOfAClockThatWasAhead(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		db.Exec(t, "INSERT INTO leases (name, holder, expires_ms) VALUES ('scan', 'other', 9000000000000)")
		if !must(db.DB.Exclusively(t.Context(), "scan", func(context.Context) error { return nil }))(t) {
			t.Error("it is not free")
		}
	})
}

// TestLimitsOfALease checks until when a lease of another holder counts: up to its end, unless
// it ends later than one that could be taken now.
func TestLimitsOfALease(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		now := databasetest.Time
		replica := databasetest.Open(t, db.URL, database.WithLease(time.Minute),
			database.WithLeaseClock(func() time.Time { return now }))
		for ends, free := range map[time.Duration]bool{
			-time.Millisecond: true, 0: true, time.Millisecond: false, time.Minute: false, 2 * time.Minute: false,
			2*time.Minute + time.Millisecond: true,
		} {
			db.Exec(t, "DELETE FROM leases")
			db.Exec(t, "INSERT INTO leases (name, holder, expires_ms) VALUES ('scan', 'other', ?)", now.Add(ends).
				UnixMilli())
			ran := must(replica.Exclusively(t.Context(), "scan", func(context.Context) error {
				requireEqual(t, "end of the lease", []string{fmt.Sprint(now.Add(time.Minute).UnixMilli())},
					db.Query(t, "SELECT expires_ms FROM leases"))
				return nil
			}))(t)
			if left := len(db.Query(t, "SELECT holder FROM leases")); ran != free || ran != (left == 0) {
				t.Errorf("a lease that ends in %s: ran %t, %d left", ends, ran, left)
			}
		}
	})
}
