package web_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the pages of TestPagesInEachState show to testdata/pages")

// outline is what a page shows and offers, a line for each block: headings, texts with the
// level of badges and alerts, tables, charts, links with their addresses, and forms with
// their addresses, fields and buttons. Texts that are always the same are left out.
func (a answer) outline() string {
	a.t.Helper()
	o := outliner{}
	refresh, _, _ := strings.Cut(a.Header().Get("Refresh"), "?")
	o.line("%d %s", a.Code, refresh)
	decoder := xml.NewDecoder(strings.NewReader(a.Body.String()))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return o.out.String()
		}
		if err != nil {
			a.t.Fatalf("%v in\n%s", err, a.Body)
		}
		switch token := token.(type) {
		case xml.StartElement:
			o.start(token.Name.Local, token.Attr)
		case xml.EndElement:
			o.end()
		case xml.CharData:
			o.text(string(token))
		}
	}
}

// outliner writes an outline.
type outliner struct {
	out   strings.Builder
	words []string
	open  []element
	main  bool
	quiet int // elements around the place whose texts are left out
}

// element is one that is open, with what follows its text.
type element struct {
	name, after  string
	block, quiet bool
}

// blocks are the elements that begin a line.
var blocks = []string{
	"main", "h1", "h2", "h3", "p", "li", "tr", "div", "dt", "form", "section", "details", "summary", "figure", "table", "caption", "nav", "dl", "tbody",
}

// quietClasses are of texts that are always the same.
var quietClasses = []string{"hint", "lead", "waiting"}

var spaces = strings.NewReplacer("[ ", "[", " ]", "]", "{ ", "{", " }", "}", " )", ")")

func (o *outliner) line(format string, values ...any) {
	o.flush()
	o.words = append(o.words, strings.TrimSpace(fmt.Sprintf(format, values...)))
	o.flush()
}

func (o *outliner) flush() {
	if line := strings.Join(o.words, " "); line != "" {
		o.out.WriteString(spaces.Replace(line) + "\n")
	}
	o.words = nil
}

func (o *outliner) text(text string) {
	if o.quiet == 0 && (o.main || len(o.open) > 0 && o.open[len(o.open)-1].name == "title") {
		o.words = append(o.words, strings.Fields(text)...)
	}
}

func (o *outliner) say(word string) {
	if word != "" {
		o.words = append(o.words, word)
	}
}

func (o *outliner) start(name string, attributes []xml.Attr) {
	value := func(name string) string {
		for _, a := range attributes {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	flags := func(names ...string) (found string) {
		for _, a := range attributes {
			if slices.Contains(names, a.Name.Local) {
				found += " " + a.Name.Local
			}
		}
		return found
	}
	classes := strings.Fields(value("class"))
	e := element{
		name: name, block: slices.Contains(blocks, name) || slices.Contains(classes, "chart"),
		quiet: slices.ContainsFunc(classes, func(c string) bool { return slices.Contains(quietClasses, c) }),
	}
	if e.block {
		o.flush()
	}
	if name == "main" {
		o.main = true
	}
	if o.main {
		e.after = o.offer(name, classes, value, flags)
	}
	if e.quiet {
		o.quiet++
	}
	o.open = append(o.open, e)
}

// offer writes what an element adds to its text, and returns what comes after that.
func (o *outliner) offer(name string, classes []string, value func(string) string, flags func(...string) string) (after string) {
	level := ""
	for _, c := range classes {
		if c == "good" || c == "warning" || c == "bad" || c == "up" || c == "down" {
			level = c + ":"
		}
	}
	switch {
	case name == "h1" || name == "h2" || name == "h3":
		o.say(strings.Repeat("#", int(name[1]-'0')))
	case slices.Contains(classes, "badge"):
		o.say("[" + level)
		return "]"
	case slices.Contains(classes, "alert"):
		o.say("(" + level)
		return ")" + flags("autofocus")
	case level != "" && name != "svg":
		o.say(level)
	case name == "a":
		href := value("href")
		if strings.HasPrefix(href, "https://consent.example") {
			href, _, _ = strings.Cut(href, "?") // whose state is random
		}
		return "<" + href + ">" + flags("aria-current")
	case name == "form":
		o.say(strings.TrimSpace(strings.ToUpper(value("method")) + " " + value("action")))
	case name == "button":
		o.say("{")
		return strings.TrimSpace("} " + value("formaction") + value("data-copy") + flags("disabled"))
	case name == "input" || name == "textarea" || name == "select":
		o.say(value("name") + "=" + value("value") + flags("checked", "disabled", "autofocus", "aria-invalid"))
	case name == "option":
		o.say("|" + value("value") + flags("selected"))
	case name == "rect":
		o.say("·")
	case name == "path" && slices.Contains(classes, "chart-line"):
		o.say(value("d"))
	case name == "td":
		o.say("|")
	case name == "details":
		o.say(strings.TrimSpace(flags("open")))
	}
	if id := value("id"); id != "" && (name == "section" || name == "tbody") {
		o.say("@" + id)
	}
	return ""
}

func (o *outliner) end() {
	e := o.open[len(o.open)-1]
	o.open = o.open[:len(o.open)-1]
	o.say(e.after)
	if e.block {
		o.flush()
	}
	if e.name == "main" {
		o.main = false
	}
	if e.quiet {
		o.quiet--
	}
}

// wantOutline compares the outline of a page with the file of that name.
func (a answer) wantOutline(name string) {
	a.t.Helper()
	a.want(name, a.outline())
}

// want compares a part of an outline with the file of that name.
func (a answer) want(name, got string) {
	a.t.Helper()
	file := filepath.Join("testdata", "pages", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		a.t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		a.t.Errorf("%s differs (-want +got; go test -update writes it):\n%s", file, diff)
	}
}
