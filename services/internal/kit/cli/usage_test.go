package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/fault"
)

var errRan = errors.New("ran")

// newRoot returns a program with a command of each form. Commands return errRan and set
// kind.
func newRoot(kind *string) *cobra.Command {
	run := func(*cobra.Command, []string) error { return errRan }
	root := &cobra.Command{Use: "tool", Short: "A tool", Long: "Long.", RunE: run}
	add := &cobra.Command{Use: "add NAME [NOTE]", Short: "Add", RunE: run}
	add.Flags().Int("limit", 1, "number")
	add.Flags().Bool("all", false, "all of it")
	ChoiceVar(add, kind, "kind", []string{"CPU", "gpu"}, "kind of part")
	move := &cobra.Command{Use: "move", Short: "Move", RunE: run}
	move.Flags().String("to", "", "where")
	_ = move.MarkFlagRequired("to")
	root.AddCommand(Group("thing", "Things", add, move), &cobra.Command{Use: "join WORD…", Short: "Join", RunE: run})
	Prepare(root, build.Info{Version: "v1.2.3", Commit: "abc", Date: "2026-11-22T10:00:00Z"})
	return root
}

func execute(kind *string, args ...string) (string, error) {
	var out strings.Builder
	root := newRoot(kind)
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.Execute()
	return out.String(), err
}

func TestUsage(t *testing.T) {
	for line, want := range map[string]string{
		"":                       "ran",
		"thing add a":            "ran",
		"thing add a b":          "ran",
		"join a b c":             "ran",
		"thing move --to x":      "ran",
		"thin":                   `unknown command "thin" for "tool"; did you mean join or thing?`,
		"xyzzy":                  `unknown command "xyzzy" for "tool"; tool --help lists the commands`,
		"thing ad":               `unknown command "ad" for "tool thing"; did you mean add?`,
		"help thing ad":          `unknown command "ad" for "tool thing"; did you mean add?`,
		"thing add":              "NAME missing; usage: tool thing add NAME [NOTE] [flags]",
		"thing add a b c":        `"c" is one argument too many; usage: tool thing add NAME [NOTE] [flags]`,
		"join":                   "WORD… missing; usage: tool join WORD… [flags]",
		"thing move":             "--to missing; usage: tool thing move [flags]",
		"thing move --to":        "flag needs an argument: --to",
		"thing add --limt 3":     "unknown flag: --limt; tool thing add --help lists the flags",
		"thing add a --limit 3x": `--limit "3x": want a whole number`,
		"thing add a --all=3":    `--all "3": want true or false`,
		"thing add a --kind ram": `--kind "ram": want one of CPU, gpu`,
		"completion tcsh":        `shell "tcsh": want one of bash, zsh, fish`,
		"docs":                   "",
		"thing":                  "",
		"help thing add":         "",
	} {
		var kind string
		out, err := execute(&kind, strings.Fields(line)...)
		switch {
		case want == "":
			if err != nil || !strings.Contains(out, "Usage:\n") {
				t.Errorf("%q: %v, printed %q", line, err, out)
			}
		case err == nil || err.Error() != want || out != "":
			t.Errorf("%q: %v, printed %q; want %q", line, err, out, want)
		case want != "ran" && Status(err) != StatusUsage:
			t.Errorf("%q: status %d", line, Status(err))
		}
	}
}

func TestChoiceInAnyLetterCase(t *testing.T) {
	for text, want := range map[string]string{"cpu": "CPU", "CPU": "CPU", "Gpu": "gpu"} {
		var kind string
		if _, err := execute(&kind, "thing", "add", "a", "--kind", text); !errors.Is(err, errRan) || kind != want {
			t.Errorf("%s: %q, %v", text, kind, err)
		}
	}
}

func TestHelpContainsStatusesAndVersion(t *testing.T) {
	var kind string
	if out, err := execute(&kind, "--help"); err != nil || !strings.HasPrefix(out, "A tool.\n\nLong.\n\nExit status: 0 done, ") {
		t.Errorf("%v, printed %q", err, out)
	}
	if out, err := execute(&kind, "--version"); err != nil || out != "tool version v1.2.3 (commit abc, built 2026-11-22T10:00:00Z)\n" {
		t.Errorf("%v, printed %q", err, out)
	}
}

func TestDocs(t *testing.T) {
	var kind string
	dir := filepath.Join(t.TempDir(), "a", "b")
	for format, wants := range map[string]map[string]string{
		"man":      {"tool-thing-add.1": `.TH "TOOL-THING-ADD" "1" "Nov 2026" "tool v1.2.3" "tool manual"`, "tool.1": "Exit status: 0 done"},
		"markdown": {"tool_thing_add.md": "## tool thing add\n", "tool.md": "[tool thing](tool_thing.md)"},
	} {
		for range 2 { // the second time is like the first
			if out, err := execute(&kind, "docs", format, dir); err != nil || out != "" {
				t.Fatalf("%s: %v, printed %q", format, err, out)
			}
		}
		for file, want := range wants {
			page, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil || !strings.Contains(string(page), want) {
				t.Errorf("%s: %v, holds %s", file, err, page)
			}
		}
	}
}

func TestWalkVisitsCommandsWithoutSubcommands(t *testing.T) {
	var kind string
	var paths []string
	Walk(newRoot(&kind), func(c *cobra.Command) { paths = append(paths, c.CommandPath()) })
	const want = "tool completion, tool docs man, tool docs markdown, tool join, tool thing add, tool thing move"
	if got := strings.Join(paths, ", "); got != want {
		t.Errorf("visited %s", got)
	}
}

func TestStatus(t *testing.T) {
	for want, errs := range map[int][]error{
		StatusDone:        {nil},
		StatusFailed:      {errors.New("x"), fault.New(fault.Invalid, "x", "")},
		StatusUsage:       {Usagef("x"), fmt.Errorf("y: %w", Usagef("x"))},
		StatusNotFound:    {NotFoundf("x"), fmt.Errorf("y: %w", fault.New(fault.NotFound, "x", ""))},
		StatusInterrupted: {context.Canceled, fmt.Errorf("y: %w", context.Canceled)},
	} {
		for _, err := range errs {
			if got := Status(err); got != want {
				t.Errorf("%v: status %d, want %d", err, got, want)
			}
		}
	}
}

func TestReport(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{fmt.Errorf("y: %w", context.Canceled), ""},
		{fmt.Errorf("write: %w", syscall.EPIPE), ""},
		{errors.New("a\nb"), "tool: a\nb\n"},
		{errors.New("\x1b]0;title\a\x9b31m\u202e"), "tool: \ufffd]0;title\ufffd\ufffd31m\ufffd\n"},
	} {
		var out strings.Builder
		if report(&out, "tool", test.err); out.String() != test.want {
			t.Errorf("%v: reported %q, want %q", test.err, &out, test.want)
		}
	}
}
