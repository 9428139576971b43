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

// Run calls tests, which runs the tests of a package and returns an exit code. It
// returns that code, or 1 when all tests passed and a documented answer never
// occurred. With -run, -skip, -list or -fuzz it does not ask for all answers, because
// only a part of the tests runs.
//
// TestMain calls it with the method Run of its *testing.M.
func (c *Checker) Run(tests func() int) int {
	flag.Parse() // testing.M would do it later
	return c.run(tests, isPartial(flag.Lookup), os.Stderr)
}

func (c *Checker) run(tests func() int, partial bool, out io.Writer) int {
	if code := tests(); code != 0 || partial {
		return code
	}
	missing := c.Missing()
	for _, name := range missing {
		fmt.Fprintf(out, "contract: never exercised: %s\n", name)
	}
	return min(len(missing), 1)
}

// isPartial reports whether the flags of go test select some of the tests.
func isPartial(lookup func(string) *flag.Flag) bool {
	return slices.ContainsFunc([]string{"test.run", "test.skip", "test.list", "test.fuzz"}, func(name string) bool {
		f := lookup(name)
		return f != nil && f.Value.String() != ""
	})
}

// Missing lists the documented answers that have not occurred, sorted. A name is
// that of the operation and the status, as in "GET /api/prices/{aggregator} 200".
// Where the examples of a response have codes, each code is an answer of its own, as
// in "GET /api/prices/{aggregator} 400 query_too_short". Answers to requests without
// an operation have the name of their kind, as in "unknown-path 404".
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

// cover records that the response with that key has occurred.
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
