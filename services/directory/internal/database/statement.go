package database

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
	sqlitedriver "modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"

	"backend.example/services/internal/kit/fault"
)

// CodeInvalidText is the code of text that PostgreSQL cannot store.
var CodeInvalidText = fault.NewCode(fault.Invalid, "invalid_text", "Tekst zawiera niedozwolone znaki.",
	"not a text that a database can keep")

// openGorm opens gorm silent, since its log would contain values, and without a transaction around
// each statement. Queries name their columns: PostgreSQL refuses a prepared SELECT * once another
// version adds one.
func (db *DB) openGorm(dialector gorm.Dialector) (*gorm.DB, error) {
	opened, err := gorm.Open(dialector, &gorm.Config{
		TranslateError: true, SkipDefaultTransaction: true, DisableAutomaticPing: true, QueryFields: true,
		Logger: logger.Discard, NowFunc: func() time.Time { return db.At(time.Time{}) },
	})
	if err != nil {
		return nil, err
	}
	for _, o := range operations(opened) {
		err = errors.Join(err, o.after.Register("database:describe", o.describe))
	}
	return opened, err
}

// operation is one of gorm's, with what registers functions before and after it.
type operation struct {
	name          string
	before, after interface {
		Register(name string, fn func(*gorm.DB)) error
	}
}

func operations(db *gorm.DB) []operation {
	on := db.Callback()
	return []operation{
		{"create", on.Create().Before("*"), on.Create().After("*")},
		{"query", on.Query().Before("*"), on.Query().After("*")},
		{"update", on.Update().Before("*"), on.Update().After("*")},
		{"delete", on.Delete().Before("*"), on.Delete().After("*")},
		{"row", on.Row().Before("*"), on.Row().After("*")},
		{"raw", on.Raw().Before("*"), on.Raw().After("*")},
	}
}

// of returns the operation with the table of a statement.
func (o operation) of(tx *gorm.DB) string {
	return strings.TrimSpace(o.name + " " + tx.Statement.Table)
}

func (o operation) describe(tx *gorm.DB) {
	var f *fault.Error
	switch {
	case tx.Error == nil:
	case o.name == "query" && fault.Is(tx.Error, CodeInvalidText):
		tx.Error = nil
		if tx.Statement.RaiseErrorOnNotFound {
			tx.Error = gorm.ErrRecordNotFound
		}
	case !errors.As(tx.Error, &f):
		tx.Error = fmt.Errorf("database: %s: %w", o.of(tx), tx.Error)
	}
}

// Span begins a span of a statement. The statement is sent with the returned
// context; end gets its error.
type Span func(ctx context.Context, name string) (in context.Context, end func(error))

// Trace makes db, which must not be in use yet, call begin for each statement, with a name such as
// "query users" or "raw". A row that does not exist is no error.
func (db *DB) Trace(begin Span) (err error) {
	const key = "database:span"
	handles := []*gorm.DB{db.write}
	if db.read != db.write {
		handles = append(handles, db.read)
	}
	for _, handle := range handles {
		for _, o := range operations(handle) {
			start := func(tx *gorm.DB) {
				if tx.DryRun { // a query within a statement
					return
				}
				ctx, end := begin(tx.Statement.Context, o.of(tx))
				tx.Statement.Context = ctx
				tx.InstanceSet(key, end)
			}
			stop := func(tx *gorm.DB) {
				value, _ := tx.InstanceGet(key)
				end, ok := value.(func(error))
				switch {
				case !ok:
				case errors.Is(tx.Error, gorm.ErrRecordNotFound):
					end(nil)
				default:
					end(tx.Error)
				}
			}
			err = errors.Join(err, o.before.Register(key, start), o.after.Register(key+"_end", stop))
		}
	}
	return err
}

// refuseText fails a statement with a value that PostgreSQL cannot keep: NUL and what is not UTF-8
// (https://www.postgresql.org/docs/current/datatype-character.html).
func refuseText(stmt *gorm.Statement, value any) {
	text := reflect.Indirect(reflect.ValueOf(value))
	if text.Kind() != reflect.String || stmt.Error != nil {
		return
	}
	if !utf8.ValidString(text.String()) || strings.ContainsRune(text.String(), 0) {
		_ = stmt.AddError(CodeInvalidText.Fault())
	}
}

// postgresDialect is gorm's, which refuses texts.
type postgresDialect struct{ *postgres.Dialector }

// BindVarTo implements gorm.Dialector.
func (d postgresDialect) BindVarTo(w clause.Writer, stmt *gorm.Statement, value any) {
	refuseText(stmt, value)
	d.Dialector.BindVarTo(w, stmt, value)
}

// sqliteDialect teaches gorm the SQL of SQLite, without that of making tables.
type sqliteDialect struct{ pool gorm.ConnPool }

// Name implements gorm.Dialector.
func (sqliteDialect) Name() string { return "sqlite" }

// Initialize implements gorm.Dialector.
func (d sqliteDialect) Initialize(db *gorm.DB) error {
	db.ConnPool = d.pool
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{
		CreateClauses: []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		UpdateClauses: []string{"UPDATE", "SET", "FROM", "WHERE", "RETURNING"},
		DeleteClauses: []string{"DELETE", "FROM", "WHERE", "RETURNING"},
	})
	// SQLite has no row locks and no SELECT … FOR UPDATE.
	db.ClauseBuilders["FOR"] = func(clause.Clause, clause.Builder) {}
	return nil
}

// BindVarTo implements gorm.Dialector.
func (sqliteDialect) BindVarTo(w clause.Writer, stmt *gorm.Statement, value any) {
	refuseText(stmt, value)
	_ = w.WriteByte('?')
}

// QuoteTo implements gorm.Dialector. The name is that of one of this package's tables or
// columns.
func (sqliteDialect) QuoteTo(w clause.Writer, name string) { _, _ = w.WriteString("`" + name + "`") }

// DefaultValueOf implements gorm.Dialector: SQLite numbers a row whose id is NULL.
func (sqliteDialect) DefaultValueOf(*schema.Field) clause.Expression { return clause.Expr{SQL: "NULL"} }

// Explain implements gorm.Dialector.
func (sqliteDialect) Explain(sql string, values ...any) string {
	return logger.ExplainSQL(sql, nil, `"`, values...)
}

// DataTypeOf implements gorm.Dialector.
func (sqliteDialect) DataTypeOf(field *schema.Field) string { return string(field.DataType) }

// Migrator implements gorm.Dialector. Package goose migrates.
func (sqliteDialect) Migrator(*gorm.DB) gorm.Migrator { return nil }

// Translate implements gorm.ErrorTranslator.
func (sqliteDialect) Translate(err error) error {
	var e *sqlitedriver.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case sqlitecode.SQLITE_CONSTRAINT_UNIQUE, sqlitecode.SQLITE_CONSTRAINT_PRIMARYKEY:
		return gorm.ErrDuplicatedKey
	case sqlitecode.SQLITE_CONSTRAINT_FOREIGNKEY:
		return gorm.ErrForeignKeyViolated
	}
	return err
}
