package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Output is where a command prints its data: a table for people, or one JSON document
// for programs.
type Output struct {
	JSON   bool // asked for with --json
	writer io.Writer
	links  bool
}

// NewOutput prints to w. Addresses are links when w is a terminal that can follow them,
// unless TERM or NO_COLOR in environ say otherwise.
func NewOutput(w io.Writer, environ []string) *Output {
	return &Output{writer: w, links: understands(w, environ) && !slices.ContainsFunc(environ, func(s string) bool {
		return strings.HasPrefix(s, "NO_COLOR=") && s != "NO_COLOR="
	})}
}

// Terminal is the terminal behind a stream of the process; ok is false when there is
// none.
func Terminal(stream any) (file *os.File, ok bool) {
	file, ok = stream.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// understands reports whether a stream is a terminal that obeys escape sequences. The
// last TERM counts, as for every program.
func understands(stream any, environ []string) bool {
	kind := ""
	for _, setting := range environ {
		if value, ok := strings.CutPrefix(setting, "TERM="); ok {
			kind = value
		}
	}
	_, ok := Terminal(stream)
	return ok && kind != "" && kind != "dumb" && kind != "linux"
}

// JSONFlag gives the command the flag --json.
func (o *Output) JSONFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print one JSON document")
	return cmd
}

// Printf prints for people.
func (o *Output) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(o.writer, format, args...)
	return err
}

// Document prints a JSON document on one line.
func (o *Output) Document(document []byte) error {
	return o.Printf("%s\n", printableJSON(document))
}

// Value prints a value as JSON.
func (o *Output) Value(value any) error {
	document, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return o.Document(document)
}

// List prints rows: as a JSON array, or as a table with the cells of each.
func List[Row any](o *Output, rows []Row, head []string, cells func(Row) []any) error {
	if o.JSON {
		return o.Value(append([]Row{}, rows...)) // never null
	}
	table := make([][]any, len(rows))
	for i, row := range rows {
		table[i] = cells(row)
	}
	return o.Table(head, table)
}

// Amount is a number with two decimals.
type Amount float64

// Table prints rows under a head, in columns. Numbers stand at the right. A cell is a
// text, a Link, a time, a number, a pointer to a text or number, or nil for what is not there.
func (o *Output) Table(head []string, rows [][]any) error {
	lines := make([][]cell, len(rows)+1)
	columns := make([]column, len(head))
	for i, text := range head {
		lines[0] = append(lines[0], cell{text: text, width: width(text)})
		columns[i].width = width(text)
	}
	for n, row := range rows {
		for i, value := range row {
			c := o.cell(value)
			lines[n+1] = append(lines[n+1], c)
			columns[i].width = max(columns[i].width, c.width)
			columns[i].number = columns[i].number || c.number
		}
	}
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(join(line, columns))
	}
	return o.Printf("%s", out.String())
}

type column struct {
	width  int
	number bool
}

type cell struct {
	text   string
	width  int // of what is seen
	number bool
}

func (o *Output) cell(value any) cell {
	text, number := "", true
	switch value := value.(type) {
	case nil:
		text, number = "-", false
	case *int64:
		if value == nil {
			return o.cell(nil)
		}
		text = fmt.Sprint(*value)
	case *string:
		if value == nil {
			return o.cell(nil)
		}
		text, number = Printable(*value), false
	case int, int64:
		text = fmt.Sprint(value)
	case float64:
		text = strconv.FormatFloat(value, 'f', -1, 64)
	case Amount:
		text = fmt.Sprintf("%.2f", value)
	case time.Time:
		text, number = Time(value), false
	case Link:
		links := o.links && value.isSafe()
		text, number = value.text(links), false
		if links {
			return cell{text: hyperlink(value.URL, text), width: width(text)}
		}
	default:
		text, number = Printable(fmt.Sprint(value)), false
	}
	return cell{text, width(text), number}
}

// Link is a link as it stands in a table.
func (o *Output) Link(l Link) string { return o.cell(l).text }

// Time is a moment as tables show it, in UTC.
func Time(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// join puts the cells of a line into their columns.
func join(line []cell, columns []column) string {
	var out strings.Builder
	for i, c := range line {
		padding := strings.Repeat(" ", columns[i].width-c.width)
		if columns[i].number {
			out.WriteString(padding + c.text + "  ")
		} else {
			out.WriteString(c.text + padding + "  ")
		}
	}
	return strings.TrimRight(out.String(), " ") + "\n"
}
