package match

import "backend.example/services/hardware/internal/catalog"

// NamesModel reports whether query names a model or a code rather than a graphics chip that
// many cards have, so that a single row that matches is the product.
func NamesModel(query catalog.Query) bool {
	q := readQuestion(query)
	return q.identified && !q.isChip()
}
