package benchmarksite

import (
	"slices"
	"strings"
)

// smudge spoils a few rows in one of the ways in which the real downloads are
// unclean. It acts on fixed places, so that every start serves the same bytes.
type smudge func([]row) []row

// Signs that survive in names pasted by hand.
const (
	leftToRightMark = "\u200e"
	noBreakSpace    = "\u00a0"
)

// padded puts spaces around the model of the rows at the places.
func padded(places ...int) smudge {
	return each(places, func(r *row) { r.model = " " + r.model + "  " })
}

// squared writes a ² into the model of the rows at the places.
func squared(places ...int) smudge {
	return each(places, func(r *row) { r.model += " R²" })
}

func each(places []int, spoil func(*row)) smudge {
	return func(rows []row) []row {
		for _, place := range places {
			spoil(&rows[place])
		}
		return rows
	}
}

// trailingNoBreakSpace ends the first n part numbers with U+00A0.
func trailingNoBreakSpace(n int) smudge {
	return func(rows []row) []row {
		for i := range rows {
			if n > 0 && rows[i].number != "" {
				rows[i].number += noBreakSpace
				n--
			}
		}
		return rows
	}
}

// marked begins with U+200E those part numbers that are the place-th of all.
func marked(places ...int) smudge {
	return func(rows []row) []row {
		numbered := 0
		for i := range rows {
			if rows[i].number == "" {
				continue
			}
			if slices.Contains(places, numbered) {
				rows[i].number = leftToRightMark + rows[i].number
			}
			numbered++
		}
		return rows
	}
}

// doubled repeats the rows at the places exactly.
func doubled(places ...int) smudge {
	return func(rows []row) []row {
		for _, place := range places {
			rows = slices.Insert(rows, place, rows[place])
		}
		return rows
	}
}

// withoutBrand empties the brand of the last n rows.
func withoutBrand(n int) smudge {
	return last(n, func(r *row) { r.brand = "" })
}

// withoutModel empties the model of the last n rows.
func withoutModel(n int) smudge {
	return last(n, func(r *row) { r.model = "" })
}

// withoutSlug ends the URL of the last n rows after the number.
func withoutSlug(n int) smudge {
	return last(n, func(r *row) {
		if head, _, long := strings.Cut(r.url, "/SpeedTest/"); long {
			id, _, _ := strings.Cut(strings.TrimPrefix(r.url, head+"/SpeedTest/"), "/")
			r.url = head + "/SpeedTest/" + id + "/"
		}
	})
}

func last(n int, spoil func(*row)) smudge {
	return func(rows []row) []row {
		for i := len(rows) - n; i < len(rows); i++ {
			spoil(&rows[i])
		}
		return rows
	}
}
