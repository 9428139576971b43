package contracts_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"
)

// TestClientIsOfTheseContracts needs no Node, as make check-client does, which generates
// the client and compares all of it.
func TestClientIsOfTheseContracts(t *testing.T) {
	sums, err := os.ReadFile("typescript/contracts.sha256")
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for _, name := range []string{"directory", "hardware"} {
		want += fmt.Sprintf("%x  ./%s.openapi.yaml\n", sha256.Sum256(documents()[name]), name)
	}
	if string(sums) != want {
		t.Error("the TypeScript client was generated from other contracts: run make client")
	}
}
