package limit_test

import (
	"errors"
	"testing"
	"time"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/internal/kit/fault"
)

// TestErrorNamesTheLimitThatIsUsedUp: of several, the first one.
func TestErrorNamesTheLimitThatIsUsedUp(t *testing.T) {
	limits := limit.New(databasetest.Open(t, databasetest.NewSQLite(t)))
	free := limit.Limit{Kind: "free", Subject: "a", Max: 9, Window: time.Hour}
	first := limit.Limit{Kind: "first", Subject: "a", Max: 1, Window: time.Hour}
	second := limit.Limit{Kind: "second", Subject: "a", Max: 1, Window: 2 * time.Hour}
	if err := limits.Take(t.Context(), at(0), codeTooMany, free, first, second); err != nil {
		t.Fatal(err)
	}
	err := limits.Take(t.Context(), at(0), codeTooMany, free, first, second)
	if !limit.IsUsedUp(err, "first") || limit.IsUsedUp(err, "second") || limit.IsUsedUp(err, "free") {
		t.Errorf("error %v", err)
	}
	if limit.IsUsedUp(nil, "first") || limit.IsUsedUp(errors.New("limit first"), "first") ||
		limit.IsUsedUp(codeTooMany.Fault(), "") {
		t.Error("another error is that of a limit")
	}
}

// TestSubjectsOfOneKindDoNotMix when a use of each is taken at once.
func TestSubjectsOfOneKindDoNotMix(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		limits, ctx := limit.New(db.DB), t.Context()
		of := func(subject string) limit.Limit {
			return limit.Limit{Kind: "login", Subject: subject, Max: 2, Window: time.Hour}
		}
		for range 2 {
			if err := limits.Take(ctx, at(0), codeTooMany, of("a"), of("b")); err != nil {
				t.Fatal(err)
			}
		}
		if err := limits.Take(ctx, at(0), codeTooMany, of("c"), of("a")); !limit.IsUsedUp(err, "login") {
			t.Errorf("error %v", err)
		}
		if state, err := limits.Peek(ctx, at(0), of("c")); err != nil || state.Left != 1 {
			t.Errorf("%+v, %v", state, err)
		}
	})
}

// TestKindsOfOneSubjectDoNotMix when a use of each is taken at once.
func TestKindsOfOneSubjectDoNotMix(t *testing.T) {
	limits := limit.New(databasetest.Open(t, databasetest.NewSQLite(t)))
	of := func(kind string) limit.Limit { return limit.Limit{Kind: kind, Subject: "a", Max: 3, Window: time.Hour} }
	for i := range 4 {
		if err := limits.Take(t.Context(), at(0), codeTooMany, of("login"), of("audit")); (err == nil) != (i < 3) {
			t.Errorf("use %d: %v", i, err)
		}
	}
}

// TestTakeInAnOutage fails with the error of the database: it is not known whether the limit
// is used up.
func TestTakeInAnOutage(t *testing.T) {
	once := limit.Limit{Kind: "login", Subject: "a", Max: 1, Window: time.Hour}
	for name, statement := range map[string]string{
		"no table": "ALTER TABLE limit_entries RENAME TO hidden",
		"no space": "CREATE TRIGGER refuse BEFORE INSERT ON limit_entries BEGIN SELECT RAISE(ABORT, 'refused'); END",
	} {
		db := databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))}
		db.Exec(t, statement)
		if err := limit.New(
			db.DB,
		).Take(
			t.Context(),
			at(0),
			codeTooMany,
			once,
		); err == nil ||
			fault.From(err).Kind != fault.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUsesInTheFuture count up to a window ahead.
func TestUsesInTheFuture(t *testing.T) {
	once := limit.Limit{Kind: "audit", Subject: "7", Max: 1, Window: time.Hour}
	run(t,
		step{once, 0, false, free},
		step{once, -time.Hour, true, full(2 * time.Hour)},
		step{once, -time.Hour - time.Microsecond, true, limit.State{OK: true, Left: 1}},
	)
}

// TestReturnOfNothing: a use that is returned is the subject's own.
func TestReturnOfNothing(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		limits, ctx := limit.New(db.DB), t.Context()
		used := limit.Limit{Kind: "login", Subject: "a", Max: 1, Window: time.Hour}
		if err := limits.Take(ctx, at(0), codeTooMany, used); err != nil {
			t.Fatal(err)
		}
		for _, other := range []limit.Limit{{Kind: "login", Subject: "b"}, {Kind: "audit", Subject: "a"}} {
			if err := errors.Join(limits.Return(ctx, other), limits.Clear(ctx, other)); err != nil {
				t.Error(err)
			}
			if state, err := limits.Peek(ctx, at(0), used); err != nil || state.OK {
				t.Errorf("after a return of %+v: %+v, %v", other, state, err)
			}
		}
		if err := db.DB.Close(); err != nil {
			t.Fatal(err)
		}
		n, err := limits.DeleteBefore(ctx, at(0))
		for name, err := range map[string]error{"Return": limits.Return(ctx, used), "Clear": limits.Clear(ctx, used), "DeleteBefore": err} {
			if err == nil || n != 0 {
				t.Errorf("%s without the database: %d, no error", name, n)
			}
		}
	})
}
