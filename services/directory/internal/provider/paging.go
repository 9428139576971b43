package provider

import (
	"errors"
	"sync"
)

// EachPage calls read for one page of a list after another, each time with the
// cursor that it returned before. It stops when there is no cursor or limit pages
// are read; complete reports that there are no more. A cursor that comes a second
// time would never end, and is the fault Unreadable.
func EachPage(limit int, read func(cursor string) (next string, err error)) (complete bool, err error) {
	cursor, seen := "", map[string]bool{}
	for range limit {
		next, err := read(cursor)
		switch {
		case err != nil:
			return false, err
		case next == "":
			return true, nil
		case seen[next]:
			return false, Unreadable(errors.New("the cursors of a list repeat"))
		}
		cursor, seen[next] = next, true
	}
	return false, nil
}

// atOnce is how many lists of one caller are read at the same time.
const atOnce = 5

// EachAtOnce calls read for each of n lists, atOnce of them at a time.
func EachAtOnce(n int, read func(i int)) {
	var group sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i := range n {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			read(i)
		})
	}
	group.Wait()
}
