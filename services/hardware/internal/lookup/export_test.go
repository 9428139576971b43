package lookup

// Waiting is how many keys this process waits for another replica to settle.
func (l *Layers[V]) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}
