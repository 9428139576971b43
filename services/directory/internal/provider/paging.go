package provider

import (
	"errors"

	"backend.example/services/directory/internal/directory"
)

// eachPage calls read for one page of a list after another, each time with the
// cursor that it returned before. It stops when there is no cursor or limit pages
// are read. A cursor that comes a second time would never end, and is the fault
// Unreadable.
func eachPage(limit int, read func(cursor string) (next string, err error)) error {
	cursor, seen := "", map[string]bool{}
	for range limit {
		next, err := read(cursor)
		switch {
		case err != nil:
			return err
		case next == "":
			return nil
		case seen[next]:
			return directory.Unreadable(errors.New("the cursors of a list repeat"))
		}
		cursor, seen[next] = next, true
	}
	return nil
}
