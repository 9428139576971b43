// Package clitest checks the documentation of commands.
package clitest

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Help compares testdata/help.txt with the help of every command, which run prints, and prints
// the expected text.
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
		want.WriteString("$ " + cmd.CommandPath() + " --help\n" + out)
		for _, c := range cmd.Commands() {
			add(c)
		}
	}
	add(root)
	if string(got) != want.String() {
		t.Errorf("testdata/help.txt: want\n%s", &want)
	}
}
