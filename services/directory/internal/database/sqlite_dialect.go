package database

import (
	"errors"
	"strings"

	sqlitedriver "modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
)

// sqliteDialect teaches gorm the SQL of SQLite, as far as this package uses it.
// The tables come from migrations, so gorm never makes one.
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
func (sqliteDialect) BindVarTo(w clause.Writer, _ *gorm.Statement, _ any) { _ = w.WriteByte('?') }

// QuoteTo implements gorm.Dialector. The names are those of this package's tables
// and columns.
func (sqliteDialect) QuoteTo(w clause.Writer, name string) {
	_ = w.WriteByte('`')
	if table, column, ok := strings.Cut(name, "."); ok {
		_, _ = w.WriteString(table)
		_, _ = w.WriteString("`.`")
		name = column
	}
	_, _ = w.WriteString(name)
	_ = w.WriteByte('`')
}

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
