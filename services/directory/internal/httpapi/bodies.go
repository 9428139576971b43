package httpapi

import "sync"

// maxBodies is how many bytes of keys and bodies are kept at most.
const maxBodies = 8 << 20

// bodies keeps encoded bodies that may be asked for again. When one half of the bytes
// is used up, those that nobody has asked for since the other half was are let go of.
// It is safe for concurrent use.
type bodies struct {
	mu            sync.Mutex
	recent, older map[string][]byte
	size          int // of recent
}

func (b *bodies) get(key string) ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, ok := b.recent[key]
	if !ok {
		if body, ok = b.older[key]; ok {
			b.add(key, body)
		}
	}
	return body, ok
}

func (b *bodies) put(key string, body []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.recent[key]; !ok { // another request may have been as quick
		b.add(key, body)
	}
}

func (b *bodies) add(key string, body []byte) {
	size := len(key) + len(body)
	if b.recent == nil || b.size+size > maxBodies/2 {
		b.recent, b.older, b.size = map[string][]byte{}, b.recent, 0
	}
	b.recent[key] = body
	b.size += size
}
