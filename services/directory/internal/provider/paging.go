package provider

import (
	"errors"

	"backend.example/services/directory/internal/directory"
)

// everyPage calls read for one page of a list after another, with the cursor that
// it returned before, until there is none or limit pages are read. A cursor that
// comes again would never end, and is the fault Unreadable.
func everyPage(limit int, read func(cursor string) (next string, err error)) error {
	cursor, seen := "", map[string]bool{}
	for range limit {
		next, err := read(cursor)
		switch {
		case err != nil:
			return err
		case next == "":
			return nil
		case seen[next]:
			return directory.Unreadable(errors.New("the pages of a list go round in circles"))
		}
		cursor, seen[next] = next, true
	}
	return nil
}
