package store

import (
	"context"
	"errors"
	"strings"

	"gorm.io/gorm"
)

// Span begins a span of a statement. The statement is sent with the returned
// context; end gets its error.
type Span func(ctx context.Context, name string) (in context.Context, end func(error))

// Trace has begin called for each statement from now on; s must not be in use yet.
// The name is what the statement does and its table, such as "query users", or
// "raw". Its text and its values are not told.
func (s *Store) Trace(begin Span) error {
	err := s.write.Use(spans{begin})
	if s.read != s.write {
		err = errors.Join(err, s.read.Use(spans{begin}))
	}
	return err
}

// spans is a plugin of gorm.
type spans struct{ begin Span }

const (
	spanBegin = "store:span"
	spanEnd   = "store:span_end"
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
