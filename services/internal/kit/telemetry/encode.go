package telemetry

import (
	"math"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The messages of OTLP as JSON: identifiers in hexadecimal digits, 64-bit integers
// as texts, enumerations as numbers.
//
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
type (
	exportRequest struct {
		ResourceSpans [1]resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   described    `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
		SchemaURL  string       `json:"schemaUrl,omitempty"`
	}
	scopeSpans struct {
		Scope     scope  `json:"scope"`
		Spans     []span `json:"spans"`
		SchemaURL string `json:"schemaUrl,omitempty"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
		described
	}
	span struct {
		identified
		ParentSpanID  string  `json:"parentSpanId,omitempty"`
		Name          string  `json:"name"`
		Kind          int     `json:"kind"`
		Start         int64   `json:"startTimeUnixNano,string"`
		End           int64   `json:"endTimeUnixNano,string"`
		Events        []event `json:"events,omitempty"`
		DroppedEvents int     `json:"droppedEventsCount,omitempty"`
		Links         []link  `json:"links,omitempty"`
		DroppedLinks  int     `json:"droppedLinksCount,omitempty"`
		Status        status  `json:"status"`
		described
	}
	event struct {
		Time int64  `json:"timeUnixNano,string"`
		Name string `json:"name"`
		described
	}
	link struct {
		identified
		described
	}
	identified struct {
		TraceID    string `json:"traceId"`
		SpanID     string `json:"spanId"`
		TraceState string `json:"traceState,omitempty"`
		Flags      uint32 `json:"flags,omitempty"`
	}
	status struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
	described struct {
		Attributes []keyValue `json:"attributes,omitempty"`
		Dropped    int        `json:"droppedAttributesCount,omitempty"`
	}
	keyValue struct {
		Key   string   `json:"key"`
		Value anyValue `json:"value"`
	}
	anyValue map[string]any // one entry at most, named by the type of its value
)

// encode makes the message of spans, of which there is at least one. All are of one
// provider, and so of one resource.
func encode(spans []sdk.ReadOnlySpan) exportRequest {
	source := spans[0].Resource()
	all := resourceSpans{Resource: describe(source.Attributes(), 0), SchemaURL: source.SchemaURL()}
	places := map[instrumentation.Scope]int{}
	for _, s := range spans {
		of := s.InstrumentationScope()
		place, known := places[of]
		if !known {
			place = len(all.ScopeSpans)
			places[of] = place
			all.ScopeSpans = append(all.ScopeSpans, scopeSpans{
				Scope: scope{of.Name, of.Version, describe(of.Attributes.ToSlice(), 0)}, SchemaURL: of.SchemaURL,
			})
		}
		all.ScopeSpans[place].Spans = append(all.ScopeSpans[place].Spans, spanOf(s))
	}
	return exportRequest{[1]resourceSpans{all}}
}

func spanOf(s sdk.ReadOnlySpan) span {
	one := span{
		identified: identify(s.SpanContext(), s.Parent().IsRemote()),
		Name:       s.Name(), Kind: int(s.SpanKind()), // numbered as in OTLP
		Start: s.StartTime().UnixNano(), End: s.EndTime().UnixNano(),
		DroppedEvents: s.DroppedEvents(), DroppedLinks: s.DroppedLinks(),
		Status:    statusOf(s.Status()),
		described: describe(s.Attributes(), s.DroppedAttributes()),
	}
	if parent := s.Parent().SpanID(); parent.IsValid() {
		one.ParentSpanID = parent.String()
	}
	for _, e := range s.Events() {
		one.Events = append(one.Events, event{e.Time.UnixNano(), e.Name, describe(e.Attributes, e.DroppedAttributeCount)})
	}
	for _, l := range s.Links() {
		one.Links = append(one.Links, link{identify(l.SpanContext, l.SpanContext.IsRemote()), describe(l.Attributes, l.DroppedAttributeCount)})
	}
	return one
}

// Bits above the flags of W3C (SpanFlags of the protocol).
const (
	knowsRemote = 0x100
	isRemote    = 0x200
)

func identify(c trace.SpanContext, remote bool) identified {
	flags := uint32(c.TraceFlags()) | knowsRemote
	if remote {
		flags |= isRemote
	}
	return identified{c.TraceID().String(), c.SpanID().String(), c.TraceState().String(), flags}
}

// statusOf numbers the codes as OTLP does: 1 is ok, 2 an error.
func statusOf(s sdk.Status) status {
	switch s.Code {
	case codes.Ok:
		return status{1, ""}
	case codes.Error:
		return status{2, s.Description}
	}
	return status{}
}

func describe(attributes []attribute.KeyValue, dropped int) described {
	return described{keyValues(attributes), dropped}
}

func keyValues(attributes []attribute.KeyValue) (all []keyValue) {
	for _, a := range attributes {
		all = append(all, keyValue{string(a.Key), valueOf(a.Value)})
	}
	return all
}

func valueOf(v attribute.Value) anyValue {
	switch v.Type() {
	case attribute.EMPTY:
		return anyValue{}
	case attribute.BOOL:
		return anyValue{"boolValue": v.AsBool()}
	case attribute.INT64:
		return anyValue{"intValue": strconv.FormatInt(v.AsInt64(), 10)}
	case attribute.FLOAT64:
		return anyValue{"doubleValue": double(v.AsFloat64())}
	case attribute.BYTESLICE:
		return anyValue{"bytesValue": v.AsByteSlice()} // Base64
	case attribute.BOOLSLICE:
		return arrayOf(v.AsBoolSlice(), attribute.BoolValue)
	case attribute.INT64SLICE:
		return arrayOf(v.AsInt64Slice(), attribute.Int64Value)
	case attribute.FLOAT64SLICE:
		return arrayOf(v.AsFloat64Slice(), attribute.Float64Value)
	case attribute.STRINGSLICE:
		return arrayOf(v.AsStringSlice(), attribute.StringValue)
	case attribute.SLICE:
		return arrayOf(v.AsSlice(), func(v attribute.Value) attribute.Value { return v })
	case attribute.MAP:
		return anyValue{"kvlistValue": map[string][]keyValue{"values": keyValues(v.AsMap())}}
	}
	return anyValue{"stringValue": v.String()}
}

func arrayOf[T any](list []T, value func(T) attribute.Value) anyValue {
	values := make([]anyValue, len(list))
	for i, v := range list {
		values[i] = valueOf(value(v))
	}
	return anyValue{"arrayValue": map[string][]anyValue{"values": values}}
}

// double writes what JSON has no number for as the text that Protocol Buffers have.
func double(f float64) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return f
}
