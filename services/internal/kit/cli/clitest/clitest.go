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

// Help compares testdata/help.txt with the help of every command, which run prints, and prints
// the expected text. The settings are left out: the example of an env file holds them.
func Help(t *testing.T, root *cobra.Command, run func(args ...string) (string, error)) {
	t.Helper()
	got, err := os.ReadFile("testdata/help.txt")
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
		t.Errorf("testdata/help.txt: want\n%s", &want)
	}
}
