package main

import (
	"errors"
	"fmt"

	"backend.example/services/internal/kit/fault"
)

// inEnglish says to the person at the terminal what a fault with that code tells
// end users in Polish.
var inEnglish = map[string]string{
	"no_user":          "there is no such user",
	"no_company":       "there is no such company",
	"taken":            "taken already",
	"invalid_password": "12 characters at least and 512 bytes at most",
	"invalid_slug":     "a-z, 0-9 and single hyphens, at most 100, and neither health nor history",
	"invalid_text":     "not a text that a database can keep",
}

// explain adds what an error is about, such as "user anna@firma.example".
func explain(what string, err error) error {
	if err == nil {
		return nil
	}
	var f *fault.Error
	if errors.As(err, &f) && inEnglish[f.Code] != "" {
		return fmt.Errorf("%s: %s", what, inEnglish[f.Code])
	}
	return fmt.Errorf("%s: %w", what, err)
}
