package match

import "slices"

// cardMakers are the makers of the cards in https://github.com/docyx/pc-part-dataset and
// https://github.com/buildcores/buildcores-open-db, their brands, Afox and Manli.
var cardMakers = words("acer afox amd aorus asrock asus biostar club colorful evga gainward galax gigabyte gunnir " +
	"inno intel kfa leadtek manli matrox maxsun msi nvidia ocpc palit pny powercolor sapphire sparkle xfx yeston " +
	"zotac")

// chipWords are the words of the names of graphics chips, as
// https://www.evetech.co.za/gpu-naming-guide-nvidia-rtx-amd-radeon/e/3697 explains them.
var chipWords = words("rtx gtx gt rx arc a b d geforce radeon quadro ti super xt xtx gre")

// startsAsCard reports whether the first word of n is one with which the names of cards begin: a
// maker, a chip or the kind of goods. "Fan Gigabyte RTX 4060" is no card.
func (n name) startsAsCard() bool {
	for _, t := range n.tokens {
		if t.form == word && !t.aside {
			return cardMakers[t.text] || chipWords[t.text] || isDescriptive(t.text) || kindOf(t.text) == "gpu" ||
				hasPrefix(t.text, "now", "vga", "grafik", "promocj", "okazj", "hit")
		}
	}
	return true
}

// isChip reports whether q names a graphics chip, with or without a maker and the size of
// the memory, but no model of a card.
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
