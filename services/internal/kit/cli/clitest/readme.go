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
