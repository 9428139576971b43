package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Output prints the data of a command as a table or as one JSON document.
type Output struct {
	JSON     bool // set by --json
	writer   io.Writer
	links    bool      // whether the terminal shows links
	progress *Progress // is cleared before each output; may be nil
}

// NewOutput returns an Output to w. Addresses are links if w is a terminal that supports them and NO_COLOR is not
// set.
func NewOutput(w io.Writer, environ []string) *Output {
	noColor := slices.ContainsFunc(environ, func(s string) bool {
		return strings.HasPrefix(s, "NO_COLOR=") && s != "NO_COLOR="
	})
	return &Output{writer: w, links: isTerminal(w, environ) && !noColor}
}

// Terminal returns the file of a stream, and whether it is a terminal.
func Terminal(stream any) (file *os.File, ok bool) {
	file, ok = stream.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// isTerminal reports whether a stream is a terminal that supports escape sequences. The last TERM of environ
// counts.
func isTerminal(stream any, environ []string) bool {
	kind := ""
	for _, setting := range environ {
		if value, ok := strings.CutPrefix(setting, "TERM="); ok {
			kind = value
		}
	}
	_, ok := Terminal(stream)
	return ok && kind != "" && kind != "dumb" && kind != "linux"
}

// JSONFlag adds the flag --json to a command.
func (o *Output) JSONFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print one JSON document")
	return cmd
}

// Printf prints formatted text.
func (o *Output) Printf(format string, args ...any) error {
	if o.progress != nil {
		o.progress.Clear()
	}
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

// List prints rows as a JSON array, or as a table with the cells of each row.
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

// Amount is printed with two decimals.
type Amount float64

var tableStyle = table.Style{Box: table.BoxStyle{PaddingRight: "  "}, Options: table.OptionsNoBordersAndSeparators}

// Table prints rows. A cell is a string, a Link, a time, a number, or nil. It may also be a *string or an *int64.
// Columns with numbers are aligned to the right.
func (o *Output) Table(head []string, rows [][]any) error {
	t := table.NewWriter()
	t.SetStyle(tableStyle)
	t.SuppressTrailingSpaces()
	columns := make([]table.ColumnConfig, len(head))
	header := make(table.Row, len(head))
	for i, name := range head {
		columns[i].Number, header[i] = i+1, name
	}
	t.AppendHeader(header)
	for _, row := range rows {
		cells := make(table.Row, len(row))
		for i, value := range row {
			var number bool
			if cells[i], number = o.cell(value); number {
				columns[i].Align, columns[i].AlignHeader = text.AlignRight, text.AlignRight
			}
		}
		t.AppendRow(cells)
	}
	t.SetColumnConfigs(columns)
	return o.Printf("%s\n", t.Render())
}

// cell returns the text of a cell, and whether it is a number.
func (o *Output) cell(value any) (text string, number bool) {
	switch value := value.(type) {
	case *int64:
		if value != nil {
			return o.cell(*value)
		}
	case *string:
		if value != nil {
			return o.cell(*value)
		}
	case nil:
	case int, int64:
		return fmt.Sprint(value), true
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), true
	case Amount:
		return fmt.Sprintf("%.2f", value), true
	case time.Time:
		return Time(value), false
	case Link:
		return o.Link(value), false
	default:
		return Printable(fmt.Sprint(value)), false
	}
	return "-", false
}

// Time returns the form of a time in tables, in UTC.
func Time(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// Link is a web address with a text, by default the address.
type Link struct{ Text, URL string }

// Link returns the text of l. If the terminal supports links, it is an OSC 8 sequence, and an address as the text is
// shortened.
func (o *Output) Link(l Link) string {
	label := Printable(cmp.Or(l.Text, l.URL))
	if !o.links || !l.isSafe() {
		return label
	}
	if l.Text == "" {
		label = l.short()
	}
	return text.Hyperlink(l.URL, label)
}

// maxLink is the width of a shortened address, in characters.
const maxLink = 32

func (l Link) short() string {
	_, address, _ := strings.Cut(l.URL, "://")
	address, _, _ = strings.Cut(strings.TrimPrefix(address, "www."), "?")
	return text.Snip(strings.TrimSuffix(address, "/"), maxLink, "…")
}

// isSafe reports whether the address can be written to a terminal.
func (l Link) isSafe() bool {
	isWeb := strings.HasPrefix(l.URL, "https://") || strings.HasPrefix(l.URL, "http://")
	isPlain := !strings.ContainsFunc(l.URL, func(r rune) bool { return r <= ' ' || r >= 0x7f }) // printable ASCII
	return isWeb && isPlain
}

// Printable returns text on one line, with control characters and direction marks replaced: sources and users must
// not control the terminal.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsGraphic(r):
			return r
		}
		return utf8.RuneError
	}, text)
}

// printableJSON escapes the same characters, which does not change the meaning of the document.
func printableJSON(document []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(document) {
		switch {
		case unicode.IsGraphic(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}

// Progress shows the state and the duration of a long command on one line of a terminal, and nothing elsewhere.
type Progress struct {
	writer io.Writer
	on     bool
	width  int // 0 if unknown

	mu        sync.Mutex
	tracker   *progress.Tracker // nil if nothing is shown
	rendering sync.WaitGroup
}

// NewProgress returns a Progress that writes to w.
func NewProgress(w io.Writer, environ []string) *Progress {
	p := &Progress{writer: w, on: isTerminal(w, environ)}
	if file, ok := Terminal(w); ok {
		p.width, _, _ = term.GetSize(int(file.Fd()))
	}
	return p
}

var progressStyle = progress.Style{
	Chars:      progress.StyleCharsDefault,
	Options:    progress.StyleOptions{TimeInProgressPrecision: time.Second, TimeDonePrecision: time.Second},
	Visibility: progress.StyleVisibility{Time: true},
}

// Show replaces the line.
func (p *Progress) Show(format string, args ...any) {
	if !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	message := Printable(fmt.Sprintf(format, args...))
	if p.tracker != nil {
		p.tracker.UpdateMessage(message)
		return
	}
	p.tracker = &progress.Tracker{Message: message}
	w := progress.NewWriter()
	w.SetStyle(progressStyle)
	w.SetOutputWriter(p.writer)
	w.SetTerminalWidth(p.width)
	w.SetTrackerPosition(progress.PositionRight)
	w.SetUpdateFrequency(100 * time.Millisecond)
	w.SetAutoStop(true)
	w.AppendTracker(p.tracker)
	p.rendering.Go(w.Render)
}

// Clear removes the line, so that other output starts on an empty one.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tracker == nil {
		return
	}
	p.tracker.MarkAsDone() // stops the rendering
	p.rendering.Wait()
	p.tracker = nil
	fmt.Fprint(p.writer, text.CursorUp.Sprint(), text.EraseLine.Sprint())
}
