package prove

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"backend.example/deploy/stack"
)

// collector keeps what it is sent in the place of an OpenTelemetry collector. Texts
// stand in Protocol Buffers as they are.
type collector struct {
	url  string
	mu   sync.Mutex
	sent bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			body = must(gzip.NewReader(r.Body))
		}
		content, err := io.ReadAll(body)
		if err != nil {
			t.Errorf("traces: %v", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sent.Write(content)
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// whole waits until spans of every program have come, the callback's and a failed
// call's to the provider among them, and returns all.
func (c *collector) whole(t *testing.T) (all []byte) {
	t.Helper()
	stack.Eventually(t, "all programs send traces", func(context.Context) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		all = bytes.Clone(c.sent.Bytes())
		for _, part := range []string{"gateway", "directory", "hardware", "/api/oauth/callback/", "POST /api/bizprofile/audit", "GET /kreator", "postgresql", "redis"} {
			if !bytes.Contains(all, []byte(part)) {
				return false
			}
		}
		return true
	})
	return all
}
