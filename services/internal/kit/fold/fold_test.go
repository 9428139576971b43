package fold

import "testing"

func TestPolish(t *testing.T) {
	if got := Polish("Zażółć Gęślą JAŹŃ, ŁĆĄ ü 7"); got != "zazolc gesla jazn, lca ü 7" {
		t.Errorf("%q", got)
	}
}
