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

// Every failure has success false and a text, and only audits may be cached.
func TestDirectoryFailuresAndCaching(t *testing.T) {
	for name, ref := range mustParse(t, "directory").Components.Responses {
		headers := ref.Value.Headers
		if !slices.Contains([]string{"Options", "NotModified", "CurrentHeadersOnly"}, name) &&
			headers["Cache-Control"].Value.Schema.Value.Const != "no-store" {
			t.Errorf("%s may be cached", name)
		}
		for _, media := range ref.Value.Content {
			schema := media.Schema.Value
			success := schema.Properties["success"].Value.Enum
			if !slices.Equal(success, []any{false}) || !slices.Contains(schema.Required, "error") {
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
		if want := fmt.Sprintf("<!-- contract: sha256 %x -->", sha256.Sum256(documents()[name])); !strings.HasPrefix(
			string(reference), want,
		) {
			t.Errorf("the TypeScript client and the reference of %s are outdated: run make client", name)
		}
	}
}
