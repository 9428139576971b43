package databasetest

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/database"
)

// Call is an operation whose statements are checked.
type Call struct {
	Name   string
	Max    int    // how many statements it may take
	Whole  bool   // reads a table from its first row to its last
	Before func() // runs before each Run of FailEach; may be nil
	Run    func() error
}

// ErrorOf is the error of a call that returns a value, too.
func ErrorOf[T any](_ T, err error) error { return err }

// CheckStatements runs the calls, one after the other, and fails the test for a call that
// takes no statement or more than its Max, or whose time grows with a table. calls gets a
// DB of its own. Rows that the calls read have to exist.
func (d Database) CheckStatements(t *testing.T, calls func(db *database.DB) []Call) {
	t.Helper()
	d.checkStatements(t, calls, d.slowSteps, "SELECT", "UPDATE", "DELETE")
}

// CheckPlans is CheckStatements for a PostgreSQL database with many rows: it takes the plans
// that the planner chooses for them, and fails the test for one that reads a table of many
// rows from the first to the last.
func (d Database) CheckPlans(t *testing.T, calls func(db *database.DB) []Call) {
	t.Helper()
	d.Exec(t, "ANALYZE")
	tables := d.Query(t, fmt.Sprintf("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples >= %d", manyRows))
	slow := func(t *testing.T, statement string) (slow []string) {
		for _, step := range plan(t, d.Raw(t), "EXPLAIN "+statement) {
			_, table, _ := strings.Cut(step, "Seq Scan on ")
			if table, _, _ = strings.Cut(table, " "); slices.Contains(tables, table) {
				slow = append(slow, strings.TrimSpace(step))
			}
		}
		return slow
	}
	d.checkStatements(t, calls, slow, "SELECT", "UPDATE", "DELETE", "WITH")
}

// manyRows is how many rows a table has that a query must not read from end to end.
const manyRows = 20_000

// checkStatements runs the calls, and looks for slow steps of the statements with these verbs.
func (d Database) checkStatements(t *testing.T, calls func(db *database.DB) []Call,
	slow func(t *testing.T, statement string) []string, verbs ...string) {
	t.Helper()
	db := Open(t, d.URL)
	var statements []string
	if err := Observe(db, func(statement string) { statements = append(statements, statement) }); err != nil {
		t.Fatal(err)
	}
	for _, call := range calls(db) {
		statements = nil
		if err := call.Run(); err != nil {
			t.Fatalf("%s: %v", call.Name, err)
		}
		if n := len(statements); n == 0 || n > call.Max {
			t.Errorf("%s: %d statements, want 1 to %d: %q", call.Name, n, call.Max, statements)
		}
		for _, statement := range statements {
			verb, _, _ := strings.Cut(statement, " ")
			if call.Whole || !slices.Contains(verbs, verb) {
				continue // the plan of an INSERT names the checks of foreign keys, which are seldom run
			}
			for _, step := range slow(t, statement) {
				t.Errorf("%s: %s: %s", call.Name, step, statement)
			}
		}
	}
}

// slowSteps returns the parts of a statement's plan whose time grows with the table: rows
// that no index finds, and orders that no index has.
func (d Database) slowSteps(t *testing.T, statement string) (slow []string) {
	t.Helper()
	pool := d.Raw(t)
	if d.Name == "postgres" {
		pool.SetMaxOpenConns(1) // the settings belong to a session
		pool.SetMaxIdleConns(1)
		defer pool.Close()
		if _, err := pool.Exec("SET enable_seqscan = off; SET enable_sort = off"); err != nil {
			t.Fatal(err)
		}
		return slowPostgres(plan(t, pool, "EXPLAIN "+statement))
	}
	for _, step := range plan(t, pool, "EXPLAIN QUERY PLAN "+statement) {
		if strings.HasPrefix(step, "SCAN") && step != "SCAN CONSTANT ROW" || strings.Contains(step, "TEMP B-TREE") {
			slow = append(slow, step)
		}
	}
	return slow
}

// slowPostgres reports indexes that are read from end to end, too. The plan is that of a
// table so large that indexes are used where there are any.
func slowPostgres(plan []string) (slow []string) {
	for i, step := range plan {
		whole := strings.Contains(step, "Index") && strings.Contains(step, "Scan") &&
			(i+1 == len(plan) || !strings.Contains(plan[i+1], "Index Cond"))
		if whole || strings.Contains(step, "Seq Scan") || strings.Contains(step, "Sort") {
			slow = append(slow, strings.TrimSpace(step))
		}
	}
	return slow
}

// plan returns the last column of each row.
func plan(t *testing.T, pool *sql.DB, statement string) (steps []string) {
	t.Helper()
	// as gorm prints the zero time
	statement = strings.ReplaceAll(statement, "'0000-00-00 00:00:00'", "'0001-01-01 00:00:00'")
	for _, row := range query(t, pool, statement) {
		steps = append(steps, row[len(row)-1].(string))
	}
	return steps
}
