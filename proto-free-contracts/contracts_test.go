package contracts_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	contracts "backend.example/proto-free-contracts"
)

// documents returns the document of each service.
func documents() map[string][]byte {
	return map[string][]byte{"directory": contracts.Directory(), "hardware": contracts.Hardware()}
}

// mustParse loads a document and validates it, its examples included.
func mustParse(t *testing.T, name string) *openapi3.T {
	t.Helper()
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(documents()[name])
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(loader.Context, openapi3.EnableExamplesValidation()); err != nil {
		t.Fatal(err)
	}
	return doc
}

// forEach runs a test on each document.
func forEach(t *testing.T, test func(*testing.T, *openapi3.T)) {
	for name := range documents() {
		t.Run(name, func(t *testing.T) { test(t, mustParse(t, name)) })
	}
}

// Every object is closed, and each of its properties is either required or listed in x-optional.
func TestObjectsAreClosed(t *testing.T) {
	forEach(t, func(t *testing.T, doc *openapi3.T) {
		_ = doc.WalkSchemas(func(at string, ref *openapi3.SchemaRef) error {
			schema := ref.Value
			if !schema.Type.Is("object") {
				return nil
			}
			extra := schema.AdditionalProperties
			isFalse := extra.Has != nil && !*extra.Has
			if extra.Schema == nil && !isFalse {
				t.Errorf("%s: additionalProperties is neither false nor a schema", at)
			}
			named := slices.Clone(schema.Required)
			optional, _ := schema.Extensions["x-optional"].([]any)
			for _, name := range optional {
				named = append(named, fmt.Sprint(name))
			}
			slices.Sort(named)
			if properties := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(named, properties) {
				t.Errorf("%s: required and x-optional name %v, properties are %v", at, named, properties)
			}
			return nil
		})
		for name, ref := range doc.Components.Schemas {
			if ref.Value.Type.IsEmpty() && len(ref.Value.OneOf) == 0 {
				t.Errorf("components/schemas/%s: no type", name)
			}
		}
	})
}

func TestOperationsAreDescribed(t *testing.T) {
	forEach(t, func(t *testing.T, doc *openapi3.T) {
		// An example, and a schema that is, or narrows, one of components/schemas.
		requireContent := func(at string, content openapi3.Content) {
			for _, media := range content {
				if len(media.Examples) == 0 {
					t.Errorf("%s: body has no example", at)
				}
				narrows := len(media.Schema.Value.AllOf) > 0 && media.Schema.Value.AllOf[0].Ref != ""
				if media.Schema.Ref == "" && !narrows {
					t.Errorf("%s: body has no named schema", at)
				}
			}
		}
		requireResponses := func(at string, responses map[string]*openapi3.ResponseRef) {
			for name, ref := range responses {
				id := ref.Value.Headers["X-Request-Id"]
				if id == nil || !id.Value.Required {
					t.Errorf("%s %s: X-Request-Id is not a required header", at, name)
				}
				for header, ref := range ref.Value.Headers {
					h := ref.Value
					if h.Description == "" || h.Example == nil {
						t.Errorf("%s %s: header %s has no description or example", at, name, header)
						continue
					}
					// Validating a document covers the examples of parameters and bodies only.
					if err := h.Schema.Value.VisitJSON(h.Example, openapi3.EnableJSONSchema2020()); err != nil {
						t.Errorf("%s %s: example of header %s: %v", at, name, header, err)
					}
				}
				requireContent(at+" "+name, ref.Value.Content)
			}
		}
		requireResponses("components", doc.Components.Responses)
		for path, item := range doc.Paths.Map() {
			for method, operation := range item.Operations() {
				at := method + " " + path
				if operation.OperationID == "" || operation.Summary == "" || operation.Description == "" {
					t.Errorf("%s: operationId, summary or description is missing", at)
				}
				if !slices.ContainsFunc(operation.Tags, func(tag string) bool { return doc.Tags.Get(tag) != nil }) {
					t.Errorf("%s: no tag of the document's list", at)
				}
				for _, parameter := range slices.Concat(item.Parameters, operation.Parameters) {
					p := parameter.Value
					hasExample := p.Example != nil || len(p.Examples) > 0
					if p.Description == "" || !hasExample {
						t.Errorf("%s: parameter %s has no description or example", at, p.Name)
					}
				}
				if body := operation.RequestBody; body != nil {
					requireContent(at+" request", body.Value.Content)
				}
				requireResponses(at, operation.Responses.Map())
			}
		}
	})
}

// Every code that a response admits has an example, and every error code of the document is admitted.
func TestErrorCodesHaveExamples(t *testing.T) {
	doc := mustParse(t, "hardware")
	shown := map[string]bool{}
	for name, ref := range doc.Components.Responses {
		admitted, examples := map[string]bool{}, map[string]bool{}
		for _, media := range ref.Value.Content {
			for _, part := range media.Schema.Value.AllOf {
				if code := part.Value.Properties["code"]; code != nil && code.Ref == "" {
					for _, value := range code.Value.Enum {
						admitted[fmt.Sprint(value)] = true
					}
				}
			}
			for _, example := range media.Examples {
				if fields, ok := example.Value.Value.(map[string]any); ok && fields["code"] != nil {
					examples[fmt.Sprint(fields["code"])] = true
				}
			}
		}
		if !maps.Equal(admitted, examples) {
			t.Errorf("components/responses/%s: admits the codes %v, shows %v", name, admitted, examples)
		}
		maps.Copy(shown, examples)
	}
	for _, code := range doc.Components.Schemas["ErrorCode"].Value.Enum {
		if !shown[fmt.Sprint(code)] {
			t.Errorf("error code %v has no example", code)
		}
	}
}

// Documentation is English, and texts for end users are Polish.
func TestLanguages(t *testing.T) {
	letter := regexp.MustCompile(`[ĄĆĘŁŃÓŚŹŻąćęłńóśźż]`)
	word := regexp.MustCompile(`(?i)\b(nie|niedozwolone|jest|dla|oraz|do|na|co|adres)\b`)
	check := func(at, key, text string, inExample bool) {
		forUsers := inExample && slices.Contains([]string{"error", "note", "message"}, key)
		if forUsers && !letter.MatchString(text) && !word.MatchString(text) {
			t.Errorf("%s: text for end users is not Polish: %s", at, text)
		}
		forDevelopers := !inExample && slices.Contains([]string{"title", "summary", "description"}, key)
		if forDevelopers && letter.MatchString(text) {
			t.Errorf("%s: documentation is not English: %s", at, text)
		}
	}
	var walk func(at string, node any, inExample bool)
	walk = func(at string, node any, inExample bool) {
		switch node := node.(type) {
		case map[string]any:
			for key, child := range node {
				if text, ok := child.(string); ok {
					check(at+"/"+key, key, text, inExample)
				}
				walk(at+"/"+key, child, inExample || key == "value" || key == "example")
			}
		case []any:
			for _, child := range node {
				walk(at, child, inExample)
			}
		}
	}
	forEach(t, func(t *testing.T, doc *openapi3.T) {
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(raw, &tree); err != nil {
			t.Fatal(err)
		}
		walk("", tree, false)
	})
}

// Every failure has success false and a text, and only audits may be cached.
func TestDirectoryFailuresAndCaching(t *testing.T) {
	for name, ref := range mustParse(t, "directory").Components.Responses {
		headers := ref.Value.Headers
		isCached := slices.Contains([]string{"Options", "NotModified", "CurrentHeadersOnly"}, name)
		if !isCached && headers["Cache-Control"].Value.Schema.Value.Const != "no-store" {
			t.Errorf("%s: Cache-Control is not no-store", name)
		}
		for _, media := range ref.Value.Content {
			schema := media.Schema.Value
			if success := schema.Properties["success"].Value.Enum; !slices.Equal(success, []any{false}) {
				t.Errorf("%s: success may be one of %v, want false only", name, success)
			}
			if !slices.Contains(schema.Required, "error") {
				t.Errorf("%s: error is not required", name)
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
				required := []string{"Cache-Control"}
				isFound := status == "200" || status == "304"
				if isFound && method != "POST" {
					required = append(required, "ETag", "Cache-Status")
				} else if headers["Cache-Control"].Value.Schema.Value.Const != "no-store" {
					t.Errorf("%s %s %s: Cache-Control is not no-store", method, path, status)
				}
				if status == "503" {
					required = append(required, "Retry-After")
				}
				for _, name := range required {
					if headers[name] == nil || !headers[name].Value.Required {
						t.Errorf("%s %s %s: %s is not a required header", method, path, status, name)
					}
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
		want := fmt.Sprintf("<!-- contract: sha256 %x -->", sha256.Sum256(documents()[name]))
		if !strings.HasPrefix(string(reference), want) {
			t.Errorf("the TypeScript client and the reference of %s are outdated: run make client", name)
		}
	}
}
