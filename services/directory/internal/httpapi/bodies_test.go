package httpapi

import (
	"fmt"
	"testing"
)

// TestBodiesAreBounded: those that are asked for stay, and the bytes have a limit.
func TestBodiesAreBounded(t *testing.T) {
	var b bodies
	body := make([]byte, 64<<10)
	b.put("asked for", body)
	for i := range 4 * maxBodies / len(body) {
		b.put(fmt.Sprint(i), body)
		if _, ok := b.get("asked for"); !ok {
			t.Fatalf("let go of after %d others", i)
		}
		kept := 0
		for _, half := range []map[string][]byte{b.recent, b.older} {
			for key, body := range half {
				kept += len(key) + len(body)
			}
		}
		if kept > maxBodies {
			t.Fatalf("%d bytes kept, at most %d", kept, maxBodies)
		}
	}
	if _, ok := b.get("0"); ok {
		t.Error("what nobody asks for is kept")
	}
}
