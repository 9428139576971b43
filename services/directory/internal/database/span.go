package database

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"backend.example/services/internal/kit/fault"
)

// Span begins a span of a statement. The statement is sent with the returned
// context; end gets its error.
type Span func(ctx context.Context, name string) (in context.Context, end func(error))

// Trace has begin called for each statement from now on; db must not be in use yet.
// The name is what the statement does and its table, such as "query users", or
// "raw". Its text and its values are left out.
func (db *DB) Trace(begin Span) error {
	err := db.write.Use(spans{begin})
	if db.read != db.write {
		err = errors.Join(err, db.read.Use(spans{begin}))
	}
	return err
}

// describeErrors makes the errors of statements name the operation and the table.
func describeErrors(db *gorm.DB) error {
	describe := func(operation string) func(*gorm.DB) {
		return func(tx *gorm.DB) {
			var f *fault.Error
			if tx.Error != nil && !errors.As(tx.Error, &f) {
				tx.Error = fmt.Errorf("database: %s: %w", strings.TrimSpace(operation+" "+tx.Statement.Table), tx.Error)
			}
		}
	}
	const name = "database:describe"
	on := db.Callback()
	return errors.Join(
		on.Create().After("*").Register(name, describe("create")), on.Query().After("*").Register(name, describe("query")),
		on.Update().After("*").Register(name, describe("update")), on.Delete().After("*").Register(name, describe("delete")),
		on.Row().After("*").Register(name, describe("row")), on.Raw().After("*").Register(name, describe("raw")),
	)
}

// spans is a plugin of gorm.
type spans struct{ begin Span }

const (
	spanBegin = "database:span"
	spanEnd   = "database:span_end"
)

// Name implements gorm.Plugin.
func (spans) Name() string { return spanBegin }

// Initialize implements gorm.Plugin: the spans are around all that gorm does.
func (s spans) Initialize(db *gorm.DB) error {
	on := db.Callback()
	return errors.Join(
		on.Create().Before("*").Register(spanBegin, s.start("create")), on.Create().After("*").Register(spanEnd, finish),
		on.Query().Before("*").Register(spanBegin, s.start("query")), on.Query().After("*").Register(spanEnd, finish),
		on.Update().Before("*").Register(spanBegin, s.start("update")), on.Update().After("*").Register(spanEnd, finish),
		on.Delete().Before("*").Register(spanBegin, s.start("delete")), on.Delete().After("*").Register(spanEnd, finish),
		on.Row().Before("*").Register(spanBegin, s.start("row")), on.Row().After("*").Register(spanEnd, finish),
		on.Raw().Before("*").Register(spanBegin, s.start("raw")), on.Raw().After("*").Register(spanEnd, finish),
	)
}

func (s spans) start(operation string) func(*gorm.DB) {
	return func(tx *gorm.DB) {
		ctx, end := s.begin(tx.Statement.Context, strings.TrimSpace(operation+" "+tx.Statement.Table))
		tx.Statement.Context = ctx
		tx.InstanceSet(spanBegin, end)
	}
}

// finish takes a row that is not there for an answer like any other.
func finish(tx *gorm.DB) {
	value, _ := tx.InstanceGet(spanBegin)
	end, ok := value.(func(error))
	if !ok {
		return
	}
	if errors.Is(tx.Error, gorm.ErrRecordNotFound) {
		end(nil)
		return
	}
	end(tx.Error)
}
