package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/fault"
)

func TestTable(t *testing.T) {
	number := int64(1234)
	note := "x\ny"
	at := time.Date(2026, 11, 22, 13, 0, 0, 0, time.FixedZone("", 3600))
	for _, test := range []struct {
		header []string
		rows   [][]any
		want   string
	}{
		{
			[]string{"ID", "NAME", "PRICE", "AT", "COMPANY"},
			[][]any{
				{1, "Zażółć", Amount(2.5), at, (*int64)(nil)},
				{int64(100), "a\tb\x1b[31m\u202e", Amount(1000), time.Time{}, &number},
				{3, "e\u0301", nil, at, nil},
			},
			" ID  NAME         PRICE  AT                    COMPANY\n" +
				"  1  Zażółć        2.50  2026-11-22 12:00:00Z        -\n" +
				"100  a b\ufffd[31m\ufffd  1000.00  -                        1234\n" +
				"  3  e\u0301                -  2026-11-22 12:00:00Z        -\n",
		},
		{[]string{"N"}, [][]any{{5}, {98.5}, {1e6}}, "      N\n      5\n   98.5\n1000000\n"},
		{[]string{"NOTE"}, [][]any{{&note}, {(*string)(nil)}}, "NOTE\nx y\n-\n"},
	} {
		var out strings.Builder
		if err := NewOutput(&out, nil).Table(test.header, test.rows); err != nil {
			t.Errorf("%v: %v", test.header, err)
		}
		if out.String() != test.want {
			t.Errorf("printed\n%swant\n%s", &out, test.want)
		}
	}
}

func TestLinks(t *testing.T) {
	const long = "https://www.shop.example/Click/Offer/0123456789012345678901234567890123456789?e=abcdef"
	for _, test := range []struct {
		link          Link
		linked, plain string // on a terminal with and without links
	}{
		{Link{URL: long}, text.Hyperlink(long, "shop.example/Click/Offer/012345…"), long},
		{Link{URL: "https://a.example/"}, text.Hyperlink("https://a.example/", "a.example"), "https://a.example/"},
		{Link{"Łódź", long}, text.Hyperlink(long, "Łódź"), "Łódź"},
		{Link{"x\x1b", "http://a.example"}, text.Hyperlink("http://a.example", "x\ufffd"), "x\ufffd"},
		{Link{URL: "https://a.example/\x1b\\evil"}, "https://a.example/\ufffd\\evil", "https://a.example/\ufffd\\evil"},
		{Link{URL: "https://a.example/~!"}, text.Hyperlink("https://a.example/~!", "a.example/~!"),
			"https://a.example/~!"},
		{Link{URL: "https://a.example/\x7f"}, "https://a.example/\ufffd", "https://a.example/\ufffd"},
		{Link{"click", "https://a.example/ b"}, "click", "click"},
		{Link{"click", "javascript:alert(1)"}, "click", "click"},
		{Link{"click", "file:///etc/passwd"}, "click", "click"},
		{Link{}, "", ""},
	} {
		if got := (&Output{links: true}).Link(test.link); got != test.linked {
			t.Errorf("%+v with links: got %q, want %q", test.link, got, test.linked)
		}
		if got := (&Output{}).Link(test.link); got != test.plain {
			t.Errorf("%+v without links: got %q, want %q", test.link, got, test.plain)
		}
	}
}

func TestLinksKeepColumnsAligned(t *testing.T) {
	var out strings.Builder
	rows := [][]any{{Link{"ab", "http://a.example"}, "x"}, {"abc", "y"}}
	if err := (&Output{writer: &out, links: true}).Table([]string{"A", "B"}, rows); err != nil {
		t.Fatal(err)
	}
	if want := "A    B\n" + text.Hyperlink("http://a.example", "ab") + "   x\nabc  y\n"; out.String() != want {
		t.Errorf("printed %q, want %q", &out, want)
	}
}

func TestPipeGetsNoEscapeSequences(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	environ := []string{"TERM=xterm-256color"}
	if NewOutput(writer, environ).links {
		t.Error("output to a pipe has links")
	}
	p := NewProgress(writer, environ)
	p.Show("1 of 2")
	p.Clear()
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if n, _ := reader.Read(make([]byte, 1)); n != 0 {
		t.Error("progress is shown in a pipe")
	}
}

func TestList(t *testing.T) {
	type row struct {
		Name string `json:"name"`
	}
	cells := func(r row) []any { return []any{r.Name} }
	for _, test := range []struct {
		json bool
		rows []row
		want string
	}{
		{false, nil, "NAME\n"},
		{false, []row{{"a"}}, "NAME\na\n"},
		{true, nil, "[]\n"},
		{true, []row{{"ą"}, {"b\u009b"}}, `[{"name":"ą"},{"name":"b\u009b"}]` + "\n"},
	} {
		var out strings.Builder
		if err := List(&Output{writer: &out, JSON: test.json}, test.rows, []string{"NAME"}, cells); err != nil {
			t.Errorf("%v: %v", test.rows, err)
		}
		if out.String() != test.want {
			t.Errorf("%v, JSON %t: printed %q, want %q", test.rows, test.json, &out, test.want)
		}
	}
	if err := (&Output{}).Value(math.NaN()); err == nil {
		t.Error("NaN, which JSON does not have, is printed without an error")
	}
}

// Control characters are escaped, and the document keeps its meaning.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"a", "\x1b]0;x\a", "\u009b31m", "\u202e", "\U000e0001", "ąę\u00ad", "\x7f",
		"<>&\u2028", "\uffff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		document, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		printed := printableJSON(document)
		if strings.ContainsFunc(string(printed), func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Errorf("%q is printed as %q, which has control characters", text, printed)
		}
		var got string
		if err := json.Unmarshal(printed, &got); err != nil {
			t.Errorf("%q is printed as %s: %v", text, printed, err)
		}
		if got != text {
			t.Errorf("%q is printed as %s, which means %q", text, printed, got)
		}
	})
}

func TestErrorsOfTheCommandLine(t *testing.T) {
	run := func(*cobra.Command, []string) error { return errors.New("ran") }
	execute := func(args ...string) (string, error) {
		root := &cobra.Command{Use: "tool", Short: "A tool", Long: "Long.", RunE: run}
		add := &cobra.Command{Use: "add NAME [NOTE]", Short: "Add", RunE: run}
		add.Flags().Int("limit", 1, "number")
		add.Flags().Bool("all", false, "all of it")
		add.Flags().StringSlice("tag", nil, "words")
		add.Flags().Duration("age", 0, "time")
		ChoiceVar(add, new(string), "kind", []string{"CPU", "gpu"}, "kind of part")
		move := &cobra.Command{Use: "move", Short: "Move", RunE: run}
		move.Flags().String("to", "", "where")
		_ = move.MarkFlagRequired("to")
		join := &cobra.Command{Use: "join WORD…", Short: "Join", RunE: run}
		root.AddCommand(Group("thing", "Things", add, move), join)
		Prepare(root, build.Info{Version: "v1.2.3", Commit: "abc", Date: "2026-11-22T10:00:00Z"})
		var out strings.Builder
		root.SetArgs(args)
		root.SetOut(&out)
		root.SetErr(&out)
		err := root.Execute()
		return out.String(), err
	}
	for line, want := range map[string]string{ // the text of the error; "ran" is that of the command
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
		`thing add a --tag b"`:   `--tag "b\"": want values separated by commas`,
		"thing add a --age 3":    `--age "3": want a duration`,
		"thing add a --kind ram": `--kind "ram": want one of CPU, gpu`,
		"completion tcsh":        `shell "tcsh": want one of bash, zsh, fish`,
	} {
		out, err := execute(strings.Fields(line)...)
		if fmt.Sprint(err) != want {
			t.Errorf("%q: got error %v, want %s", line, err, want)
		}
		if out != "" {
			t.Errorf("%q: printed %q, want nothing", line, out)
		}
		if got := Status(err); want != "ran" && got != StatusUsage {
			t.Errorf("%q: got status %d, want %d", line, got, StatusUsage)
		}
	}
	for _, line := range []string{"thing", "help thing add"} {
		out, err := execute(strings.Fields(line)...)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if !strings.Contains(out, "Usage:\n") {
			t.Errorf("%q: printed %q, want the help", line, out)
		}
	}
}

type demo struct{}

func (demo) Serve(context.Context) error { return errors.New("served") }

func (demo) Probe(context.Context) error { return errors.New("not ready") }

func (demo) Doctor(context.Context) *Diagnosis { return &Diagnosis{} }

func TestProgramRunsItsService(t *testing.T) {
	for line, want := range map[string]struct{ err, prints string }{
		"":                   {"served", ""},
		"serve":              {"served", ""},
		"healthcheck":        {"not ready", ""},
		"--help":             {"<nil>", "deploy/env/demo.env.example describes them:\n\n  DEMO_ADDR=:1"},
		"healthcheck --help": {"<nil>", "DEMO_ADMIN_ADDR is ready"},
	} {
		var out strings.Builder
		p := Program{Service: demo{}, Stdout: &out, Stderr: &out, Settings: "  DEMO_ADDR=:1"}
		root := p.NewRoot("demo", "A demo", "Long.")
		Prepare(root, build.Info{})
		if err := p.Execute(t.Context(), root, strings.Fields(line)); fmt.Sprint(err) != want.err {
			t.Errorf("%q: got error %v, want %s", line, err, want.err)
		}
		if !strings.Contains(out.String(), want.prints) {
			t.Errorf("%q: printed\n%s\nwant %q in it", line, &out, want.prints)
		}
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
				t.Errorf("Status(%v) = %d, want %d", err, got, want)
			}
		}
	}
}
