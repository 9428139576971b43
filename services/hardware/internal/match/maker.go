package match

// isMemoryMaker reports a maker of memory and disks that makes nothing else sold by
// such amounts.
func isMemoryMaker(s string) bool {
	switch s {
	case "adata", "apacer", "corsair", "crucial", "goodram", "hat", "kingston", "kioxia", "lexar", "patriot", "pny",
		"sandisk", "seagate", "skill", "gskill", "silicon", "toshiba", "transcend", "wd":
		return true
	}
	return false
}

// isPowerMaker reports a maker, or a series, of power supplies.
func isPowerMaker(s string) bool {
	switch s {
	case "quiet", "bequiet", "chieftec", "corsair", "endorfy", "msi", "asus", "reactor", "seasonic", "thermaltake",
		"toughpower":
		return true
	}
	return false
}
