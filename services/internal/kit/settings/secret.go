package settings

import (
	"fmt"
	"log/slog"
)

// Secret is a setting that prints as "[set]" or "". Reveal returns its value. In a struct it
// must be an exported field, because package fmt ignores the methods of unexported ones.
type Secret string

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }

// String hides the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[set]"
}

// Format hides the value from all verbs of package fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.String()) }

// MarshalText hides the value from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the value from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
