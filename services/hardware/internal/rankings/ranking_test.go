package rankings_test

import (
	"strings"
	"testing"

	"backend.example/services/hardware/internal/rankings"
)

func TestSizeGrowsWithTheRows(t *testing.T) {
	text := strings.Repeat("x", 1000)
	row := rankings.Row{PartNumber: text, Brand: text, Model: text, URL: text}
	if got := (rankings.Ranking{Rows: []rankings.Row{row, {}, {}, {}}}).Size(); got < 4000+4*100 || got > 5000 {
		t.Errorf("4000 bytes of text in 4 rows count %d", got)
	}
}

func TestNameHoldsTheBrandOnce(t *testing.T) {
	for want, row := range map[string]rankings.Row{
		"Nvidia RTX 5090":       {Brand: "Nvidia", Model: "RTX 5090"},
		"MSI RTX 5070 Ti":       {Brand: "MSI", Model: "MSI RTX 5070 Ti"},
		"NVidia Titan RTX 24GB": {Brand: "Nvidia", Model: "NVidia Titan RTX 24GB"},
		"Intel Intelligent SSD": {Brand: "Intel", Model: "Intelligent SSD"},
		"Exos X18 18TB":         {Model: "Exos X18 18TB"},
		"WD":                    {Brand: "WD", Model: "WD"},
		"Samsung":               {Brand: "Samsung"},
		"Żółw Żó\xc5":           {Brand: "Żółw", Model: "Żó\xc5"},
		"":                      {},
	} {
		if got := row.Name(); got != want {
			t.Errorf("%+v is %q, want %q", row, got, want)
		}
	}
}
