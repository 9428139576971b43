package social

import (
	"slices"
	"time"
)

// version is a version of the Graph API and of the login dialog
// (https://developers.facebook.com/docs/graph-api/changelog).
type version struct {
	name string
	dead time.Time // zero: not announced
}

func versions() []version {
	end := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return []version{
		{name: "v26.0"},
		{"v25.0", end(2028, 7, 29)},
		{"v24.0", end(2028, 2, 18)},
		{"v23.0", end(2027, 10, 8)},
		{"v22.0", end(2027, 5, 20)},
		{"v21.0", end(2027, 1, 21)},
	}
}

// usual is the version of the addresses that the control page shows.
const usual = "v25.0"

// serves reports whether a version is still answered. The real API answers dead
// versions with the oldest living one; here they are refused, so that a client
// that has fallen behind is noticed.
func (s *site) serves(name string) bool {
	return !slices.Contains(s.panel.List(knobDeadVersions), name) && slices.ContainsFunc(versions(), func(v version) bool {
		return v.name == name && (v.dead.IsZero() || s.now().Before(v.dead))
	})
}

// removed lists parameters that the Graph API took out of every version on
// 2026-10-27.
func removed() []string { return []string{"date_format", "debug", "ids", "pretty"} }
