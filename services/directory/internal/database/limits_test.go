package database

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestErrorsOfPostgreSQL checks which errors of the server make a migration try again, and
// which ones hint at a pooler.
func TestErrorsOfPostgreSQL(t *testing.T) {
	for code, want := range map[string]struct{ again, hint bool }{
		"55P03": {again: true}, // lock_not_available
		"40P01": {again: true}, // deadlock_detected
		"26000": {hint: true},  // invalid_sql_statement_name
		"42P05": {hint: true},  // duplicate_prepared_statement
		"42P07": {},            // duplicate_table
	} {
		err := fmt.Errorf("migrate: %w", &pgconn.PgError{Code: code})
		hinted := hintPooler(err)
		if isLockTimeout(err) != want.again ||
			strings.Contains(hinted.Error(), "default_query_exec_mode=exec") != want.hint || !errors.Is(hinted, err) {
			t.Errorf("%s: again %t, %v", code, isLockTimeout(err), hinted)
		}
	}
	other := errors.New("no server")
	if isLockTimeout(other) || !errors.Is(hintPooler(other), other) {
		t.Fatal("an error that is not the server's is treated as one")
	}
	if isLockTimeout(nil) || hintPooler(nil) != nil {
		t.Error("an error that is not the server's is treated as one")
	}
}
