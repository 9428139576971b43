// Package contracttest compares handler tests with an OpenAPI document of this
// module: every exchange is checked, every documented answer must occur, and the
// registered routes must be the documented ones.
//
// One checker serves all tests of a package:
//
//	var checker = contracttest.New(contracts.Hardware())
//
//	func TestMain(m *testing.M) { os.Exit(checker.Run(m.Run)) }
//
//	func TestPrices(t *testing.T) {
//		server := httptest.NewServer(checker.Wrap(t, handler))
//		...
//	}
//
// RandomRequests makes thousands of valid and invalid requests from the document,
// and SendAll sends them:
//
//	valid, invalid := checker.SendAll(t, handler, checker.RandomRequests(1, 500, nil))
//
// The rules for a document are tested beside the documents. What the values of an
// answer mean is tested by the services.
package contracttest
