package prices

// Wanted is how many products this process notes that people ask for.
func (p *Prices) Wanted() int {
	p.demand.mu.Lock()
	defer p.demand.mu.Unlock()
	return len(p.demand.wanted)
}
