package database

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/internal/kit/fault"
)

// Span begins a span of a statement. The statement is sent with the returned
// context; end gets its error.
type Span func(ctx context.Context, name string) (in context.Context, end func(error))

// Trace makes db call begin for each further statement; db must not be in use yet.
// The name is what the statement does and its table, such as "query users", or
// "raw". Its text and its values are left out.
func (db *DB) Trace(begin Span) (err error) {
	const name = "database:span"
	handles := []*gorm.DB{db.write}
	if db.read != db.write {
		handles = append(handles, db.read)
	}
	for _, handle := range handles {
		for operation, on := range operations(handle) {
			start := func(tx *gorm.DB) {
				if tx.DryRun { // a query within a statement
					return
				}
				ctx, end := begin(tx.Statement.Context, operation.of(tx))
				tx.Statement.Context = ctx
				tx.InstanceSet(name, end)
			}
			err = errors.Join(err, on.before.Register(name, start), on.after.Register(name+"_end", endSpan(name)))
		}
	}
	return err
}

// endSpan returns a callback that ends a span. A row that does not exist is no error.
func endSpan(name string) func(*gorm.DB) {
	return func(tx *gorm.DB) {
		value, _ := tx.InstanceGet(name)
		end, ok := value.(func(error))
		switch {
		case !ok:
		case errors.Is(tx.Error, gorm.ErrRecordNotFound):
			end(nil)
		default:
			end(tx.Error)
		}
	}
}

// describeErrors makes the errors of statements name the operation and the table.
func describeErrors(db *gorm.DB) (err error) {
	for operation, on := range operations(db) {
		describe := func(tx *gorm.DB) {
			var f *fault.Error
			if tx.Error != nil && !errors.As(tx.Error, &f) {
				tx.Error = fmt.Errorf("database: %s: %w", operation.of(tx), tx.Error)
			}
		}
		err = errors.Join(err, on.after.Register("database:describe", describe))
	}
	return err
}

type operation string

// of returns the operation with the table of a statement.
func (o operation) of(tx *gorm.DB) string {
	return strings.TrimSpace(string(o) + " " + tx.Statement.Table)
}

// hooks register functions that are called before and after all that gorm does for an operation.
type hooks struct {
	before, after interface {
		Register(name string, fn func(*gorm.DB)) error
	}
}

func operations(db *gorm.DB) map[operation]hooks {
	on := db.Callback()
	return map[operation]hooks{
		"create": {on.Create().Before("*"), on.Create().After("*")},
		"query":  {on.Query().Before("*"), on.Query().After("*")},
		"update": {on.Update().Before("*"), on.Update().After("*")},
		"delete": {on.Delete().Before("*"), on.Delete().After("*")},
		"row":    {on.Row().Before("*"), on.Row().After("*")}, "raw": {on.Raw().Before("*"), on.Raw().After("*")},
	}
}

// checkTexts makes db refuse, before the database is asked, to write text that
// PostgreSQL cannot keep: NUL characters and what is not UTF-8
// (https://www.postgresql.org/docs/current/datatype-character.html). Looking for
// such text finds nothing.
func checkTexts(db *gorm.DB) error {
	return errors.Join(
		db.Callback().Create().Before("gorm:create").Register("database:text", refuseText),
		db.Callback().Update().Before("gorm:update").Register("database:text", refuseText),
		db.Callback().Query().Before("gorm:query").Register("database:text", missText),
		db.Callback().Query().After("gorm:query").Register("database:missed", missNone),
	)
}

// CodeInvalidText is the code of text that PostgreSQL cannot store.
var CodeInvalidText = fault.NewCode(fault.Invalid, "invalid_text", "Tekst zawiera niedozwolone znaki.",
	"not a text that a database can keep")

func refuseText(tx *gorm.DB) {
	if !storable(reflect.ValueOf(tx.Statement.Dest)) {
		_ = tx.AddError(CodeInvalidText.Fault())
	}
}

func missText(tx *gorm.DB) {
	where, ok := tx.Statement.Clauses["WHERE"].Expression.(clause.Where)
	if !ok {
		return
	}
	for _, e := range where.Exprs {
		if e, ok := e.(clause.Expr); ok && !storable(reflect.ValueOf(e.Vars)) {
			_ = tx.AddError(gorm.ErrRecordNotFound)
		}
	}
}

// missNone makes a query that may find any number of rows find none, without an error.
func missNone(tx *gorm.DB) {
	if !tx.Statement.RaiseErrorOnNotFound && errors.Is(tx.Error, gorm.ErrRecordNotFound) {
		tx.Error = nil
	}
}

// storable looks at the texts of rows, of column maps and of arguments.
func storable(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String()) && !strings.ContainsRune(v.String(), 0)
	case reflect.Pointer, reflect.Interface:
		isQuery := v.Type() == reflect.TypeFor[*gorm.DB]() // of its own arguments; it refers to itself
		return isQuery || v.IsNil() || storable(v.Elem())
	case reflect.Struct:
		for description, field := range v.Fields() {
			isJSON := strings.Contains(description.Tag.Get("gorm"), "serializer:json") // which escapes
			if !isJSON && !storable(field) {
				return false
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if !storable(v.MapIndex(key)) {
				return false
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return true
		}
		for i := range v.Len() {
			if !storable(v.Index(i)) {
				return false
			}
		}
	}
	return true
}
