package observability

import (
	"encoding/hex"
	"testing"

	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"backend.example/deploy/test/harness"
)

// span is what the test looks at of a span.
type span struct {
	service, name     string
	trace, id, parent string
	attributes        map[string]string // those that are texts
}

// received returns the spans that a collector has got so far.
func received(t *testing.T, c *harness.Collector) (all []span) {
	t.Helper()
	for _, export := range c.Exports() {
		data := &tracev1.TracesData{} // encoded as an ExportTraceServiceRequest is
		if err := proto.Unmarshal(export, data); err != nil {
			t.Fatal(err)
		}
		for _, resource := range data.GetResourceSpans() {
			all = append(all, spansOf(resource)...)
		}
	}
	return all
}

func spansOf(resource *tracev1.ResourceSpans) (all []span) {
	service := texts(resource.GetResource().GetAttributes())["service.name"]
	for _, scope := range resource.GetScopeSpans() {
		for _, s := range scope.GetSpans() {
			all = append(all, span{
				service: service, name: s.GetName(), attributes: texts(s.GetAttributes()),
				trace: hex.EncodeToString(s.GetTraceId()), id: hex.EncodeToString(s.GetSpanId()), parent: hex.EncodeToString(s.GetParentSpanId()),
			})
		}
	}
	return all
}

func texts(attributes []*commonv1.KeyValue) map[string]string {
	values := map[string]string{}
	for _, a := range attributes {
		values[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return values
}
