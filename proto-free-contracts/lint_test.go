package contracts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// lint returns the violations of the rules in this folder's README. The document must be
// valid OpenAPI.
func lint(doc *openapi3.T) []string {
	findings := slices.Concat(lintSchemas(doc), lintOperations(doc), lintCodes(doc), lintTexts(doc))
	slices.Sort(findings)
	return findings
}

// lintSchemas checks that every object is closed and that each of its properties is
// either required or listed in x-optional.
func lintSchemas(doc *openapi3.T) (findings []string) {
	_ = doc.WalkSchemas(func(at string, ref *openapi3.SchemaRef) error {
		schema := ref.Value
		if !schema.Type.Is("object") {
			return nil
		}
		if extra := schema.AdditionalProperties; extra.Schema == nil && (extra.Has == nil || *extra.Has) {
			findings = append(findings, at+": object is open: additionalProperties is neither false nor a schema")
		}
		named := append(slices.Clone(schema.Required), optionalOf(schema)...)
		slices.Sort(named)
		if properties := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(named, properties) {
			findings = append(findings, fmt.Sprintf("%s: required and x-optional name %v, properties are %v", at, named,
				properties))
		}
		return nil
	})
	for name, ref := range doc.Components.Schemas {
		if ref.Value.Type.IsEmpty() && len(ref.Value.OneOf) == 0 {
			findings = append(findings, "components/schemas/"+name+": no type")
		}
	}
	return findings
}

func optionalOf(schema *openapi3.Schema) (names []string) {
	list, _ := schema.Extensions["x-optional"].([]any)
	for _, name := range list {
		names = append(names, fmt.Sprint(name))
	}
	return names
}

// lintOperations checks for descriptions, examples, tags and X-Request-Id.
func lintOperations(doc *openapi3.T) (findings []string) {
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			at := method + " " + path
			if operation.OperationID == "" || operation.Summary == "" || operation.Description == "" {
				findings = append(findings, at+": operationId, summary or description is missing")
			}
			if !slices.ContainsFunc(operation.Tags, func(tag string) bool { return doc.Tags.Get(tag) != nil }) {
				findings = append(findings, at+": no tag of the document's list")
			}
			for _, parameter := range slices.Concat(item.Parameters, operation.Parameters) {
				if p := parameter.Value; p.Description == "" || p.Example == nil && len(p.Examples) == 0 {
					findings = append(findings, at+": parameter "+p.Name+" has no description or example")
				}
			}
			if body := operation.RequestBody; body != nil {
				findings = append(findings, lintContent(at+" request", body.Value.Content)...)
			}
			findings = append(findings, lintResponses(at, operation.Responses.Map())...)
		}
	}
	return append(findings, lintResponses("components", doc.Components.Responses)...)
}

func lintResponses(at string, responses map[string]*openapi3.ResponseRef) (findings []string) {
	for name, ref := range responses {
		id := ref.Value.Headers["X-Request-Id"]
		if id == nil || !id.Value.Required {
			findings = append(findings, at+" "+name+": X-Request-Id is not a required header")
		}
		for header, ref := range ref.Value.Headers {
			if ref.Value.Description == "" || ref.Value.Example == nil {
				findings = append(findings, at+" "+name+": header "+header+" has no description or example")
				continue
			}
			// Validating a document covers the examples of parameters and bodies only.
			if err := ref.Value.Schema.Value.VisitJSON(ref.Value.Example, openapi3.EnableJSONSchema2020()); err != nil {
				findings = append(findings, fmt.Sprintf("%s %s: example of header %s: %v", at, name, header, err))
			}
		}
		findings = append(findings, lintContent(at+" "+name, ref.Value.Content)...)
	}
	return findings
}

func lintContent(at string, content openapi3.Content) (findings []string) {
	for _, media := range content {
		if len(media.Examples) == 0 {
			findings = append(findings, at+": body has no example")
		}
		if !isNamed(media.Schema) {
			findings = append(findings, at+": body has no named schema")
		}
	}
	return findings
}

// isNamed reports whether schema is, or narrows, one of components/schemas.
func isNamed(schema *openapi3.SchemaRef) bool {
	return schema.Ref != "" || len(schema.Value.AllOf) > 0 && schema.Value.AllOf[0].Ref != ""
}

// lintCodes checks that every error code of the document and of each response has an
// example.
func lintCodes(doc *openapi3.T) (findings []string) {
	all := doc.Components.Schemas["ErrorCode"]
	if all == nil {
		return nil
	}
	var shown []string
	for name, ref := range doc.Components.Responses {
		admitted, examples := admittedCodes(ref.Value), exampleCodes(ref.Value)
		if !slices.Equal(admitted, examples) {
			findings = append(findings, fmt.Sprintf("components/responses/%s: admits the codes %v, shows %v", name,
				admitted, examples))
		}
		shown = append(shown, examples...)
	}
	for _, code := range all.Value.Enum {
		if !slices.Contains(shown, fmt.Sprint(code)) {
			findings = append(findings, fmt.Sprintf("error code %v has no example", code))
		}
	}
	return findings
}

func admittedCodes(response *openapi3.Response) (codes []string) {
	for _, media := range response.Content {
		for _, part := range media.Schema.Value.AllOf {
			if code := part.Value.Properties["code"]; code != nil && code.Ref == "" {
				for _, value := range code.Value.Enum {
					codes = append(codes, fmt.Sprint(value))
				}
			}
		}
	}
	slices.Sort(codes)
	return codes
}

func exampleCodes(response *openapi3.Response) (codes []string) {
	for _, media := range response.Content {
		for _, example := range media.Examples {
			if fields, ok := example.Value.Value.(map[string]any); ok && fields["code"] != nil {
				codes = append(codes, fmt.Sprint(fields["code"]))
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

var (
	polishLetter = regexp.MustCompile(`[ĄĆĘŁŃÓŚŹŻąćęłńóśźż]`)
	polishWord   = regexp.MustCompile(`(?i)\b(nie|niedozwolone|jest|dla|oraz|do|na|co|adres)\b`)
)

// lintTexts checks that documentation is English and texts for end users are Polish.
func lintTexts(doc *openapi3.T) []string {
	raw, err := json.Marshal(doc)
	if err != nil {
		return []string{err.Error()}
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return []string{err.Error()}
	}
	return lintTree("", tree, false)
}

func lintTree(at string, node any, inExample bool) (findings []string) {
	switch node := node.(type) {
	case map[string]any:
		for key, child := range node {
			at := at + "/" + key
			if text, ok := child.(string); ok {
				findings = append(findings, lintText(at, key, text, inExample)...)
			}
			findings = append(findings, lintTree(at, child, inExample || key == "value" || key == "example")...)
		}
	case []any:
		for _, child := range node {
			findings = append(findings, lintTree(at, child, inExample)...)
		}
	}
	return findings
}

func lintText(at, key, text string, inExample bool) []string {
	switch {
	case inExample && slices.Contains([]string{"error", "note", "message"}, key):
		if !polishLetter.MatchString(text) && !polishWord.MatchString(text) {
			return []string{at + ": text for end users is not Polish: " + text}
		}
	case !inExample && slices.Contains([]string{"title", "summary", "description"}, key):
		if polishLetter.MatchString(text) {
			return []string{at + ": documentation is not English: " + text}
		}
	}
	return nil
}
