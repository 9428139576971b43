package database

import (
	"errors"
	"testing"

	"gorm.io/gorm"
)

// initializing is a dialect whose initialization does more.
type initializing struct {
	sqliteDialect
	more func(*gorm.DB) error
}

// Initialize implements gorm.Dialector.
func (i initializing) Initialize(db *gorm.DB) error {
	return errors.Join(i.sqliteDialect.Initialize(db), i.more(db))
}

// TestHandlesAreWholeOrRefused checks that no handle is used without the callbacks of this
// package, which gorm refuses if others contradict each other.
func TestHandlesAreWholeOrRefused(t *testing.T) {
	db := &DB{}
	contradict := func(handle *gorm.DB) error {
		first, second := handle.Callback().Row().Before("second"), handle.Callback().Row().Before("first")
		_ = errors.Join(first.Register("first", func(*gorm.DB) {}), second.Register("second", func(*gorm.DB) {}))
		return nil
	}
	for what, more := range map[string]func(*gorm.DB) error{
		"a dialect that fails":                 func(*gorm.DB) error { return errors.New("not initialized") },
		"callbacks that contradict each other": contradict,
	} {
		if _, err := db.openGorm(initializing{more: more}); err == nil {
			t.Errorf("%s: a handle opens", what)
		}
	}
	handle, err := db.openGorm(sqliteDialect{})
	if err != nil {
		t.Fatal(err)
	}
	db.read, db.write = handle, handle
	if err := errors.Join(contradict(handle), db.Trace(nil)); err == nil {
		t.Error("statements are not traced, without an error")
	}
}
