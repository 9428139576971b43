package session_test

import (
	"testing"
	"time"
)

// TestClockGoesBack: a session that was used in what is now the future lives, and its
// idle time is counted from its next use.
func TestClockGoesBack(t *testing.T) {
	w := newWorld(t, true)
	cookie := w.login(t, 7, nil)
	w.now = w.now.Add(-13 * time.Hour)
	w.requireUser(t, cookie, 7)
	w.now = w.now.Add(12*time.Hour - 1)
	w.requireUser(t, cookie, 7)
	w.now = w.now.Add(12 * time.Hour)
	w.requireUser(t, cookie, 0)
}
