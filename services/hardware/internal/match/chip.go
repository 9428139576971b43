package match

import (
	"slices"

	"backend.example/services/hardware/internal/catalog"
)

// startsAsCard reports whether n begins as cards do, unlike "Fan Gigabyte RTX 4060".
func (n name) startsAsCard() bool {
	for _, t := range n.tokens {
		if t.form == word && !t.aside {
			return cardMakers[t.text] || chipWords[t.text] || isDescriptive(t.text) || kindOf(t.text) == "gpu" ||
				hasPrefix(t.text, "now", "vga", "grafik", "promocj", "okazj", "hit")
		}
	}
	return true
}

// isChip reports whether q names a graphics chip, with or without a maker or memory, but no model of a card.
func (q question) isChip() bool {
	return q.kind == "gpu" && q.identified && !slices.ContainsFunc(q.tokens, func(t token) bool {
		switch t.form {
		case number:
			return false
		case word:
			return !chipWords[t.text] && !cardMakers[t.text] && !isDescriptive(t.text) && kindOf(t.text) != "gpu"
		}
		return t.unit != capacity
	})
}

// NamesModel reports whether query names a model or a code, not a graphics chip that many cards have.
func NamesModel(query catalog.Query) bool {
	q := readQuestion(query)
	return q.identified && !q.isChip()
}
