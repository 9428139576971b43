package standin_test

import (
	"strings"
	"testing"

	"backend.example/deploy/sandbox/internal/standin"
)

func TestReadOptions(t *testing.T) {
	cases := map[string]struct{ body, account, problem string }{
		"nothing":   {"", "before", ""},
		"white":     {" \n", "before", ""},
		"an object": {`{"account":"anna"}`, "anna", ""},
		"no object": {`"anna"`, "", "not a valid JSON object"},
		"no JSON":   {`account=anna`, "", "not a valid JSON object"},
		"unknown":   {`{"acount":"anna"}`, "", `unknown field "acount"`},
		"more text": {`{"account":"anna"}{}`, "", "followed by more text"},
		"cut off":   {`{"account":`, "", "not a valid JSON object"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			options := struct {
				Account string `json:"account"`
			}{"before"}
			err := standin.ReadOptions(strings.NewReader(c.body), &options)
			switch {
			case c.problem == "" && (err != nil || options.Account != c.account):
				t.Errorf("got %q, %v", options.Account, err)
			case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
				t.Errorf("got %v, want %s", err, c.problem)
			}
		})
	}
}
