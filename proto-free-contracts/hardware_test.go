package contracts_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	contracts "backend.example/proto-free-contracts"
)

func hardware(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := parse(contracts.Hardware())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestHardwareAnswers fixes what clients rely on: the statuses and codes of each
// operation.
func TestHardwareAnswers(t *testing.T) {
	want := map[string][]string{
		"GET /api/benchmark/{type}": {"200", "304", "400 invalid_limit invalid_query_string unknown_type", "500 internal"},
		"GET /api/prices/{aggregator}": {
			"200", "304",
			"400 invalid_query invalid_query_string query_too_long query_too_short unknown_category",
			"404 unknown_aggregator", "500 internal", "502 source_blocked source_changed source_disallowed source_unavailable",
			"503 source_paused throttle_queue_full", "504 source_timeout",
		},
		"POST /api/prices/{aggregator}/quotes": {
			"200", "400 invalid_body invalid_items invalid_query query_too_long query_too_short unknown_category",
			"404 unknown_aggregator", "413 body_too_large", "500 internal",
		},
		"HEAD /api/benchmark/{type}":    {"200", "304", "default"},
		"HEAD /api/prices/{aggregator}": {"200", "304", "default"},
	}
	have := map[string][]string{}
	for path, item := range hardware(t).Paths.Map() {
		for method, operation := range item.Operations() {
			for status, ref := range operation.Responses.Map() {
				answer := strings.Join(append([]string{status}, admittedCodes(ref.Value)...), " ")
				have[method+" "+path] = append(have[method+" "+path], answer)
			}
			slices.Sort(have[method+" "+path])
		}
	}
	if !maps.EqualFunc(have, want, slices.Equal) {
		t.Errorf("have %q\nwant %q", have, want)
	}
}

// TestHardwareFields fixes the fields of every resource.
func TestHardwareFields(t *testing.T) {
	want := map[string]string{
		"RankingResponse": "source family count rows",
		"RankingRow":      "type partNumber brand model rank benchmark samples url",
		"PriceResponse":   "query source productName productUrl offerCount offers scrapedAt | priceLow priceHigh lowest partial alternatives note",
		"Offer":           "store storeLabel price | priceWithDelivery available shopRating url",
		"Alternative":     "productName productUrl | priceLow offerCount",
		"LowestOffer":     "store storeLabel price url",
		"QuotesRequest":   "items",
		"QuotesItem":      "q | category",
		"QuotesResponse":  "items",
		"Quote":           "query status | category price place seconds found error code retryAfter",
		"Error":           "error code | allowed",
	}
	have := map[string]string{}
	for name, ref := range hardware(t).Components.Schemas {
		if ref.Value.Type.Is("object") {
			have[name] = strings.Join(ref.Value.Required, " ")
			if optional := optionalOf(ref.Value); len(optional) > 0 {
				have[name] += " | " + strings.Join(optional, " ")
			}
		}
	}
	if !maps.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
}

func TestHardwareLimits(t *testing.T) {
	parameters := hardware(t).Components.Parameters
	limit := parameters["Limit"].Value.Schema.Value
	if limit.Default != float64(200) || limit.Min == nil || *limit.Min != 1 {
		t.Error("limit is 200 by default and at least 1")
	}
	if limit.Max != nil {
		t.Error("a limit above 500 is cut, not refused")
	}
	if q := parameters["Query"].Value.Schema.Value; q.MinLength != 3 || q.MaxLength != nil {
		t.Error("q has at least 3 characters; the most is counted after white space is collapsed")
	}
	schemas := hardware(t).Components.Schemas
	for list, want := range map[string]uint64{"PriceResponse offers": 5, "RankingResponse rows": 500, "QuotesRequest items": 20} {
		schema, property, _ := strings.Cut(list, " ")
		if n := schemas[schema].Value.Properties[property].Value.MaxItems; n == nil || *n != want {
			t.Errorf("%s: not at most %d", list, want)
		}
	}
	for name, want := range map[string]string{
		"Family": "[cpu gpu ssd hdd ram usb]", "Category": "[cpu gpu ram storage motherboard psu cooling case]",
	} {
		if have := fmt.Sprint(schemas[name].Value.Enum); have != want {
			t.Errorf("%s: %s, want %s", name, have, want)
		}
	}
}

// TestHardwareCaching requires the caching headers on what is read with 200 and 304, and
// no-store on everything else.
func TestHardwareCaching(t *testing.T) {
	for path, item := range hardware(t).Paths.Map() {
		for method, operation := range item.Operations() {
			for status, ref := range operation.Responses.Map() {
				headers := ref.Value.Headers
				names := []string{"Cache-Control"}
				if method != "POST" && (status == "200" || status == "304") {
					names = append(names, "ETag", "Cache-Status")
				} else if headers["Cache-Control"].Value.Schema.Value.Const != "no-store" {
					t.Errorf("%s %s %s may be kept", method, path, status)
				}
				for _, name := range names {
					if headers[name] == nil || !headers[name].Value.Required {
						t.Errorf("%s %s %s: %s is not a required header", method, path, status, name)
					}
				}
				if status == "503" && (headers["Retry-After"] == nil || !headers["Retry-After"].Value.Required) {
					t.Errorf("%s %s 503 does not say when to come back", method, path)
				}
			}
		}
	}
}

// TestContractsNeedsTheStandardLibraryOnly keeps the validator out of the
// binaries that embed a document.
func TestContractsNeedsTheStandardLibraryOnly(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "contracts.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		if strings.Contains(spec.Path.Value, ".") {
			t.Errorf("contracts.go imports %s", spec.Path.Value)
		}
	}
}
