package httpapi_test

import (
	"os"
	"testing"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/storetest"
)

// checker sees every exchange of these tests. The run fails when an answer that
// the contract documents never occurs in them.
var checker = contracttest.New(contracts.Directory())

func TestMain(m *testing.M) { os.Exit(checker.Run(func() int { return databasetest.Main(m) })) }

// withService runs test on a new service with an SQLite database. What reaches the
// database in a way of its own runs on each.
func withService(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	test(t, newWorld(t, storetest.Database{Database: databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}}))
}

// onEachDatabase runs test on a new service for each kind of database.
func onEachDatabase(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db storetest.Database) { test(t, newWorld(t, db)) })
}
