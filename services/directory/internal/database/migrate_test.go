package database_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

func applied(t *testing.T, db *database.DB) (n, all int) {
	t.Helper()
	migrations := must(db.MigrationStatus(t.Context()))(t)
	for i, m := range migrations {
		if m.Version != int64(i+1) || m.Name == "" {
			t.Errorf("migration %d: %+v", i, m)
		}
		if m.AppliedAt != nil {
			n++
		}
	}
	return n, len(migrations)
}

func TestMigrateDownAndUpWithData(t *testing.T) {
	t.Parallel()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		db.DB = databasetest.Open(t, db.URL)
		if n, all := applied(t, db.DB); n != 0 || all == 0 {
			t.Fatalf("%d of %d applied to an empty database", n, all)
		}
		ok(t, db.DB.Migrate(t.Context()))
		db.Fill(t)
		n, all := applied(t, db.DB)
		if n != all {
			t.Fatalf("%d of %d applied", n, all)
		}
		ok(t, db.DB.Migrate(t.Context()))
		for left := all - 1; left >= -1; left-- { // once more than there are
			ok(t, db.DB.MigrateDown(t.Context()))
			if n, _ := applied(t, db.DB); n != max(left, 0) {
				t.Fatalf("%d applied, want %d", n, left)
			}
		}
		if tables := db.Dump(t); len(tables) != 0 {
			t.Errorf("left over: %v", tables)
		}
		ok(t, db.DB.Migrate(t.Context()))
		db.Fill(t)
	})
}

// TestProcessesMigrateAtOnce: each has connections of its own, as processes have.
func TestProcessesMigrateAtOnce(t *testing.T) {
	t.Parallel()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		var processes sync.WaitGroup
		for range 4 {
			processes.Go(func() {
				process, err := databasetest.Connect(t.Context(), db.URL)
				if err == nil {
					err = errors.Join(process.Migrate(t.Context()), process.Close())
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		processes.Wait()
		if n, all := applied(t, databasetest.Open(t, db.URL)); n != all {
			t.Errorf("%d of %d applied", n, all)
		}
	})
}

// table is what both databases can describe of one.
type table struct {
	Columns []string // in order: name, kind of type, null or not null
	Keys    []string // primary and unique keys, sorted
	Indexes []string // the others, sorted; with * if only of some rows
	Foreign []string // column → table, sorted
}

func TestSchemasAgree(t *testing.T) {
	schemas := map[string]map[string]table{}
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		schemas[db.Name] = readSchema(t, db)
	})
	if len(schemas) != 2 {
		t.Skip("nothing to compare with")
	}
	requireEqual(t, "-sqlite +postgres", schemas["sqlite"], schemas["postgres"])
}

func readSchema(t *testing.T, db databasetest.Database) map[string]table {
	t.Helper()
	q := sqliteCatalog
	if db.Name == "postgres" {
		q = postgresCatalog
	}
	tables := map[string]table{}
	for name := range db.Dump(t) {
		named := func(q string) []string { return db.Query(t, fmt.Sprintf(q, name)) }
		this := table{Columns: named(q.columns), Keys: named(q.keys), Indexes: named(q.indexes),
			Foreign: named(q.foreign)}
		for i, column := range this.Columns {
			name, kind, _ := strings.Cut(column, " ")
			this.Columns[i] = name + " " + typeKinds.Replace(kind)
		}
		slices.Sort(this.Keys)
		slices.Sort(this.Indexes)
		slices.Sort(this.Foreign)
		tables[name] = this
	}
	return tables
}

var typeKinds = strings.NewReplacer(
	"bigint", "integer", "json", "text", "timestamp with time zone", "datetime", "double precision", "real", "bytea",
	"blob",
)

// catalog holds queries of one text column each.
type catalog struct{ columns, keys, indexes, foreign string }

var sqliteCatalog = catalog{
	columns: `SELECT name || ' ' || lower(type) || iif("notnull", ' not null', ' null') FROM pragma_table_info('%s') ` +
		`ORDER BY cid`,
	keys: `SELECT (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
		FROM pragma_index_list('%[1]s') i WHERE "unique"
		UNION ALL SELECT name FROM pragma_table_info('%[1]s') WHERE pk = 1 AND type = 'INTEGER'
		AND NOT EXISTS (SELECT 1 FROM pragma_table_info('%[1]s') WHERE pk = 2)`,
	indexes: `SELECT i.name || iif(partial, '*: ', ': ') || (SELECT group_concat(name, ', ') FROM 
		(SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
		FROM pragma_index_list('%s') i WHERE NOT "unique"`,
	foreign: `SELECT "from" || ' → ' || "table" FROM pragma_foreign_key_list('%s')`,
}

const postgresKeyColumns = `(SELECT string_agg(a.attname, ', ' ORDER BY k.n)
	FROM unnest(i.indkey) WITH ORDINALITY k(attnum, n)
	JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum)`

var postgresCatalog = catalog{
	columns: `SELECT column_name || ' ' || data_type || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE ' null' END
		FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '%s' ORDER BY ordinal_position`,
	keys: `SELECT ` + postgresKeyColumns +
		` FROM pg_index i WHERE i.indrelid = 'public.%s'::regclass AND i.indisunique`,
	indexes: `SELECT i.indexrelid::regclass || CASE WHEN i.indpred IS NULL THEN ': ' ELSE '*: ' END || ` +
		postgresKeyColumns + `
		FROM pg_index i WHERE i.indrelid = 'public.%s'::regclass AND NOT i.indisunique`,
	foreign: `SELECT a.attname || ' → ' || c.confrelid::regclass FROM pg_constraint c
		JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
		WHERE c.conrelid = 'public.%s'::regclass AND c.contype = 'f'`,
}

func TestMigrateDownIsRefusedWhileTheServiceRuns(t *testing.T) {
	t.Parallel()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		service := must(databasetest.Connect(t.Context(), db.URL))(t)
		ok(t, service.Migrate(t.Context()))
		command := must(databasetest.Connect(t.Context(), db.URL))(t)
		if err := command.MigrateDown(t.Context()); !errors.Is(err, database.ErrInUse) {
			t.Errorf("while another process has connections: %v", err)
		}
		ok(t, service.Close())
		ok(t, command.MigrateDown(t.Context()))
		ok(t, command.Close())
	})
}
