package match

import (
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

func TestBarCodesHaveACheckDigit(t *testing.T) {
	for text, want := range map[string]bool{
		"0740617331691": true, "740617331691": true, "4006381333931": true, "96385074": true, "10012345678902": true,
		"4006381333932": false, "740617331692": false, "96385075": false,
		"920009553": false, "RTX 4070": false, "": false, "40063813339 31": false,
	} {
		if got := IsBarCode(catalog.Query{Text: text}); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
