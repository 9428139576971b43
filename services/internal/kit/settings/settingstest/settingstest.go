// Package settingstest holds what is written about settings to the struct that has
// them.
package settingstest

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exampleLine is a setting in an example of an env file, below its explanation.
var exampleLine = regexp.MustCompile(`(?m)^# \S.*\n#([A-Z0-9_]+)=(.*)$`)

// EnvExample compares the example of an env file with the settings of C: all of them
// in their order, each explained, with its default and commented out; and nothing
// else.
func EnvExample[C any](t testing.TB, path string) {
	t.Helper()
	content, err := os.ReadFile(path) // #nosec G304 -- a file of the repository
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, match := range exampleLine.FindAllStringSubmatch(string(content), -1) {
		got = append(got, match[1]+"="+match[2])
	}
	for field := range reflect.TypeFor[C]().Fields() {
		want = append(want, field.Tag.Get("env")+"="+field.Tag.Get("envDefault"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the example holds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for line := range strings.Lines(string(content)) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "# ") && !slices.Contains(want, strings.TrimPrefix(text, "#")) {
			t.Errorf("line %q is no setting", text)
		}
	}
}
