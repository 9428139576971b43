package lookup

import (
	"bytes"
	"fmt"
	"testing"
)

// put keeps a value of n bytes under key.
func put(l *Local, key string, n int) { l.Put(key, bytes.Repeat([]byte("x"), n), n) }

// total is what the kept values of all keys take together.
func (l *Local) total(keys int) (bytes int) {
	l.entries.CleanUp() // eviction runs in the background
	for i := range keys {
		if value, ok := l.Get(keyOf(i)); ok {
			bytes += len(keyOf(i)) + len(value.([]byte))
		}
	}
	return bytes
}

func keyOf(i int) string { return fmt.Sprintf("price:example:gpu:query number %d", i) }

func TestLocalIsBoundedInBytes(t *testing.T) {
	const bound = 1 << 20
	for _, size := range []int{10, 2 << 10} { // the keys of small values count most
		l, keys := NewLocal(bound), 10*bound/(size+len(keyOf(0)))
		for i := range keys {
			put(l, keyOf(i), size)
		}
		if total := l.total(keys); total > bound || total < bound/2 {
			t.Errorf("values of %d bytes: %d bytes are kept, want at most %d and not less than half of it", size, total, bound)
		}
	}
}

func TestLocalReplacesAnAnswer(t *testing.T) {
	const bound = 128 << 10
	l := NewLocal(bound)
	for range 100 {
		put(l, keyOf(0), bound/2)
	}
	put(l, keyOf(0), 10)
	if total, want := l.total(1), len(keyOf(0))+10; total != want {
		t.Fatalf("%d bytes are kept of one small answer, want %d", total, want)
	}
}
