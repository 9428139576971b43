package contracts_test

import (
	"crypto/sha256"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
)

// documents returns all documents of this folder, by name.
func documents() map[string][]byte {
	return map[string][]byte{"directory": contracts.Directory(), "hardware": contracts.Hardware()}
}

// parse loads a document and validates it, its examples included.
func parse(document []byte) (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(loader.Context, openapi3.EnableExamplesValidation())
}

func mustParse(t *testing.T, name string) *openapi3.T {
	t.Helper()
	doc, err := parse(documents()[name])
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDocumentsKeepTheRules(t *testing.T) {
	for name, document := range documents() {
		t.Run(name, func(t *testing.T) {
			for _, finding := range lint(mustParse(t, name)) {
				t.Error(finding)
			}
			contracttest.New(document) // panics if it cannot use the document
		})
	}
}

// Each case breaks one rule in a document.
func TestRulesAreApplied(t *testing.T) {
	type change struct{ old, new, want string }
	inHardware := map[string]change{
		"invalid document":      {"operationId: headPrices", "operationId: getPrices", "same operation id"},
		"example off schema":    {"rank: 1\n            benchmark: 133", "rank: 1.5\n            benchmark: 133", "value must be an integer"},
		"example lacks a field": {"            samples: 3905\n", "", `property "samples" is missing`},
		"match with a note":     {"        offerCount: 26\n", "        offerCount: 26\n        note: Uwaga, to już dopasowano.\n", "maxItems: got 2, want 0"},
		"offers without lowest": {
			"        lowest:\n          store: podzespoly.example\n          storeLabel: Podzespoły Łódź\n          price: 2649\n          url: https://www.ceneo.pl/Click/Offer/?e=Zm9vYmFy&a=2\n", "", "missing property 'lowest'"},
		"open object": {"    Offer:\n      type: object\n      additionalProperties: false\n", "    Offer:\n      type: object\n", "Offer: object is open"},
		"property neither required nor optional": {
			"required: [store, storeLabel, price]", "required: [store, storeLabel]", "required and x-optional name [available priceWithDelivery shopRating store storeLabel title url]"},
		"schema without type":        {"    Store: {type: string, ", "    Store: {", "components/schemas/Store: no type"},
		"no operationId":             {"      operationId: getPrices\n", "", "GET /api/prices/{aggregator}: operationId"},
		"no summary":                 {"      summary: Cheapest offers for a product\n", "", "summary or description is missing"},
		"unknown tag":                {"tags: [benchmark]\n      summary: Ranking", "tags: [bench]\n      summary: Ranking", "GET /api/benchmark/{type}: no tag"},
		"parameter without example":  {"      example: gpu\n    Limit:", "    Limit:", "parameter type has no description or example"},
		"header without example":     {"      example: 8\n", "", "header Retry-After has no description or example"},
		"example of a header":        {"      example: 8\n", "      example: -1\n", "example of header Retry-After"},
		"response without id":        {"        Allow: {$ref: \"#/components/headers/Allow\"}\n        X-Request-Id: {$ref: \"#/components/headers/RequestID\"}\n  ", "        Allow: {$ref: \"#/components/headers/Allow\"}\n  ", "Options: X-Request-Id is not a required header"},
		"body without example":       {"              examples:\n                match: {$ref: \"#/components/examples/PriceMatch\"}\n                noMatch: {$ref: \"#/components/examples/PriceNoMatch\"}\n", "", "200: body has no example"},
		"unnamed body":               {"schema: {$ref: \"#/components/schemas/PriceResponse\"}", "schema: true", "200: body has no named schema"},
		"code without example":       {"        - internal\n", "        - internal\n        - out_of_paper\n", "error code out_of_paper has no example"},
		"admitted code not shown":    {"code: {enum: [source_timeout]}", "code: {enum: [source_timeout, internal]}", "SourceTimeout: admits the codes [internal source_timeout]"},
		"documentation in Polish":    {"summary: Headers of a ranking", "summary: Nagłówki rankingu", "documentation is not English"},
		"user text in English":       {"error: Nie znaleziono zasobu.", "error: Not found.", "text for end users is not Polish"},
		"list without its values":    {"                allowed: [ceneo]\n", "", "missing property 'allowed'"},
		"list where there is none":   {"                code: internal\n", "                code: internal\n                allowed: [a]\n", "'not' failed"},
		"time without milliseconds":  {"2026-11-03T09:43:02.007Z", "2026-11-03T09:43:02Z", "does not match pattern"},
		"nothing matched, yet named": {"query: karta graficzna xqz9\n        source: ceneo.pl\n        productName: \"\"", "query: karta graficzna xqz9\n        source: ceneo.pl\n        productName: X", "value must be ''"},
	}
	inDirectory := map[string]change{
		"request without example": {"            examples:\n              login: {summary: A login., value: {email: anna@piekarnia.example, password: cztery słowa na drogę}}\n", "", "POST /api/auth/login request: body has no example"},
		"unnamed request":         {"schema: {$ref: \"#/components/schemas/LoginRequest\"}", "schema: true", "POST /api/auth/login request: body has no named schema"},
		"example off schema":      {"value: {company_id: 3, page_id: \"104118\"}", "value: {company_id: 3}", `property "page_id" is missing`},
		"some of four services":   {"          provider_social/social_photos: *absent\n", "", "minProperties"},
		"id without a name":       {"company_id: 3, company_name: Piekarnia Pod Dębem}}\n    AuditRefused", "company_id: 3}}\n    AuditRefused", "company_name"},
	}
	for document, changes := range map[string]map[string]change{"hardware": inHardware, "directory": inDirectory} {
		for name, change := range changes {
			t.Run(name, func(t *testing.T) {
				original := string(documents()[document])
				broken := strings.Replace(original, change.old, change.new, 1)
				if broken == original {
					t.Fatalf("the document does not contain %q", change.old)
				}
				if found := findings([]byte(broken)); !strings.Contains(found, change.want) {
					t.Errorf("findings do not name %q:\n%s", change.want, found)
				}
			})
		}
	}
}

func findings(document []byte) string {
	doc, err := parse(document)
	if err != nil {
		return err.Error()
	}
	return strings.Join(lint(doc), "\n")
}

// Every failure has success false and a text, and only audits may be cached.
func TestDirectoryFailuresAndCaching(t *testing.T) {
	for name, ref := range mustParse(t, "directory").Components.Responses {
		headers := ref.Value.Headers
		if !slices.Contains([]string{"Options", "NotModified", "CurrentHeadersOnly"}, name) && headers["Cache-Control"].Value.Schema.Value.Const != "no-store" {
			t.Errorf("%s may be cached", name)
		}
		for _, media := range ref.Value.Content {
			schema := media.Schema.Value
			if schema.Properties["success"].Value.Const != false || !slices.Contains(schema.Required, "error") {
				t.Errorf("%s: not {success: false, error}", name)
			}
		}
		if strings.HasPrefix(name, "TooMany") && !headers["Retry-After"].Value.Required {
			t.Errorf("%s has no Retry-After", name)
		}
	}
}

// Reads with 200 and 304 have the caching headers, everything else has no-store.
func TestHardwareCaching(t *testing.T) {
	for path, item := range mustParse(t, "hardware").Paths.Map() {
		for method, operation := range item.Operations() {
			for status, ref := range operation.Responses.Map() {
				headers := ref.Value.Headers
				names := []string{"Cache-Control"}
				if method != "POST" && (status == "200" || status == "304") {
					names = append(names, "ETag", "Cache-Status")
				} else if headers["Cache-Control"].Value.Schema.Value.Const != "no-store" {
					t.Errorf("%s %s %s may be cached", method, path, status)
				}
				for _, name := range names {
					if headers[name] == nil || !headers[name].Value.Required {
						t.Errorf("%s %s %s: %s is not a required header", method, path, status, name)
					}
				}
				if status == "503" && (headers["Retry-After"] == nil || !headers["Retry-After"].Value.Required) {
					t.Errorf("%s %s 503 has no Retry-After", method, path)
				}
			}
		}
	}
}

// The validator must not be linked into the binaries that embed a document.
func TestContractsImportsOnlyTheStandardLibrary(t *testing.T) {
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

// make check-client compares all generated files, but needs Node.
func TestGeneratedFilesMatchContracts(t *testing.T) {
	for _, name := range []string{"directory", "hardware"} {
		reference, err := os.ReadFile("typescript/reference/" + name + ".html")
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("<!-- contract: sha256 %x -->", sha256.Sum256(documents()[name])); !strings.HasPrefix(string(reference), want) {
			t.Errorf("the TypeScript client and the reference of %s are outdated: run make client", name)
		}
	}
}
