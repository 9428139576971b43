package observability

import (
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// span is what the test looks at of a span.
type span struct {
	service, name     string
	trace, id, parent string
	attributes        map[string]string // those that are texts
}

// collector takes spans as an OpenTelemetry collector does (OTLP over HTTP).
type collector struct {
	url   string
	mu    sync.Mutex
	spans []span
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Errorf("spans from %s: %v", r.UserAgent(), err)
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *collector) take(r *http.Request) error {
	var in io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		in = unpacked
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if kind := r.Header.Get("Content-Type"); kind != "application/x-protobuf" {
		return errors.New("unknown type " + kind)
	}
	data := &tracev1.TracesData{} // encoded as an ExportTraceServiceRequest is
	if err := proto.Unmarshal(content, data); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range data.GetResourceSpans() {
		c.spans = append(c.spans, spansOf(resource)...)
	}
	return nil
}

func spansOf(resource *tracev1.ResourceSpans) (all []span) {
	service := ""
	for _, a := range resource.GetResource().GetAttributes() {
		if a.GetKey() == "service.name" {
			service = a.GetValue().GetStringValue()
		}
	}
	for _, scope := range resource.GetScopeSpans() {
		for _, s := range scope.GetSpans() {
			one := span{
				service: service, name: s.GetName(), attributes: map[string]string{},
				trace: hex.EncodeToString(s.GetTraceId()), id: hex.EncodeToString(s.GetSpanId()), parent: hex.EncodeToString(s.GetParentSpanId()),
			}
			for _, a := range s.GetAttributes() {
				one.attributes[a.GetKey()] = a.GetValue().GetStringValue()
			}
			all = append(all, one)
		}
	}
	return all
}

// received returns what has come so far.
func (c *collector) received() []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}
