// Package contracttest holds handler tests to an OpenAPI document of this
// module: every exchange is checked, every documented answer must occur, and the
// registered routes must be the documented ones.
//
// One checker serves all tests of a package:
//
//	var checker = contracttest.New(contracts.Hardware())
//
//	func TestMain(m *testing.M) { os.Exit(checker.Run(m)) }
//
//	func TestPrices(t *testing.T) {
//		server := httptest.NewServer(checker.Wrap(t, handler))
//		...
//	}
//
// Probes makes thousands of requests up from the document, good ones and bad ones,
// and Hammer sends them:
//
//	sound, others := checker.Hammer(t, handler, checker.Probes(1, 500, nil))
//
// The package owns the comparison of HTTP exchanges with a document. What a
// document must look like is tested beside the documents; what the values of an
// answer mean is the business of the services' own tests.
package contracttest
