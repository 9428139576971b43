package observability

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"backend.example/deploy/stack"
)

// read returns a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(stack.Root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// body asks for url, which must answer 200.
func body(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url) // #nosec G107 -- an address of this test's own programs
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", response.StatusCode)
	}
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return string(content)
}
