package contracts_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Clients depend on the documents of the last release, so that changes may only add.
func TestReleasedContractsAreKept(t *testing.T) {
	program := oasdiff(t)
	for name, document := range documents() {
		released, err := os.ReadFile(filepath.Join("released", name+".openapi.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range breaks(t, program, released, document) {
			t.Errorf("%s: %s", name, found)
		}
	}
}

// oasdiff returns the path of the program, which make test builds.
func oasdiff(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../bin/lint/oasdiff")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err == nil {
		return path
	}
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatal(err)
	}
	t.Skip("bin/lint/oasdiff is not built; run make test")
	return ""
}

// newCode matches the message about a new error code. Clients treat unknown codes like any
// other failure, so that it does not break them.
var newCode = regexp.MustCompile("^added the new `\\w+` enum value to the `(\\w+/)*code` response property")

// breaks returns the changes between two documents that break clients: those that oasdiff
// reports, with the severities of released/severity.txt, and those that it misses.
func breaks(t *testing.T, program string, base, revision []byte) []string {
	t.Helper()
	folder := t.TempDir()
	paths := []string{filepath.Join(folder, "base.yaml"), filepath.Join(folder, "revision.yaml")}
	for i, document := range [][]byte{base, revision} {
		if err := os.WriteFile(paths[i], document, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), program, "breaking", "--flatten-params", "--flatten-allof",
		"--severity-levels", "released/severity.txt", "--format", "json", paths[0], paths[1])
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("oasdiff: %v\n%s%s", err, out, &stderr)
	}
	var changes []struct{ ID, Text, Operation, Path string }
	if err := json.Unmarshal(out, &changes); err != nil {
		t.Fatalf("oasdiff: %v\n%s", err, out)
	}
	found := overlooked(load(t, base), load(t, revision))
	for _, change := range changes {
		if !newCode.MatchString(change.Text) {
			found = append(found, fmt.Sprintf("%s: %s %s: %s", change.ID, change.Operation, change.Path, change.Text))
		}
	}
	slices.Sort(found)
	return found
}

// change is an edit of a document.
type change struct{ name, document, old, new string }

func (c change) apply(t *testing.T) (base, revision []byte) {
	t.Helper()
	base = documents()[c.document]
	edited := strings.Replace(string(base), c.old, c.new, 1)
	if edited == string(base) {
		t.Fatalf("the document does not contain %q", c.old)
	}
	return base, []byte(edited)
}

func TestBreaksAreFound(t *testing.T) {
	program := oasdiff(t)
	for _, b := range breakingChanges {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			base, revision := b.apply(t)
			found := breaks(t, program, base, revision)
			if !slices.ContainsFunc(found, func(text string) bool { return strings.HasPrefix(text, b.want+":") }) {
				t.Errorf("found %q, want %s", found, b.want)
			}
		})
	}
}

func TestAdditionsPass(t *testing.T) {
	program := oasdiff(t)
	for _, addition := range additions {
		t.Run(addition.name, func(t *testing.T) {
			t.Parallel()
			base, revision := addition.apply(t)
			if found := breaks(t, program, base, revision); len(found) > 0 {
				t.Error(strings.Join(found, "\n"))
			}
		})
	}
}

// loaded caches the results of load by document.
var loaded sync.Map

func load(t *testing.T, document []byte) *openapi3.T {
	t.Helper()
	if doc, ok := loaded.Load(string(document)); ok {
		return doc.(*openapi3.T)
	}
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	loaded.Store(string(document), doc)
	return doc
}

// overlooked returns the breaking changes that oasdiff has no rule for: another server, a
// parameter with another serialization or one that may no longer be empty, and an object
// of a request that no longer accepts unknown fields.
func overlooked(base, revision *openapi3.T) (found []string) {
	if len(base.Servers) > 0 && (len(revision.Servers) == 0 || base.Servers[0].URL != revision.Servers[0].URL) {
		found = append(found, "server-changed: "+base.Servers[0].URL)
	}
	for path, was := range base.Paths.Map() {
		is := revision.Paths.Value(path)
		if is == nil {
			continue
		}
		for method, operation := range was.Operations() {
			if now := is.GetOperation(method); now != nil {
				for _, what := range append(narrowedParameters(was, operation, is, now), closedBodies(operation, now)...) {
					found = append(found, fmt.Sprintf("%s (%s %s)", what, method, path))
				}
			}
		}
	}
	return found
}

func narrowedParameters(was *openapi3.PathItem, before *openapi3.Operation, is *openapi3.PathItem, now *openapi3.Operation) (found []string) {
	for _, ref := range append(was.Parameters[:len(was.Parameters):len(was.Parameters)], before.Parameters...) {
		old := ref.Value
		parameter := is.Parameters.GetByInAndName(old.In, old.Name)
		if parameter == nil {
			parameter = now.Parameters.GetByInAndName(old.In, old.Name)
		}
		if parameter == nil {
			continue
		}
		if old.AllowEmptyValue && !parameter.AllowEmptyValue {
			found = append(found, "empty-value-refused: "+old.Name)
		}
		if serialization(old) != serialization(parameter) {
			found = append(found, "serialization-changed: "+old.Name)
		}
	}
	return found
}

func serialization(p *openapi3.Parameter) openapi3.SerializationMethod {
	method, err := p.SerializationMethod()
	if err != nil {
		return openapi3.SerializationMethod{}
	}
	return *method
}

func closedBodies(before, now *openapi3.Operation) (found []string) {
	if before.RequestBody == nil || now.RequestBody == nil {
		return nil
	}
	for kind, media := range before.RequestBody.Value.Content {
		if same := now.RequestBody.Value.Content[kind]; same != nil && media.Schema != nil && same.Schema != nil {
			found = append(found, closed(media.Schema.Value, same.Schema.Value, kind)...)
		}
	}
	return found
}

// closed returns the objects of a request that accepted unknown fields and no longer do.
func closed(was, is *openapi3.Schema, at string) (found []string) {
	if open(was) && !open(is) {
		found = append(found, "object-closed: "+at)
	}
	for name, property := range was.Properties {
		if same := is.Properties[name]; same != nil {
			found = append(found, closed(property.Value, same.Value, at+"/"+name)...)
		}
	}
	if was.Items != nil && is.Items != nil {
		found = append(found, closed(was.Items.Value, is.Items.Value, at+"/items")...)
	}
	return found
}

func open(s *openapi3.Schema) bool {
	return s.AdditionalProperties.Has == nil || *s.AdditionalProperties.Has
}
