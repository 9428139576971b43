package polish_test

import (
	"testing"

	"backend.example/deploy/sandbox/internal/polish"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"Zażółć GĘŚLĄ jaźń": "zazolc gesla jazn", "RTX 4070": "rtx 4070", "": "", "Grün ŁÓDŹ!": "grün lodz!",
	} {
		if got := polish.Plain(text); got != want {
			t.Errorf("Plain(%q) = %q, want %q", text, got, want)
		}
	}
}
