package hardware

// Row is one line of a family's ranking. Several rows may share a rank: they
// are variants of one model with one benchmark figure.
type Row struct {
	Type       string  `json:"type"` // family in upper case
	PartNumber string  `json:"partNumber"`
	Brand      string  `json:"brand"`
	Model      string  `json:"model"`
	Rank       int     `json:"rank"`      // 1 is the fastest
	Benchmark  float64 `json:"benchmark"` // percent of the source's reference part
	Samples    int     `json:"samples"`   // user measurements behind the figure
	URL        string  `json:"url"`
}
