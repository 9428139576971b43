package settings

import (
	"fmt"
	"log/slog"
)

// Secret is a setting that prints as "[set]" or "" wherever it is formatted or
// logged; Reveal gives its value. Inside a struct it must be an exported field:
// package fmt reads unexported ones past their methods.
type Secret string

// Reveal returns the secret's value.
func (s Secret) Reveal() string { return string(s) }

// String hides the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[set]"
}

// Format hides the value from every verb of package fmt, also from those for numbers.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.String()) }

// MarshalText hides the value from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the value from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
