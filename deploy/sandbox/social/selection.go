package social

import (
	"slices"
	"strings"
)

// selection is which fields of an object are asked for
// (https://developers.facebook.com/docs/graph-api/guides/field-expansion). Of the
// language this much is understood: names, and {names} of what is in a field.
type selection []field

type field struct {
	name string
	of   selection // nil: the usual fields
}

// maxDepth bounds the braces within braces.
const maxDepth = 4

// readSelection reads the parameter fields; nil when it is empty.
func readSelection(text string) (selection, *refusal) {
	if text == "" {
		return nil, nil
	}
	p := &parser{text: text}
	fields, refused := p.list(0)
	if refused == nil && p.at < len(text) {
		refused = p.wrong("Expected end of string instead of \"" + text[p.at:p.at+1] + "\".")
	}
	return fields, refused
}

type parser struct {
	text string
	at   int
}

func (p *parser) list(depth int) (selection, *refusal) {
	var fields selection
	for {
		f := field{name: p.name()}
		switch {
		case f.name == "":
			return nil, p.wrong("Expected name of a field.")
		case slices.ContainsFunc(fields, func(other field) bool { return other.name == f.name }):
			return nil, p.wrong("Field " + f.name + " specified more than once.")
		case depth == maxDepth:
			return nil, p.wrong("Too many levels.")
		}
		if p.take('{') {
			of, refused := p.list(depth + 1)
			if refused != nil {
				return nil, refused
			}
			if !p.take('}') {
				return nil, p.wrong("Expected } at the end of the fields of " + f.name + ".")
			}
			f.of = of
		}
		fields = append(fields, f)
		if !p.take(',') {
			return fields, nil
		}
	}
}

func (p *parser) name() string {
	rest := p.text[p.at:]
	end := strings.IndexFunc(rest, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	return rest[:end]
}

func (p *parser) take(b byte) bool {
	if p.at < len(p.text) && p.text[p.at] == b {
		p.at++
		return true
	}
	return false
}

func (p *parser) wrong(what string) *refusal {
	return refuse(2500, 0, "Syntax error \""+what+"\" at character "+itoa(p.at)+": "+p.text)
}
