package throttle

import (
	"fmt"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// failFor reports n failures of the look-up of a question.
func (b breakerUnderTest) failFor(t *testing.T, question string, n int) {
	t.Helper()
	for i := range n {
		b.replicas[i%2].Fail(lookup.WithKey(t.Context(), question), site)
	}
}

// testOneQuestion: what the source fails at again and again may be the question.
func testOneQuestion(t *testing.T, b breakerUnderTest) {
	b.failFor(t, "price:a//", 10)
	b.wantClosed(t)
	for n := range 4 {
		b.wantClosed(t)
		b.failFor(t, fmt.Sprint("price:", n), 1)
	}
	b.wantPaused(t, 30*time.Second)
	b.advance(30*time.Second + b.tolerance)
	b.wantAllowed(t, 0)
	b.failFor(t, "price:3", 1) // on trial
	b.wantPaused(t, 30*time.Second)
}
