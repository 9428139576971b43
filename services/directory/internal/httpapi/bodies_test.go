package httpapi

import (
	"fmt"
	"testing"
)

// TestBodiesAreBounded: what is kept has a limit in bytes, not in number.
func TestBodiesAreBounded(t *testing.T) {
	b, body := newBodies(), make([]byte, 64<<10)
	for i := range 4 * maxBodies / len(body) {
		b.Set(fmt.Sprint(i), body)
	}
	b.CleanUp()
	kept := b.EstimatedSize()
	if kept == 0 || kept*len(body) > maxBodies {
		t.Errorf("%d bodies of %d bytes are kept, at most %d bytes", kept, len(body), maxBodies)
	}
}
