// Package faketest compares what the fakes serve with copies that are kept in testdata.
package faketest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "keep what the fakes of this package serve in testdata")

// Kept fails with the first line in which got differs from testdata/name. With -update
// it writes that file instead.
func Kept(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file) // #nosec G304 -- a test names a file of its own
	if err != nil {
		t.Fatal(err)
	}
	if got == string(kept) {
		return
	}
	want := strings.Split(string(kept), "\n")
	for n, line := range strings.Split(got, "\n") {
		if n == len(want) || line != want[n] {
			t.Fatalf("%s:%d: got\n%s\n(if this is what it should be: go test . -update)", file, n+1, line)
		}
	}
	t.Fatalf("%s has %d more lines", file, len(want)-strings.Count(got, "\n")-1)
}
