// Package clitest checks the documentation of commands.
package clitest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// setting is a line of the list of settings.
var setting = regexp.MustCompile(`(?m)^  [A-Z0-9_]+=.*\n`)

// Help checks that testdata/help.txt holds the help of every command, which run returns, and prints the expected
// text if it does not. The settings are left out: the example of an env file holds them.
func Help(t *testing.T, root *cobra.Command, run func(args ...string) (string, error)) {
	t.Helper()
	const path = "testdata/help.txt"
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		out, err := run(append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		if err != nil {
			t.Fatalf("%s: %v", cmd.CommandPath(), err)
		}
		want.WriteString("$ " + cmd.CommandPath() + " --help\n" + setting.ReplaceAllString(out, ""))
		for _, c := range cmd.Commands() {
			add(c)
		}
	}
	add(root)
	if string(got) != want.String() {
		t.Errorf("%s is outdated, want\n%s", path, &want)
	}
}
