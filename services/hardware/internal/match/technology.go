package match

import (
	"regexp"
	"slices"
)

// traits are what products of one name may differ in.
type traits struct {
	technology string // "hdd", "ssd", "ddr4"
	form       string // "2.5", "3.5", "m2", "sodimm"
}

func (a traits) differ(b traits) bool {
	return a.technology != "" && b.technology != "" && a.technology != b.technology ||
		a.form != "" && b.form != "" && a.form != b.form
}

// partNumbers are the order codes of disks and memory:
//
//   - Western Digital: the first letter behind the capacity,
//     https://ccw.freosanstudios.com/w/index.php?title=List_of_Western_Digital_model_number_codes
//   - Seagate: the letters behind the capacity, https://knowledge.seagate.com/articles/en_US/FAQ/204763en; LM is
//     2.5 inch, https://www.anandtech.com/show/10757
//   - Samsung: the digit behind the M, https://geocities.live/aliceif.x27.one-ram-id-html
//   - other makers: what is SO-DIMM in testdata/pairs/ram.txt
var partNumbers = []struct {
	code *regexp.Regexp
	traits
}{
	{regexp.MustCompile(`^wd\d{2,4}[aefkp][a-z]{3}$`), traits{"hdd", "3.5"}},
	{regexp.MustCompile(`^wd\d{2,4}[bjlmnst][a-z]{3}$`), traits{"hdd", "2.5"}},
	{regexp.MustCompile(`^st\d{3,5}(dm|dx|vn|vx|nm|ne|nt)\d+$`), traits{"hdd", "3.5"}},
	{regexp.MustCompile(`^st\d{3,5}(lm|lx|lt|nx)\d+$`), traits{"hdd", "2.5"}},
	{regexp.MustCompile(`^wds\d{3}[gt]`), traits{"ssd", ""}},
	{regexp.MustCompile(`^m4(71|25)[a-z]`), traits{"", "sodimm"}},
	{regexp.MustCompile(`^(kvr\d\dl?s|kf\d{3}s|hx\d{3}l?s)\d`), traits{"", "sodimm"}},
	{regexp.MustCompile(`^ct(\dk)?\d+g(4sf|\d\dc\d\ds5)`), traits{"", "sodimm"}},
	{regexp.MustCompile(`^cms[ox]\d`), traits{"", "sodimm"}},
	{regexp.MustCompile(`^(f[34]\d{4}c\d+[sdq]\d+grsl?|f5\d{4}s\w+)$`), traits{"", "sodimm"}},
	{regexp.MustCompile(`^(gr\d{4}s|ad[345]s)\d`), traits{"", "sodimm"}},
	{regexp.MustCompile(`^psd[345]\d+g\d+s$`), traits{"", "sodimm"}},
	{regexp.MustCompile(`^(f[345]\d{4}[cj]\d\d|cm[dhkprtw]\d+gx[345]m|kf\d{3}c\d\d|kvr\d\dn)`), traits{}},
	{regexp.MustCompile(`^(mz[0-9v]\w+[bc]|ct\d+\w+ssd\d)$`), traits{"ssd", ""}},
}

func traitsOfCode(code string) (traits, bool) {
	for _, p := range partNumbers {
		if p.code.MatchString(code) {
			return p.traits, true
		}
	}
	return traits{}, false
}

func (x text) traits() traits {
	var found traits
	for _, code := range x.codes {
		if t, ok := traitsOfCode(code); ok {
			found = t
		}
	}
	switch {
	case x.hasWord("hdd"), slices.ContainsFunc(x.tokens, func(t token) bool { return t.unit == "rpm" }):
		found.technology = "hdd"
	case x.hasWord("ssd"), x.hasWord("nvme"), x.hasWord("m2"), x.hasWord("sn"), x.hasWord("sa") && x.isCapacious():
		found.technology = "ssd"
	case slices.ContainsFunc(x.tokens, func(t token) bool { return hardDisks[t.text] }):
		found.technology = "hdd"
	}
	for _, form := range []string{"sodimm", "m2", "2.5", "3.5"} {
		if x.hasWord(form) || form == "m2" && x.hasWord("nvme") {
			found.form = form
			break
		}
	}
	// the 4000 of "ST4000VN006" is no speed
	if generation := x.memoryGeneration(); generation != "" && found.technology == "" {
		found.technology = "ddr" + generation
	}
	return found
}

func (x text) isCapacious() bool { return slices.ContainsFunc(x.tokens, isDiskSize) }

func (x text) memoryGeneration() string {
	for _, p := range x.at["ddr"] {
		if next := at(x.tokens, p+1); next.form == number && len(next.text) == 1 {
			return next.text
		}
	}
	if x.isCapacious() {
		return ""
	}
	return x.generation()
}

func isAmbiguous(fits []fit) bool {
	isEither := func(f fit) bool { return f.kind == "storage" || f.kind == "ram" }
	for i, a := range fits {
		differs := func(b fit) bool { return isEither(b) && a.differ(b.traits) }
		if isEither(a) && slices.ContainsFunc(fits[i+1:], differs) {
			return true
		}
	}
	return false
}
