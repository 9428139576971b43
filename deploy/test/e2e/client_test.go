package e2e

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"

	"backend.example/deploy/test/harness"
)

// TestClientCoversEveryOperation runs the tests of the TypeScript client against a backend.
// Every exchange is checked against the contracts, and every operation has to succeed.
func TestClientCoversEveryOperation(t *testing.T) {
	s := own(t, harness.Options{Directories: 1})
	node := exec.CommandContext(t.Context(), harness.Installed(t, "node"), "--test", "test/operations.test.js")
	node.Dir = harness.Path(t, "proto-free-contracts", "typescript")
	node.Env = append(os.Environ(), "CLIENT_SECRET="+harness.ClientSecret)
	checkers := map[string]*contracttest.Checker{
		"DIRECTORY_URL": contracttest.New(contracts.Directory()), "HARDWARE_URL": contracttest.New(contracts.Hardware()),
	}
	for name, checker := range checkers {
		node.Env = append(node.Env, name+"="+checked(t, s.Gateway, checker))
	}
	if out, err := node.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, checker := range checkers {
		for _, answer := range checker.Missing() {
			if strings.HasSuffix(answer, " 200") || strings.HasSuffix(answer, " 302") {
				t.Errorf("the client did not receive %s", answer)
			}
		}
	}
}

// checked returns the address of a proxy that checks every exchange against a contract.
func checked(t *testing.T, backend string, contract *contracttest.Checker) string {
	t.Helper()
	target, err := url.Parse(backend)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Del("Accept-Encoding") // the checker reads bodies, so the proxy unpacks them
	}}
	server := httptest.NewServer(contract.Wrap(t, proxy))
	t.Cleanup(server.Close)
	return server.URL
}
