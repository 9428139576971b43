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
