package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
)

// The contracts, read once they are needed.
var (
	hardwareContract  = sync.OnceValue(func() *contracttest.Checker { return contracttest.New(contracts.Hardware()) })
	directoryContract = sync.OnceValue(func() *contracttest.Checker { return contracttest.New(contracts.Directory()) })
)

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Get asks the hardware service at base, and holds its answer to the contract.
func Get(t *testing.T, base, path string) Answer {
	t.Helper()
	return ask(t, Client(), hardwareContract(), http.MethodGet, base+path, nil)
}

// ask sends body, which may be nil, as JSON, and holds the answer to the contract.
func ask(t *testing.T, by *http.Client, contract *contracttest.Checker, method, url string, body any) Answer {
	t.Helper()
	a, err := exchange(t.Context(), by, method, url, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	contract.Check(t, a)
	return Answer{Status: a.Status, Header: a.Header, Body: a.Body}
}

// Send sends body, which may be nil, as JSON; the answer may be any. An error means
// that there was none within a minute.
func Send(ctx context.Context, by *http.Client, method, url string, body any) (Answer, error) {
	a, err := exchange(ctx, by, method, url, body)
	return Answer{Status: a.Status, Header: a.Header, Body: a.Body}, err
}

func exchange(ctx context.Context, by *http.Client, method, url string, body any) (none contracttest.Exchange, err error) {
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

// Client returns the one that all callers share; it keeps enough connections for
// the tests with many of them. Like a browser it takes names below localhost for
// this machine (RFC 6761, section 6.3): the sandbox of a composition has such names.
var Client = sync.OnceValue(func() *http.Client {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(addr); err == nil && strings.HasSuffix(host, ".localhost") {
			addr = net.JoinHostPort("127.0.0.1", port)
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, DialContext: dial}}
})

// Decode reads a JSON body.
func Decode[T any](t *testing.T, a Answer) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("answer %d is not JSON: %v\n%.200s", a.Status, err, a.Body)
	}
	return v
}
