package telemetry

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

func requireJSON(t *testing.T, message any, want string) {
	t.Helper()
	got, err := json.Marshal(message)
	if err != nil || string(got) != want {
		t.Errorf("error %v, got\n%s\nwant\n%s", err, got, want)
	}
}

// TestEncoding: as the example of the protocol has it.
func TestEncoding(t *testing.T) {
	at := time.Unix(1544712660, 300)
	parent := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{0x5b, 15: 1}, SpanID: trace.SpanID{0xee, 7: 2}, Remote: true})
	own := parent.WithSpanID(trace.SpanID{0xaa, 7: 3}).WithTraceFlags(trace.FlagsSampled)
	one, two := instrumentation.Scope{Name: "one", Version: "1.0", SchemaURL: "http://s"}, instrumentation.Scope{Name: "two"}
	of := resource.NewSchemaless(attribute.String("service.name", "demo"))
	requireJSON(t, encode(tracetest.SpanStubs{
		{
			Name: "GET /", SpanContext: own, Parent: parent, SpanKind: trace.SpanKindServer, StartTime: at, EndTime: at.Add(time.Second),
			Status: sdk.Status{Code: codes.Error, Description: "broken"}, InstrumentationScope: one, Resource: of,
			Attributes: []attribute.KeyValue{attribute.Int("n", 7)}, DroppedAttributes: 4, DroppedEvents: 5, DroppedLinks: 6,
			Events: []sdk.Event{{Name: "e", Time: at, DroppedAttributeCount: 1}}, Links: []sdk.Link{{SpanContext: parent}},
		},
		{Name: "other", SpanContext: own, SpanKind: trace.SpanKindInternal, Resource: of, InstrumentationScope: two, Status: sdk.Status{Code: codes.Ok}, StartTime: at, EndTime: at},
		{Name: "third", SpanContext: own, Resource: of, InstrumentationScope: one, SpanKind: trace.SpanKindClient, StartTime: at, EndTime: at},
	}.Snapshots()), `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"demo"}}]},"scopeSpans":[`+
		`{"scope":{"name":"one","version":"1.0"},"spans":[`+
		`{"traceId":"5b000000000000000000000000000001","spanId":"aa00000000000003","flags":769,"parentSpanId":"ee00000000000002",`+
		`"name":"GET /","kind":2,"startTimeUnixNano":"1544712660000000300","endTimeUnixNano":"1544712661000000300",`+
		`"events":[{"timeUnixNano":"1544712660000000300","name":"e","droppedAttributesCount":1}],"droppedEventsCount":5,`+
		`"links":[{"traceId":"5b000000000000000000000000000001","spanId":"ee00000000000002","flags":768}],"droppedLinksCount":6,`+
		`"status":{"code":2,"message":"broken"},"attributes":[{"key":"n","value":{"intValue":"7"}}],"droppedAttributesCount":4},`+
		`{"traceId":"5b000000000000000000000000000001","spanId":"aa00000000000003","flags":257,`+
		`"name":"third","kind":3,"startTimeUnixNano":"1544712660000000300","endTimeUnixNano":"1544712660000000300","status":{}}],"schemaUrl":"http://s"},`+
		`{"scope":{"name":"two"},"spans":[{"traceId":"5b000000000000000000000000000001","spanId":"aa00000000000003","flags":257,`+
		`"name":"other","kind":1,"startTimeUnixNano":"1544712660000000300","endTimeUnixNano":"1544712660000000300","status":{"code":1}}]}]}]}`)
}

func TestValues(t *testing.T) {
	for want, value := range map[string]attribute.Value{
		`{}`:                                             {},
		`{"boolValue":false}`:                            attribute.BoolValue(false),
		`{"intValue":"9223372036854775807"}`:             attribute.Int64Value(math.MaxInt64),
		`{"doubleValue":1.5}`:                            attribute.Float64Value(1.5),
		`{"doubleValue":"NaN"}`:                          attribute.Float64Value(math.NaN()),
		`{"doubleValue":"Infinity"}`:                     attribute.Float64Value(math.Inf(1)),
		`{"doubleValue":"-Infinity"}`:                    attribute.Float64Value(math.Inf(-1)),
		`{"stringValue":"a\ufffd"}`:                      attribute.StringValue("a\xff"),
		`{"bytesValue":"AAE="}`:                          attribute.ByteSliceValue([]byte{0, 1}),
		`{"arrayValue":{"values":[{"boolValue":true}]}}`: attribute.BoolSliceValue([]bool{true}),
		`{"arrayValue":{"values":[{"intValue":"1"},{"intValue":"2"}]}}`:        attribute.Int64SliceValue([]int64{1, 2}),
		`{"arrayValue":{"values":[{"doubleValue":2}]}}`:                        attribute.Float64SliceValue([]float64{2}),
		`{"arrayValue":{"values":[]}}`:                                         attribute.StringSliceValue(nil),
		`{"arrayValue":{"values":[{"stringValue":"x"},{"intValue":"1"}]}}`:     attribute.SliceValue(attribute.StringValue("x"), attribute.IntValue(1)),
		`{"kvlistValue":{"values":[{"key":"k","value":{"stringValue":"v"}}]}}`: attribute.MapValue(attribute.String("k", "v")),
	} {
		requireJSON(t, valueOf(value), want)
	}
}
