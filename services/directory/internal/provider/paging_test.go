package provider

import (
	"errors"
	"io"
	"slices"
	"testing"

	"backend.example/services/internal/kit/fault"
)

func TestEveryPage(t *testing.T) {
	tests := []struct {
		name  string
		next  map[string]string // cursor → the one of the next page
		want  []string          // cursors of the pages read
		fault string
	}{
		{"one", nil, []string{""}, ""},
		{"three", map[string]string{"": "a", "a": "b"}, []string{"", "a", "b"}, ""},
		{"the same again", map[string]string{"": "a", "a": "a"}, []string{"", "a"}, CodeChanged.Name},
		{"in a circle", map[string]string{"": "a", "a": "b", "b": "a"}, []string{"", "a", "b"}, CodeChanged.Name},
		{"more than the limit", map[string]string{"": "a", "a": "b", "b": "c", "c": "d"}, []string{"", "a", "b", "c"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var read []string
			complete, err := EachPage(4, func(cursor string) (string, error) {
				read = append(read, cursor)
				return test.next[cursor], nil
			})
			if (err != nil) != (test.fault != "") || err != nil && !fault.Is(err, test.fault) {
				t.Errorf("err = %v, want fault %q", err, test.fault)
			}
			if want := test.fault == "" && test.next["c"] == ""; complete != want {
				t.Errorf("complete = %t", complete)
			}
			if !slices.Equal(read, test.want) {
				t.Errorf("read %q, want %q", read, test.want)
			}
		})
	}
	_, err := EachPage(4, func(string) (string, error) { return "a", io.EOF })
	if !errors.Is(err, io.EOF) {
		t.Errorf("err = %v, want that of the page", err)
	}
}
