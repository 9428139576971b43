package database_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// applied returns how many migrations are applied, and how many there are.
func applied(t *testing.T, db *database.DB) (n, all int) {
	t.Helper()
	migrations := must(db.MigrationStatus(t.Context()))(t)
	for i, m := range migrations {
		if m.Version != int64(i+1) || m.Name == "" {
			t.Errorf("migration %d is %+v, want that version, and a name", i+1, m)
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
			t.Fatalf("%d of %d migrations are applied to an empty database, want none of some", n, all)
		}
		ok(t, db.DB.Migrate(t.Context()))
		db.Fill(t)
		n, all := applied(t, db.DB)
		if n != all {
			t.Fatalf("%d of %d migrations are applied, want all", n, all)
		}
		ok(t, db.DB.Migrate(t.Context()))
		for left := all - 1; left >= -1; left-- { // once more than there are
			ok(t, db.DB.MigrateDown(t.Context()))
			if n, _ := applied(t, db.DB); n != max(left, 0) {
				t.Fatalf("%d migrations are applied, want %d", n, max(left, 0))
			}
		}
		if tables := db.Dump(t); len(tables) != 0 {
			t.Errorf("tables that are left without migrations: %v", tables)
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
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(process.Migrate(t.Context()), process.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		processes.Wait()
		if n, all := applied(t, databasetest.Open(t, db.URL)); n != all {
			t.Errorf("%d of %d migrations are applied, want all", n, all)
		}
	})
}

// TestSchemasAgree: the migrations make the same tables on both databases.
func TestSchemasAgree(t *testing.T) {
	// table is what both databases can describe of one.
	type table struct {
		Columns []string // in order: name, kind of type, null or not null
		Keys    []string // primary and unique keys, sorted
		Indexes []string // the others, sorted; with * if only of some rows
		Foreign []string // column → table, sorted
	}
	typeKinds := strings.NewReplacer(
		"bigint", "integer", "json", "text", "timestamp with time zone", "datetime", "double precision", "real",
		"bytea", "blob",
	)
	const postgresKeyColumns = `(SELECT string_agg(a.attname, ', ' ORDER BY k.n)
		FROM unnest(i.indkey) WITH ORDINALITY k(attnum, n)
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum)`
	type catalog struct{ columns, keys, indexes, foreign string } // queries of one text column each
	catalogs := map[string]catalog{"sqlite": {
		columns: `SELECT name || ' ' || lower(type) || iif("notnull", ' not null', ' null')
			FROM pragma_table_info('%s') ORDER BY cid`,
		keys: `SELECT (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
			FROM pragma_index_list('%[1]s') i WHERE "unique"
			UNION ALL SELECT name FROM pragma_table_info('%[1]s') WHERE pk = 1 AND type = 'INTEGER'
			AND NOT EXISTS (SELECT 1 FROM pragma_table_info('%[1]s') WHERE pk = 2)`,
		indexes: `SELECT i.name || iif(partial, '*: ', ': ') || (SELECT group_concat(name, ', ') FROM 
			(SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
			FROM pragma_index_list('%s') i WHERE NOT "unique"`,
		foreign: `SELECT "from" || ' → ' || "table" FROM pragma_foreign_key_list('%s')`,
	}, "postgres": {
		columns: `SELECT column_name || ' ' || data_type || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE ' null' END
			FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '%s'
			ORDER BY ordinal_position`,
		keys: `SELECT ` + postgresKeyColumns +
			` FROM pg_index i WHERE i.indrelid = 'public.%s'::regclass AND i.indisunique`,
		indexes: `SELECT i.indexrelid::regclass || CASE WHEN i.indpred IS NULL THEN ': ' ELSE '*: ' END || ` +
			postgresKeyColumns + `
			FROM pg_index i WHERE i.indrelid = 'public.%s'::regclass AND NOT i.indisunique`,
		foreign: `SELECT a.attname || ' → ' || c.confrelid::regclass FROM pg_constraint c
			JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
			WHERE c.conrelid = 'public.%s'::regclass AND c.contype = 'f'`,
	}}
	schemas := map[string]map[string]table{}
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		q := catalogs[db.Name]
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
		schemas[db.Name] = tables
	})
	if len(schemas) != 2 {
		t.Skip("nothing to compare with")
	}
	requireEqual(t, "-sqlite +postgres", schemas["sqlite"], schemas["postgres"])
}

func TestMigrateDownIsRefusedWhileTheServiceRuns(t *testing.T) {
	t.Parallel()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		service := must(databasetest.Connect(t.Context(), db.URL))(t)
		ok(t, service.Migrate(t.Context()))
		command := must(databasetest.Connect(t.Context(), db.URL))(t)
		requireError(t, "while another process has connections", command.MigrateDown(t.Context()), database.ErrInUse)
		ok(t, service.Close())
		ok(t, command.MigrateDown(t.Context()))
		ok(t, command.Close())
	})
}

// TestMigrationsAreOnline holds every migration after the baseline to what TestOnlineRules
// shows: it must not hold up the replicas that use the tables meanwhile.
func TestMigrationsAreOnline(t *testing.T) {
	files := must(fs.Glob(database.Migrations, "migrations/postgres/*.sql"))(t)
	if len(files) == 0 {
		t.Fatal("no baseline")
	}
	for _, file := range files[1:] {
		for _, p := range offline(string(must(fs.ReadFile(database.Migrations, file))(t))) {
			t.Errorf("%s: %s", path.Base(file), p)
		}
	}
}

func TestOnlineRules(t *testing.T) {
	const begin, timeout = "-- +goose Up\n", "SET LOCAL lock_timeout = '500ms';\n"
	for _, online := range []string{
		timeout + "CREATE TABLE t (a TEXT REFERENCES users (id)); CREATE INDEX i ON t (a); ALTER TABLE t ALTER " +
			"COLUMN a SET NOT NULL",
		timeout + "ALTER TABLE users ADD COLUMN a TEXT, ADD COLUMN b BIGINT NOT NULL DEFAULT 0, DROP COLUMN c",
		timeout + "ALTER TABLE users ADD CONSTRAINT positive CHECK (a > 0) NOT VALID",
		timeout + "ALTER TABLE users VALIDATE CONSTRAINT positive",
		timeout + "ALTER TABLE users DROP COLUMN a;\n-- +goose Down\n" + timeout +
			"ALTER TABLE users ADD COLUMN a TEXT",
	} {
		if problems := offline(begin + online); len(problems) > 0 {
			t.Errorf("%s: problems %q, want none", online, problems)
		}
	}
	const concurrently = "DROP INDEX CONCURRENTLY IF EXISTS i; CREATE UNIQUE INDEX CONCURRENTLY i ON users (a)"
	if problems := offline("-- +goose NO TRANSACTION\n" + begin + concurrently); len(problems) > 0 {
		t.Errorf("%s: problems %q, want none", concurrently, problems)
	}
	for _, test := range []struct{ problem, migration string }{
		{"may wait, with others behind it", begin + "ALTER TABLE users ADD COLUMN a TEXT"},
		{"refuses rows of the previous version", begin + timeout + "ALTER TABLE users ADD COLUMN a TEXT NOT NULL"},
		{"writes all rows", begin + timeout + "ALTER TABLE users ADD COLUMN a TEXT DEFAULT gen_random_uuid()"},
		{"reads all rows", begin + timeout + "ALTER TABLE users ADD COLUMN a BIGINT REFERENCES companies (id)"},
		{"reads all rows", begin + timeout + "ALTER TABLE users ADD CONSTRAINT positive CHECK (a > 0)"},
		{"keeps the lock of the first action",
			begin + timeout + "ALTER TABLE users ADD CONSTRAINT c CHECK (a > 0) NOT VALID, VALIDATE CONSTRAINT c"},
		{"keeps the lock of the first statement",
			begin + timeout + "ALTER TABLE users ADD COLUMN b TEXT; ALTER TABLE users VALIDATE CONSTRAINT c"},
		{"writes all rows", begin + timeout + "ALTER TABLE users ALTER COLUMN a TYPE BIGINT"},
		{"reads all rows", begin + timeout + "ALTER TABLE users ALTER COLUMN a SET NOT NULL"},
		{"breaks the previous version", begin + timeout + "ALTER TABLE users RENAME COLUMN a TO b"},
		{"holds one lock while it waits for the other",
			begin + timeout + "ALTER TABLE users ADD COLUMN a TEXT; ALTER TABLE companies ADD COLUMN a TEXT"},
		{"keeps writers out", begin + timeout + "CREATE INDEX i ON users (a)"},
		{"locks all rows", begin + timeout + "UPDATE users SET name = ''"},
		{"cannot be repeated", "-- +goose NO TRANSACTION\n" + begin + "CREATE INDEX CONCURRENTLY i ON users (a)"},
		{"has no timeout",
			"-- +goose NO TRANSACTION\n" + begin + concurrently + "; ALTER TABLE users ADD COLUMN a TEXT"},
		{"has no timeout on the way down",
			begin + timeout + "ALTER TABLE users ADD COLUMN a TEXT;\n-- +goose Down\nALTER TABLE users DROP COLUMN a"},
		{"is not known to be safe", begin + timeout + "CREATE TABLE t (a TEXT); LOCK TABLE users"},
		{"writes all rows",
			begin + timeout + "ALTER TABLE users ADD COLUMN a BIGINT GENERATED ALWAYS AS IDENTITY, " +
				"ALTER COLUMN b SET STORAGE PLAIN"},
	} {
		if len(offline(test.migration)) == 0 {
			t.Errorf("taken to be online, although it %s: %s", test.problem, test.migration)
		}
	}
}

// lockTimeout begins each direction of a migration. It is shorter than deadlock_timeout, so
// that the migration gives way and not a request.
const lockTimeout = "SET LOCAL lock_timeout = '500ms'"

const columnType = `(TEXT|BIGINT|BOOLEAN|JSON|BYTEA|TIMESTAMPTZ|DOUBLE PRECISION)`

var (
	comment     = regexp.MustCompile(`(?m)^\s*--.*$`)
	createTable = regexp.MustCompile(`^CREATE TABLE (\w+) \(`)
	createIndex = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+) `)
	alterTable  = regexp.MustCompile(`^ALTER TABLE (\w+) (.+)$`)
	validate    = regexp.MustCompile(`^VALIDATE CONSTRAINT \w+$`)
	// brief is what holds the lock of a table in use for no longer than the catalog takes.
	brief = regexp.MustCompile(`^(ADD COLUMN \w+ ` + columnType + `|ADD COLUMN \w+ ` + columnType +
		`( NOT NULL)? DEFAULT ('[^']*'|\d+|TRUE|FALSE)` +
		`|ADD CONSTRAINT .+ NOT VALID|DROP (COLUMN|CONSTRAINT) \w+|ALTER COLUMN \w+ (DROP DEFAULT|DROP NOT NULL|SET ` +
		`DEFAULT .+))$`)
	dropTable         = regexp.MustCompile(`^DROP TABLE \w+$`)
	indexConcurrently = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+) ON `)
	dropConcurrently  = regexp.MustCompile(`^DROP INDEX CONCURRENTLY IF EXISTS (\w+)$`)
	betweenActions    = regexp.MustCompile(`, (ADD|DROP|ALTER|VALIDATE|RENAME) `)
)

// offline returns what in a migration may hold up those who use its tables.
func offline(migration string) (problems []string) {
	alone := strings.Contains(migration, "-- +goose NO TRANSACTION")
	up, down, _ := strings.Cut(migration, "-- +goose Down")
	for _, direction := range []string{up, down} {
		var statements []string
		for s := range strings.SplitSeq(comment.ReplaceAllString(direction, ""), ";") {
			if s = strings.Join(strings.Fields(s), " "); s != "" {
				statements = append(statements, s)
			}
		}
		switch {
		case len(statements) == 0:
		case alone:
			problems = append(problems, offlineAlone(statements)...)
		case statements[0] != lockTimeout:
			problems = append(problems, "does not begin with "+lockTimeout)
		default:
			problems = append(problems, offlineTogether(statements[1:])...)
		}
	}
	return problems
}

// offlineAlone checks statements without a transaction: each index is dropped before it is
// created, because an attempt that failed leaves an invalid one.
func offlineAlone(statements []string) (problems []string) {
	dropped := ""
	for _, s := range statements {
		drop, create := dropConcurrently.FindStringSubmatch(s), indexConcurrently.FindStringSubmatch(s)
		switch {
		case drop != nil:
			dropped = drop[1]
		case create == nil || create[1] != dropped:
			problems = append(problems, "without a transaction: "+s)
		}
	}
	return problems
}

// offlineTogether checks the statements of one transaction, which keeps its locks to its end.
func offlineTogether(statements []string) (problems []string) {
	var created, altered []string
	for _, s := range statements {
		table := createTable.FindStringSubmatch(s)
		index := createIndex.FindStringSubmatch(s)
		alter := alterTable.FindStringSubmatch(s)
		switch {
		case table != nil:
			created = append(created, table[1])
		case index != nil && slices.Contains(created, index[1]), alter != nil && slices.Contains(created, alter[1]),
			dropTable.MatchString(s):
		case alter != nil && (len(statements) == 1 && validate.MatchString(alter[2]) || isBrief(alter[2])):
			altered = append(altered, alter[1])
		default:
			problems = append(problems, s)
		}
	}
	if slices.Sort(altered); len(slices.Compact(altered)) > 1 {
		problems = append(problems, fmt.Sprintf("alters several tables: %q", altered))
	}
	return problems
}

// isBrief reports whether all actions of an ALTER TABLE are.
func isBrief(actions string) bool {
	for action := range strings.SplitSeq(betweenActions.ReplaceAllString(actions, "\n$1 "), "\n") {
		if !brief.MatchString(action) {
			return false
		}
	}
	return true
}

// TestColumnsAreAdded: prepared queries work after another version has added a column to each table.
func TestColumnsAreAdded(t *testing.T) {
	t.Parallel()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		db.DB = databasetest.Open(t, db.URL)
		ok(t, db.DB.Migrate(t.Context()))
		a := apptest.New(t, apptest.On(db.URL))
		anna := a.Browser(a.Anna)
		anna.Connect(provider.PagesPair, "anna")
		read := func() {
			for _, path := range []string{
				"/api/auth/me", "/api/oauth/status", "/api/companies", "/panel", "/konto/integracje",
			} {
				if response := anna.Get(path); response.Code >= 500 {
					t.Errorf("%s: %d %s", path, response.Code, response.Body)
				}
			}
			ok(t, databasetest.ErrorOf(a.Users.List(t.Context())))
			ok(t, databasetest.ErrorOf(a.Connections.List(t.Context(), connection.Query{})))
			ok(t, databasetest.ErrorOf(trail.Find(t.Context(), a.DB, trail.Search{Limit: 9})))
		}
		read()
		for table := range db.Dump(t) {
			db.Exec(t, "ALTER TABLE "+table+" ADD COLUMN added_later BIGINT")
		}
		read()
	})
}
