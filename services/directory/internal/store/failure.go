package store

import (
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
	case absent != nil && errors.Is(err, gorm.ErrRecordNotFound):
		return absent
	}
	return fmt.Errorf("store: %s: %w", what, err)
}

// failureUnique is failure for a write that may break a rule of uniqueness;
// message says so, in Polish.
func failureUnique(what string, err error, message string) error {
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return fault.Wrap(err, fault.Invalid, "taken", message)
	}
	return failure(what, err, nil)
}

func absent(code, message string) *fault.Error {
	return fault.New(fault.NotFound, code, message)
}

// changedOne translates the result of a write that is meant for one row.
func changedOne(what string, result *gorm.DB, absent *fault.Error) error {
	if result.Error == nil && result.RowsAffected == 0 {
		return absent
	}
	return failure(what, result.Error, absent)
}
