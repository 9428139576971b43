package products

import "strconv"

// Shop sells products. Its ratings are invented.
type Shop struct {
	ID       int
	Domain   string
	Label    string
	Rating   string // "4,7"
	Opinions int
}

// shops returns well-known Polish shops and invented ones, which carry a reserved
// domain (RFC 2606).
func shops() []Shop {
	var list []Shop
	for place, line := range read("shops.csv") {
		list = append(list, Shop{
			ID: 300 + 37*place, Domain: line[0], Label: line[1],
			Rating: "4," + strconv.Itoa(2+5*place%8), Opinions: 1 + 1571*place%4000,
		})
	}
	return list
}
