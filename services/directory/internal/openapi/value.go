package openapi

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// toJSON is a value as indented JSON, with its fields in the order of the document.
func toJSON(node *yaml.Node) string {
	var b strings.Builder
	writeJSON(&b, node, "\n")
	return b.String()
}

// writeJSON begins further lines with indent, which has the line break in it.
func writeJSON(b *strings.Builder, node *yaml.Node, indent string) {
	switch node.Kind {
	case yaml.AliasNode:
		writeJSON(b, node.Alias, indent)
	case yaml.MappingNode:
		writeList(b, "{}", indent, len(node.Content)/2, func(i int, indent string) {
			b.WriteString(quoted(node.Content[2*i].Value) + ": ")
			writeJSON(b, node.Content[2*i+1], indent)
		})
	case yaml.SequenceNode:
		writeList(b, "[]", indent, len(node.Content), func(i int, indent string) { writeJSON(b, node.Content[i], indent) })
	case yaml.ScalarNode:
		b.WriteString(scalar(node))
	}
}

func writeList(b *strings.Builder, brackets, indent string, length int, write func(i int, indent string)) {
	inner := indent + "  "
	b.WriteByte(brackets[0])
	for i := range length {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(inner)
		write(i, inner)
	}
	if length > 0 {
		b.WriteString(indent)
	}
	b.WriteByte(brackets[1])
}

// scalar is a simple value in JSON. What YAML alone takes for more than text, a
// date for one, is text.
func scalar(node *yaml.Node) string {
	switch node.ShortTag() {
	case "!!null":
		return "null"
	case "!!bool", "!!int", "!!float":
		return node.Value
	}
	return quoted(node.Value)
}

func quoted(s string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // fails for no string
	return strings.TrimSuffix(b.String(), "\n")
}

// text is a simple value as it is written, and any other as JSON.
func text(node *yaml.Node) string {
	if node.Kind == yaml.ScalarNode {
		return node.Value
	}
	return toJSON(node)
}

func texts(list *yaml.Node) (all []string) {
	for _, node := range list.Content {
		all = append(all, text(node))
	}
	return all
}

// member is the text of one field of an object; empty without it.
func member(node *yaml.Node, name string) string {
	for i := 0; node.Kind == yaml.MappingNode && i < len(node.Content); i += 2 {
		if node.Content[i].Value == name && node.Content[i+1].Kind == yaml.ScalarNode {
			return node.Content[i+1].Value
		}
	}
	return ""
}
