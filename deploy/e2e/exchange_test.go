package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
)

// The contracts check every exchange that the suite makes.
var (
	hardwareContract  = contracttest.New(contracts.Hardware())
	directoryContract = contracttest.New(contracts.Directory())
)

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// get asks the hardware service at base.
func get(t *testing.T, base, path string) answer {
	t.Helper()
	return ask(t, client, hardwareContract, http.MethodGet, base+path, nil)
}

// ask sends body, which may be nil, as JSON, and holds the answer to the contract.
func ask(t *testing.T, by *http.Client, contract *contracttest.Checker, method, url string, body any) answer {
	t.Helper()
	a, err := send(t.Context(), by, method, url, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	contract.Check(t, a)
	return answer{status: a.Status, header: a.Header, body: a.Body}
}

func send(ctx context.Context, by *http.Client, method, url string, body any) (none contracttest.Exchange, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var sent []byte
	if body != nil {
		if sent, err = json.Marshal(body); err != nil {
			return none, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(sent))
	if err != nil {
		return none, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := by.Do(request)
	if err != nil {
		return none, err
	}
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	return contracttest.Exchange{
		Request: request, RequestBody: sent, Status: response.StatusCode, Header: response.Header, Body: received,
	}, err
}

// client keeps enough connections for the tests with many callers.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}

// decode reads a JSON body.
func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("answer %d is not JSON: %v\n%.200s", a.status, err, a.body)
	}
	return v
}

// dials reports whether something listens on addr.
func dials(addr string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}
}
