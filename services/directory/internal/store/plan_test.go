package store_test

import (
	"database/sql"
	"strings"
	"testing"

	"backend.example/services/directory/internal/store/storetest"
)

// slowSteps are the parts of a statement's plan whose time grows with the table:
// rows that no index finds, and orders that no index has.
func slowSteps(t *testing.T, db storetest.Database, statement string) (slow []string) {
	t.Helper()
	if db.Name == "postgres" {
		return slowPostgres(planOfPostgres(t, db.Raw(t), statement))
	}
	for _, step := range planOfSQLite(t, db.Raw(t), statement) {
		if strings.HasPrefix(step, "SCAN") && step != "SCAN CONSTANT ROW" || strings.Contains(step, "TEMP B-TREE") {
			slow = append(slow, step)
		}
	}
	return slow
}

// slowPostgres looks for an index that is read from end to end, too.
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

// planOfPostgres is the plan for a table so large that an index, where there is
// one, is worth its while.
func planOfPostgres(t *testing.T, pool *sql.DB, statement string) []string {
	t.Helper()
	pool.SetMaxOpenConns(1) // the settings are those of a session
	execute(t, pool, "SET enable_seqscan = off; SET enable_sort = off")
	return query(t, pool, "EXPLAIN "+statement)
}

func planOfSQLite(t *testing.T, pool *sql.DB, statement string) (steps []string) {
	t.Helper()
	rows := must(pool.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement))(t)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, parent, unused int
		var step string
		ok(t, rows.Scan(&id, &parent, &unused, &step))
		steps = append(steps, step)
	}
	ok(t, rows.Err())
	return steps
}
