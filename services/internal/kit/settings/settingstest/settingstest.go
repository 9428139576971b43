// Package settingstest checks the examples of env files.
package settingstest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"backend.example/services/internal/kit/settings"
)

// exampleLine matches a setting below its explanation.
var exampleLine = regexp.MustCompile(`(?m)^# \S.*\n#([A-Z0-9_]+)=(.*)$`)

// EnvExample checks that the example of an env file at path lists exactly the settings of defaults in their order:
// each with its default, commented out, below an explanation.
func EnvExample(t testing.TB, defaults any, path string) {
	t.Helper()
	content, err := os.ReadFile(path) // #nosec G304 -- a file of the repository
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, match := range exampleLine.FindAllStringSubmatch(string(content), -1) {
		got = append(got, match[1]+"="+match[2])
	}
	for line := range strings.Lines(settings.List(defaults)) {
		want = append(want, strings.TrimSpace(line))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the example contains\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for line := range strings.Lines(string(content)) {
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "# ") {
			continue
		}
		if !slices.Contains(want, strings.TrimPrefix(text, "#")) {
			t.Errorf("line %q is no setting", text)
		}
	}
}
