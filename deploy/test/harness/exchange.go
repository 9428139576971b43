package harness

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

// Answer is what came back, with the request.
type Answer = contracttest.Exchange

// Get asks the hardware service at base, and holds its answer to the contract.
func Get(t *testing.T, base, path string) Answer {
	t.Helper()
	return ask(t, Client(), hardwareContract(), http.MethodGet, base+path, nil)
}

// Post sends body as JSON to the hardware service at base.
func Post(t *testing.T, base, path string, body any) Answer {
	t.Helper()
	return ask(t, Client(), hardwareContract(), http.MethodPost, base+path, body)
}

// ask sends body, which may be nil, as JSON, and holds the answer to the contract.
func ask(t *testing.T, by *http.Client, contract *contracttest.Checker, method, url string, body any) Answer {
	t.Helper()
	a, err := Send(t.Context(), by, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	contract.Check(t, a)
	return a
}

// Send sends body, which may be nil, as JSON; the answer may be any. An error means
// that there was none within a minute.
func Send(ctx context.Context, by *http.Client, method, url string, body any) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return Answer{}, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(sent))
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	a, err := Do(by, request)
	a.RequestBody = sent
	return a, err
}

// Do sends a request and reads the whole answer.
func Do(by *http.Client, request *http.Request) (Answer, error) {
	response, err := by.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Answer{Request: request, Status: response.StatusCode, Header: response.Header, Body: body}, err
}

// Text asks for url, which has to answer 200.
func Text(t *testing.T, url string) string {
	t.Helper()
	a, err := Send(t.Context(), Client(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(OK(t, a).Body)
}

// OK fails the test unless the answer is 200.
func OK(t *testing.T, a Answer) Answer {
	t.Helper()
	if a.Status != http.StatusOK {
		t.Fatalf("%s %s: %d %.300s", a.Request.Method, a.Request.URL, a.Status, a.Body)
	}
	return a
}

// Decode reads a JSON body.
func Decode[T any](t *testing.T, a Answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("answer %d is not JSON: %v\n%.200s", a.Status, err, a.Body)
	}
	return v
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
