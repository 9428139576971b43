package httpapi_test

import (
	"os"
	"testing"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
	"backend.example/services/directory/internal/store/storetest"
)

// checker sees every exchange of these tests. The run fails when an answer that
// the contract documents never occurs in them.
var checker = contracttest.New(contracts.Directory())

func TestMain(m *testing.M) { os.Exit(checker.Run(func() int { return storetest.Main(m) })) }

// each runs test on a new world for each database.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db storetest.Database) { test(t, newWorld(t, db)) })
}
