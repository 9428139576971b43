package database

import (
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/internal/kit/fault"
)

// checkTexts makes db refuse, before the database is asked, to write text that
// PostgreSQL cannot keep: NUL characters and what is not UTF-8
// (https://www.postgresql.org/docs/current/datatype-character.html). Looking for
// such text finds nothing.
func checkTexts(db *gorm.DB) error {
	return errors.Join(
		db.Callback().Create().Before("gorm:create").Register("database:text", refuseText),
		db.Callback().Update().Before("gorm:update").Register("database:text", refuseText),
		db.Callback().Query().Before("gorm:query").Register("database:text", missText),
	)
}

// CodeInvalidText is the code of text that PostgreSQL cannot store.
var CodeInvalidText = fault.NewCode(fault.Invalid, "invalid_text", "Tekst zawiera niedozwolone znaki.", "not a text that a database can keep")

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

// storable looks at the texts of rows, of column maps and of arguments.
func storable(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String()) && !strings.ContainsRune(v.String(), 0)
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || storable(v.Elem())
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
