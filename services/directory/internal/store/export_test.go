package store

// ExportSection is the section that a table is in.
func ExportSection(table string) string {
	for _, e := range exportSections {
		if e.table == table {
			return e.section
		}
	}
	return ""
}
