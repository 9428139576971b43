package store_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/store/storetest"
)

// A table by what both databases can say of it.
type table struct {
	Columns []string // in order: name, kind of type, null or not null
	Keys    []string // primary and unique keys, sorted
	Indexes []string // the others, sorted; a star: of some rows only
	Foreign []string // column → table, sorted
}

func TestSchemasAgree(t *testing.T) {
	schemas := map[string]map[string]table{}
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		schemas[db.Name] = readSchema(t, db)
		if n := len(schemas[db.Name]); n != 15 {
			t.Errorf("%d tables, want 15", n)
		}
	})
	if len(schemas) != 2 {
		t.Skip("nothing to compare with")
	}
	requireEqual(t, "-sqlite +postgres", schemas["sqlite"], schemas["postgres"])
}

func readSchema(t *testing.T, db storetest.Database) map[string]table {
	t.Helper()
	pool, q := db.Raw(t), sqliteCatalog
	if db.Name == "postgres" {
		q = postgresCatalog
	}
	tables := map[string]table{}
	for _, name := range query(t, pool, q.tables) {
		if strings.HasPrefix(name, "goose_") || strings.HasPrefix(name, "sqlite_") {
			continue
		}
		named := func(q string) []string { return query(t, pool, fmt.Sprintf(q, name)) }
		this := table{Columns: named(q.columns), Keys: named(q.keys), Indexes: named(q.indexes), Foreign: named(q.foreign)}
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
	"bigint", "integer", "json", "text", "timestamp with time zone", "datetime", "double precision", "real", "bytea", "blob",
)

// catalog holds queries of one text column each.
type catalog struct{ tables, columns, keys, indexes, foreign string }

var sqliteCatalog = catalog{
	tables:  `SELECT name FROM sqlite_master WHERE type = 'table'`,
	columns: `SELECT name || ' ' || lower(type) || iif("notnull", ' not null', ' null') FROM pragma_table_info('%s') ORDER BY cid`,
	keys: `SELECT (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
		FROM pragma_index_list('%[1]s') i WHERE "unique"
		UNION ALL SELECT name FROM pragma_table_info('%[1]s') WHERE pk = 1 AND type = 'INTEGER'
		AND NOT EXISTS (SELECT 1 FROM pragma_table_info('%[1]s') WHERE pk = 2)`,
	indexes: `SELECT i.name || iif(partial, '*: ', ': ') || (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
		FROM pragma_index_list('%s') i WHERE NOT "unique"`,
	foreign: `SELECT "from" || ' → ' || "table" FROM pragma_foreign_key_list('%s')`,
}

const postgresKeyColumns = `(SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(i.indkey) WITH ORDINALITY k(attnum, n)
	JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum)`

var postgresCatalog = catalog{
	tables: `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
	columns: `SELECT column_name || ' ' || data_type || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE ' null' END
		FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '%s' ORDER BY ordinal_position`,
	keys: `SELECT ` + postgresKeyColumns + ` FROM pg_index i WHERE i.indrelid = 'public.%s'::regclass AND i.indisunique`,
	indexes: `SELECT i.indexrelid::regclass || CASE WHEN i.indpred IS NULL THEN ': ' ELSE '*: ' END || ` + postgresKeyColumns + `
		FROM pg_index i WHERE i.indrelid = 'public.%s'::regclass AND NOT i.indisunique`,
	foreign: `SELECT a.attname || ' → ' || c.confrelid::regclass FROM pg_constraint c
		JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
		WHERE c.conrelid = 'public.%s'::regclass AND c.contype = 'f'`,
}

func query(t *testing.T, pool *sql.DB, statement string) []string {
	t.Helper()
	rows := must(pool.QueryContext(t.Context(), statement))(t)
	defer func() { _ = rows.Close() }()
	var values []string
	for rows.Next() {
		var value string
		ok(t, rows.Scan(&value))
		values = append(values, value)
	}
	ok(t, rows.Err())
	return values
}
