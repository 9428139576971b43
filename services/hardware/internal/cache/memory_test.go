package cache

import (
	"testing"
)

// TestMemoryKeepsToShareableAnswers: the copy of the process may hold answers that
// are not for other callers.
func TestMemoryKeepsToShareableAnswers(t *testing.T) {
	local := NewLocal(1 << 20)
	now, _ := newClock()
	m := NewMemory(local, now, func(string, outcome) {})
	answer := *samples()["ranking"].Answer
	answer.Shareable = false
	local.Put(key, &answer, answer.Size())
	claim, err := m.Claim(t.Context(), key, "one", lease, 0)
	if err != nil || !claim.Mine || claim.Kept != nil {
		t.Errorf("got claim %+v, error %v, want the look-up to begin", claim, err)
	}
}
