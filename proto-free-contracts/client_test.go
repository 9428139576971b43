package contracts_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"
)

// make check-client compares all generated files, but needs Node.
func TestGeneratedFilesMatchContracts(t *testing.T) {
	sums, err := os.ReadFile("typescript/contracts.sha256")
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for _, name := range []string{"directory", "hardware"} {
		want += fmt.Sprintf("%x  ./%s.openapi.yaml\n", sha256.Sum256(documents()[name]), name)
	}
	if string(sums) != want {
		t.Error("the TypeScript client and the reference are outdated: run make client")
	}
}
