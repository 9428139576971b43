package compose

import (
	"strings"
	"testing"
)

// TestErasing: what is erased is noted outside of the database, in a volume that the
// service can write to, and a database that was restored is erased by it.
func TestErasing(t *testing.T) {
	directory := func(arguments ...string) string {
		return compose(t, append([]string{"run", "--rm", "--no-TTY", "directory"}, arguments...)...)
	}
	directory("company", "add", "Firma na chwilę", "--slug", "na-chwile")
	directory("company", "delete", "na-chwile", "--yes")
	if list := directory("company", "list"); strings.Contains(list, "na-chwile") {
		t.Errorf("not deleted:\n%s", list)
	}
	directory("erase", "replay") // in another container
}
