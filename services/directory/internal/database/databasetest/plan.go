package databasetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/database"
)

// Call is an operation whose statements are checked.
type Call struct {
	Name   string
	Max    int    // how many statements it may take, for CheckPlans
	Before func() // runs before each Run of FailEach; may be nil
	Run    func() error
}

// ErrorOf is the error of a call that returns a value, too.
func ErrorOf[T any](_ T, err error) error { return err }

// manyRows is how many rows a table has that a query must not read from end to end.
const manyRows = 20_000

// CheckPlans runs the calls, one after the other, on a PostgreSQL database with many rows. It fails the test for a
// call that takes no statement or more than its Max, and for one that reads a table of many rows from the first to the
// last. calls gets a DB of its own.
func (d Database) CheckPlans(t *testing.T, calls func(db *database.DB) []Call) {
	t.Helper()
	d.Exec(t, "ANALYZE")
	large := d.Query(t, fmt.Sprintf("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples >= %d", manyRows))
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
			if !slices.Contains([]string{"SELECT", "UPDATE", "DELETE", "WITH"}, verb) {
				continue // the plan of an INSERT names the checks of foreign keys, which are seldom run
			}
			// as gorm prints the zero time
			statement = strings.ReplaceAll(statement, "'0000-00-00 00:00:00'", "'0001-01-01 00:00:00'")
			for _, step := range d.Query(t, "EXPLAIN "+statement) {
				_, table, _ := strings.Cut(step, "Seq Scan on ")
				if table, _, _ = strings.Cut(table, " "); slices.Contains(large, table) {
					t.Errorf("%s: %s: %s", call.Name, strings.TrimSpace(step), statement)
				}
			}
		}
	}
}
