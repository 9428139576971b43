package main

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

// TestEnvExample compares the example with the struct: the settings in their
// order, each explained and with its default.
func TestEnvExample(t *testing.T) {
	content, err := os.ReadFile("../../deploy/env/hardware.env.example")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, match := range exampleLine.FindAllStringSubmatch(string(content), -1) {
		got = append(got, match[1]+"="+match[2])
	}
	for field := range reflect.TypeFor[config]().Fields() {
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
