package cache

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

// sized is a price answer of about n bytes, as it comes from Redis.
func sized(t testing.TB, n int) *hardware.Answer {
	t.Helper()
	a, err := decodeAnswer(encoded(t, hardware.Outcome{Answer: &hardware.Answer{
		Payload: bytes.Repeat([]byte("x"), n), Digest: "0123456789abcdef", FetchedAt: noon, ExpiresAt: noon.Add(time.Hour), Shareable: true,
	}}))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// total is what the kept answers of all keys take together.
func (l *Local) total(keys int) (bytes int) {
	l.answers.CleanUp() // eviction runs in the background
	for i := range keys {
		if a, ok := l.Get(keyOf(i)); ok {
			bytes += len(keyOf(i)) + a.Size()
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
		l.Put(keyOf(i), sized(t, size))
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
		l.Put(keyOf(0), sized(t, bound/2))
	}
	last := sized(t, 10)
	l.Put(keyOf(0), last)
	if a, ok := l.Get(keyOf(0)); !ok || a != last {
		t.Fatalf("got %v, want the answer that was put last", ok)
	}
	if total := l.total(1); total > 1000 {
		t.Fatalf("%d bytes are kept of one small answer", total)
	}
}

func TestLocalKeepsWhatIsAskedForOften(t *testing.T) {
	const bound, size = 256 << 10, 1 << 10
	l := NewLocal(bound)
	l.Put("often", sized(t, size))
	for i := range 10 * bound / size {
		l.Put(keyOf(i), sized(t, size))
		l.Get("often")
		if i%64 == 0 {
			l.answers.CleanUp() // the recency of reads is counted in the background
		}
	}
	if _, ok := l.Get("often"); !ok {
		t.Fatal("the answer that was asked for most has gone")
	}
}

func TestLocalDoesWithoutAnAnswerAboveTheBound(t *testing.T) {
	const bound = 64 << 10
	l := NewLocal(bound)
	l.Put(keyOf(0), sized(t, 1<<10))
	l.Put(keyOf(1), sized(t, 2*bound))
	if total := l.total(2); total > bound || total == 0 {
		t.Fatalf("%d bytes are kept, want the small answer alone", total)
	}
}

func TestLocalIsSafeForManyGoroutines(t *testing.T) {
	const bound, size, keys = 256 << 10, 1 << 10, 1000
	l := NewLocal(bound)
	a := sized(t, size)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range keys {
				l.Put(keyOf(i), a)
				l.Get(keyOf(keys - i))
			}
		})
	}
	all.Wait()
	if total := l.total(keys); total > bound {
		t.Fatalf("%d bytes are kept, want at most %d", total, bound)
	}
}
