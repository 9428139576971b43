package harness

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Collector takes traces in the place of an OpenTelemetry collector (OTLP over HTTP,
// in Protocol Buffers).
type Collector struct {
	URL     string
	mu      sync.Mutex
	exports [][]byte
}

// NewCollector runs one until the test ends.
func NewCollector(t *testing.T) *Collector {
	t.Helper()
	c := &Collector{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		export, err := unpacked(r)
		if kind := r.Header.Get("Content-Type"); kind != "application/x-protobuf" {
			err = errors.Join(err, errors.New("unknown type "+kind))
		}
		if err != nil {
			t.Errorf("traces from %s: %v", r.UserAgent(), err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.exports = append(c.exports, export)
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func unpacked(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(r.Body)
	}
	reader, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// Exports returns what has come so far. Texts stand in it as they are.
func (c *Collector) Exports() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.exports)
}

// Contains reports whether all the texts have come.
func (c *Collector) Contains(texts ...string) bool {
	all := bytes.Join(c.Exports(), nil)
	return !slices.ContainsFunc(texts, func(text string) bool { return !bytes.Contains(all, []byte(text)) })
}
