package store

import (
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"backend.example/services/internal/kit/fault"
)

// failure translates what gorm or the database says. absent is the fault for a
// row that is not there. Faults pass: they come from a check of ours, or from a
// caller's own function.
func failure(what string, err error, absent *fault.Error) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return err
	case absent != nil && (errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, sql.ErrNoRows)):
		return absent
	}
	return fmt.Errorf("store: %s: %w", what, err)
}

// changedOne translates the result of a write that is meant for one row.
func changedOne(what string, result *gorm.DB, absent *fault.Error) error {
	if result.Error == nil && result.RowsAffected == 0 {
		return absent
	}
	return failure(what, result.Error, absent)
}
