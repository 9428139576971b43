package contracttest

import (
	"strings"
	"testing"
)

func TestNewRefusesDocuments(t *testing.T) {
	const general = `{"404": Failed}`
	tests := map[string]struct{ document, want string }{
		"not YAML":               {"\t", "load document"},
		"not OpenAPI":            {"openapi: 3.1.1", "validate document"},
		"general: not a map":     {strings.Replace(notes, "x-general-responses:", "x-general-responses: 1\nx-a:", 1), "x-general-responses: "},
		"general: unknown kind":  {strings.Replace(notes, "unknown-path:", "unknown:", 1), `unknown kind "unknown"`},
		"general: nothing named": {"{openapi: 3.1.1, info: {title: a, version: b}, paths: {}, x-general-responses: {options: {'204': A}}}", "no entry A"},
		"general: unknown name":  {strings.Replace(notes, general, `{"404": Lost}`, 1), "no entry Lost"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if message, _ := recover().(string); !strings.Contains(message, test.want) {
					t.Errorf("panic %q does not name %q", message, test.want)
				}
			}()
			New([]byte(test.document))
		})
	}
}
