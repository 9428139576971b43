package cli

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

func TestTable(t *testing.T) {
	var out strings.Builder
	number, at := int64(1234), time.Date(2026, 11, 22, 13, 0, 0, 0, time.FixedZone("", 3600))
	o := NewOutput(&out, nil)
	err := o.Table([]string{"ID", "NAME", "PRICE", "AT", "COMPANY"}, [][]any{
		{1, "Zażółć", Amount(2.5), at, (*int64)(nil)},
		{int64(100), "a\tb\x1b[31m\u202e", Amount(1000), time.Time{}, &number},
		{3, "e\u0301", nil, at, nil},
	})
	want := "" +
		" ID  NAME         PRICE  AT                    COMPANY\n" +
		"  1  Zażółć        2.50  2026-11-22 12:00:00Z        -\n" +
		"100  a b\ufffd[31m\ufffd  1000.00  -                        1234\n" +
		"  3  e\u0301                -  2026-11-22 12:00:00Z        -\n"
	if err != nil || out.String() != want {
		t.Errorf("error %v, printed\n%swant\n%s", err, &out, want)
	}
}

func TestLinks(t *testing.T) {
	const long = "https://www.shop.example/Click/Offer/0123456789012345678901234567890123456789?e=abcdef"
	for _, test := range []struct {
		link            Link
		linked, plainly string
	}{
		{Link{URL: long}, text.Hyperlink(long, "shop.example/Click/Offer/012345…"), long},
		{Link{URL: "https://a.example/"}, text.Hyperlink("https://a.example/", "a.example"), "https://a.example/"},
		{Link{"Łódź", long}, text.Hyperlink(long, "Łódź"), "Łódź"},
		{Link{"x\x1b", "http://a.example"}, text.Hyperlink("http://a.example", "x\ufffd"), "x\ufffd"},
		{Link{URL: "https://a.example/\x1b\\evil"}, "https://a.example/\ufffd\\evil", "https://a.example/\ufffd\\evil"},
		{Link{"click", "javascript:alert(1)"}, "click", "click"},
		{Link{"click", "file:///etc/passwd"}, "click", "click"},
		{Link{}, "", ""},
	} {
		if got := (&Output{links: true}).Link(test.link); got != test.linked {
			t.Errorf("%+v: %q, want %q", test.link, got, test.linked)
		}
		if got := (&Output{}).Link(test.link); got != test.plainly {
			t.Errorf("%+v, no links: %q, want %q", test.link, got, test.plainly)
		}
	}
	var out strings.Builder
	if err := (&Output{writer: &out, links: true}).Table([]string{"A", "B"}, [][]any{{Link{"ab", "http://a.example"}, "x"}, {"abc", "y"}}); err != nil {
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
	if NewOutput(writer, environ).links || NewProgress(writer, environ).on {
		t.Error("a pipe is taken for a terminal")
	}
	p := NewProgress(writer, environ)
	p.Show("1 of 2")
	p.Clear()
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if n, _ := reader.Read(make([]byte, 1)); n != 0 {
		t.Error("progress in a pipe")
	}
}

// recorder records what is written, and reports each write.
type recorder struct {
	text   string
	writes chan int
}

func (r *recorder) Write(p []byte) (int, error) {
	r.text += string(p)
	select {
	case r.writes <- len(p):
	default:
	}
	return len(p), nil
}

func TestProgressShowsLastMessageUntilCleared(t *testing.T) {
	out := &recorder{writes: make(chan int, 1)}
	p := &Progress{writer: out, on: true}
	p.Clear()
	p.Show("%d of %d", 1, 2)
	<-out.writes
	p.Show("%s", "\x1b[2J\nx")
	p.Clear()
	p.Clear()
	const erase = "\x1b[A\x1b[K"
	if want := "1 of 2 [0s]\n" + erase + "\ufffd[2J x [0s]\n" + erase; out.text != want {
		t.Errorf("showed %q, want %q", out.text, want)
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
		{true, []row{{"a"}, {"b\u009b"}}, `[{"name":"a"},{"name":"b\u009b"}]` + "\n"},
	} {
		var out strings.Builder
		if err := List(&Output{writer: &out, JSON: test.json}, test.rows, []string{"NAME"}, cells); err != nil || out.String() != test.want {
			t.Errorf("%+v: error %v, printed %q, want %q", test.rows, err, &out, test.want)
		}
	}
	if err := (&Output{}).Value(math.NaN()); err == nil {
		t.Error("not a number is JSON")
	}
}

// Control characters are escaped, and the document keeps its meaning.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"a", "\x1b]0;x\a", "\u009b31m", "\u202e", "\U000e0001", "ąę\u00ad", "\x7f", "<>&\u2028"} {
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
			t.Errorf("%q is printed as %q", text, printed)
		}
		var got string
		if err := json.Unmarshal(printed, &got); err != nil || got != text {
			t.Errorf("%q is printed as %s, which is %q, %v", text, printed, got, err)
		}
	})
}

func TestNumbersOfEveryWidth(t *testing.T) {
	var out strings.Builder
	err := NewOutput(&out, nil).Table([]string{"N"}, [][]any{{5}, {98.5}, {1e6}})
	if want := "      N\n      5\n   98.5\n1000000\n"; err != nil || out.String() != want {
		t.Errorf("error %v, printed %q", err, &out)
	}
}
