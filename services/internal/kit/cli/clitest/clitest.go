// Package clitest checks the documentation of commands.
package clitest

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/cli"
)

// README compares the list of commands in README.md with the commands of the program, and
// prints the expected list.
func README(t *testing.T, root *cobra.Command) {
	t.Helper()
	const begin, end = "<!-- commands: begin -->\n", "<!-- commands: end -->"
	content, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(content), begin)
	got, _, ok := strings.Cut(rest, end)
	if want := list(root); !ok || got != want {
		t.Errorf("README.md: want between %sand %s\n%s", begin, end, want)
	}
}

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

// list returns the commands with their arguments as a line of Markdown.
func list(root *cobra.Command) string {
	var names []string
	cli.Walk(root, func(cmd *cobra.Command) {
		if cmd.Name() == "help" { // cobra adds it when a command runs
			return
		}
		_, arguments, _ := strings.Cut(cmd.Use, " ")
		_, path, _ := strings.Cut(cmd.CommandPath(), " ")
		names = append(names, "`"+strings.TrimSpace(path+" "+arguments)+"`")
	})
	return strings.Join(names, ", ") + "\n"
}
