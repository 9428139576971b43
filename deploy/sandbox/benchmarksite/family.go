package benchmarksite

// family is one download: all parts of one type.
type family struct {
	name  string // upper case, the Type of every row
	title string // Polish, for the page
	parts func() []part
	dirt  []smudge
}

func families() []family {
	return []family{
		{name: "CPU", title: "procesory", parts: processors, dirt: []smudge{padded(7), trailingNoBreakSpace(3)}},
		{name: "GPU", title: "karty graficzne", parts: graphicsCards, dirt: []smudge{padded(5, 18, 44, 83), marked(2, 9, 31), doubled(27, 90, 210)}},
		{name: "SSD", title: "dyski SSD", parts: solidStateDrives, dirt: []smudge{padded(12, 60), withoutBrand(5)}},
		{name: "HDD", title: "dyski talerzowe", parts: hardDrives, dirt: []smudge{padded(30), withoutBrand(4), squared(51)}},
		{name: "RAM", title: "pamięci RAM", parts: memoryKits, dirt: []smudge{doubled(40)}},
		{name: "USB", title: "pamięci USB", parts: flashDrives, dirt: []smudge{withoutBrand(6), withoutModel(4), withoutSlug(9)}},
	}
}

func (f family) path() string {
	return "/resources/download/csv/" + f.name + "_UserBenchmarks.csv"
}

// rows makes the table: ranked parts with their variants, then the dirt.
func (f family) rows() []row {
	rows := rank(f.name, f.parts())
	for _, smudge := range f.dirt {
		rows = smudge(rows)
	}
	return rows
}
