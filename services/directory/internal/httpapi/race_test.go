//go:build race

package httpapi_test

import (
	"os"
	"testing"

	"backend.example/services/directory/internal/database/databasetest"
)

// TestMain leaves the coverage of the contract to the tests without the race detector, which
// are all of them.
func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }
