package contracttest

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// Run runs the tests of a package and returns its exit code, which is 1 when all
// of them pass and yet a documented answer never occurred. With -run, -skip,
// -list or -fuzz only a part of the tests runs, and coverage is not asked for.
//
// It is meant for TestMain, with a *testing.M.
func (c *Checker) Run(m interface{ Run() int }) int {
	flag.Parse() // m does it only when it runs
	return c.run(m, isPartial(flag.Lookup), os.Stderr)
}

func (c *Checker) run(m interface{ Run() int }, partial bool, out io.Writer) int {
	if code := m.Run(); code != 0 || partial {
		return code
	}
	missing := c.Missing()
	for _, name := range missing {
		fmt.Fprintf(out, "contract: never exercised: %s\n", name)
	}
	return min(len(missing), 1)
}

// isPartial reports whether the flags of go test leave tests out.
func isPartial(lookup func(string) *flag.Flag) bool {
	return slices.ContainsFunc([]string{"test.run", "test.skip", "test.list", "test.fuzz"}, func(name string) bool {
		f := lookup(name)
		return f != nil && f.Value.String() != ""
	})
}

// RequireCovered reports to tb every documented answer that has not occurred in
// any exchange so far.
func (c *Checker) RequireCovered(tb TB) {
	tb.Helper()
	for _, name := range c.Missing() {
		tb.Errorf("never exercised: %s", name)
	}
}

// Missing lists the documented answers that have not occurred, sorted: operation
// and status, such as "GET /api/prices/{aggregator} 200". Where the examples of
// a response show codes, each code counts: "GET /api/prices/{aggregator} 400
// query_too_short". Answers outside the operations start with their kind, as in
// "unknown-path 404".
func (c *Checker) Missing() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []string
	for _, name := range c.answers() {
		if !c.seen[name] {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}

// cover notes that the response with that key occurred.
func (c *Checker) cover(target, key string, response *openapi3.Response, body []byte) {
	name := answerName(target, key)
	if len(exampleCodes(response)) > 0 {
		name = answerName(name, codeOf(body))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[name] = true
}

// answers lists every documented answer.
func (c *Checker) answers() []string {
	var names []string
	for path, item := range c.document.Paths.Map() {
		for method, operation := range item.Operations() {
			names = append(names, answersOf(operationName(method, path), operation)...)
		}
	}
	for kind, operation := range c.general {
		names = append(names, answersOf(kind, operation)...)
	}
	return names
}

func answersOf(target string, operation *openapi3.Operation) []string {
	var names []string
	for key, ref := range operation.Responses.Map() {
		name := answerName(target, key)
		codes := exampleCodes(ref.Value)
		if len(codes) == 0 {
			names = append(names, name)
		}
		for _, code := range codes {
			names = append(names, answerName(name, code))
		}
	}
	return names
}

func answerName(target, part string) string { return target + " " + part }

// exampleCodes lists the values of the field code in a response's examples.
func exampleCodes(response *openapi3.Response) []string {
	var codes []string
	for _, media := range response.Content {
		for _, example := range media.Examples {
			fields, _ := example.Value.Value.(map[string]any)
			if code, ok := fields["code"].(string); ok {
				codes = append(codes, code)
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// codeOf returns the field code of a JSON body, empty when there is none.
func codeOf(body []byte) string {
	var fields struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(body, &fields) != nil {
		return ""
	}
	return fields.Code
}
