package fold

import "testing"

func TestPolish(t *testing.T) {
	const text, want = "Zażółć Gęślą JAŹŃ, ŁĆĄ ü 7", "zazolc gesla jazn, lca ü 7"
	if got := Polish(text); got != want {
		t.Errorf("Polish(%q) = %q, want %q", text, got, want)
	}
}
