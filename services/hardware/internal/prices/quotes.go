package prices

import "backend.example/services/hardware/internal/catalog"

// Step names the step that the look-up of q has come to, by which its place in line is
// asked for.
func (p *Prices) Step(q catalog.Query) string {
	key, _ := p.progress(q)
	return key
}

// progress is the name of the step that the look-up of q has come to, and what the one
// before it told. The price that a search told is given out for as long as offers are.
func (p *Prices) progress(q catalog.Query) (key string, told *Price) {
	m, ok := p.Matches.Kept(p.Key(q))
	if !ok || m.Value.Number == "" {
		return p.Key(q), nil
	}
	if m.Value.ProductName == "" {
		return m.Value.Key, nil
	}
	price := m.Value.Price
	if p.Now().Sub(m.FetchedAt) >= p.TTL {
		price.PriceLow, price.OfferCount = 0, 0
	}
	return m.Value.Key, &price
}
