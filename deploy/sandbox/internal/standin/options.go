package standin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ReadOptions reads the options of an Action into target: one JSON object without
// unknown fields, or nothing at all, which leaves target as it is.
func ReadOptions(options io.Reader, target any) error {
	decoder := json.NewDecoder(options)
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(target); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("options are not a valid JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("options are followed by more text: send one JSON object")
	}
	return nil
}
