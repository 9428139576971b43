package lookup

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// put keeps a value of n bytes under key, and returns it.
func put(l *Local, key string, n int) []byte {
	value := bytes.Repeat([]byte("x"), n)
	l.Put(key, value, n)
	return value
}

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

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestLocalIsBoundedInBytes(t *testing.T) {
	const bound, size = 1 << 20, 2 << 10
	const keys = 10 * bound / size
	before := heap()
	l := NewLocal(bound)
	for i := range keys {
		put(l, keyOf(i), size)
	}
	total := l.total(keys)
	if total > bound || total < bound/2 {
		t.Errorf("%d bytes are kept, want at most %d and not less than half of it", total, bound)
	}
	if grown := int(heap()) - int(before); grown > bound*3/2 {
		t.Errorf("the heap grew by %d bytes for a bound of %d", grown, bound)
	}
	runtime.KeepAlive(l)
}

func TestLocalReplacesAnAnswer(t *testing.T) {
	const bound = 128 << 10
	l := NewLocal(bound)
	for range 100 {
		put(l, keyOf(0), bound/2)
	}
	last := put(l, keyOf(0), 10)
	if value, ok := l.Get(keyOf(0)); !ok || &value.([]byte)[0] != &last[0] {
		t.Fatalf("got %v, want the value that was put last", ok)
	}
	if total := l.total(1); total > 1000 {
		t.Fatalf("%d bytes are kept of one small answer", total)
	}
}

func TestLocalKeepsWhatIsAskedForOften(t *testing.T) {
	const bound, size = 256 << 10, 1 << 10
	l := NewLocal(bound)
	put(l, "often", size)
	for i := range 10 * bound / size {
		put(l, keyOf(i), size)
		l.Get("often")
		if i%64 == 0 {
			l.entries.CleanUp() // the recency of reads is counted in the background
		}
	}
	if _, ok := l.Get("often"); !ok {
		t.Fatal("the answer that was asked for most has gone")
	}
}

func TestLocalDoesWithoutAnAnswerAboveTheBound(t *testing.T) {
	const bound = 64 << 10
	l := NewLocal(bound)
	put(l, keyOf(0), 1<<10)
	put(l, keyOf(1), 2*bound)
	if total := l.total(2); total > bound || total == 0 {
		t.Fatalf("%d bytes are kept, want the small answer alone", total)
	}
}

func TestLocalIsSafeForManyGoroutines(t *testing.T) {
	const bound, size, keys = 256 << 10, 1 << 10, 1000
	l := NewLocal(bound)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range keys {
				put(l, keyOf(i), size)
				l.Get(keyOf(keys - i))
			}
		})
	}
	all.Wait()
	if total := l.total(keys); total > bound {
		t.Fatalf("%d bytes are kept, want at most %d", total, bound)
	}
}
