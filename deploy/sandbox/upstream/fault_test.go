package upstream_test

import (
	"strings"
	"testing"

	"backend.example/deploy/sandbox/upstream"
)

func TestReadFaultIsStrict(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		problem string // empty: accepted
	}{
		"all fields":     {`{"kind":"status","delay_ms":5,"status":503,"retry_after":3,"times":2,"match":"/x","code":1,"subcode":2}`, ""},
		"no JSON":        {`kind=down`, "not a valid JSON object"},
		"empty":          {``, "not a valid JSON object"},
		"unknown field":  {`{"kind":"down","tmes":1}`, `unknown field "tmes"`},
		"wrong type":     {`{"kind":"slow","delay_ms":"5s"}`, "delay_ms"},
		"a second value": {`{"kind":"down"}{"kind":"slow"}`, "followed by more text"},
		"an array":       {`[{"kind":"down"}]`, "not a valid JSON object"},
		"endless":        {`{"match":"/` + strings.Repeat("a", 17<<10) + `"}`, "not a valid JSON object"},
	} {
		_, err := upstream.ReadFault(strings.NewReader(c.body))
		requireProblem(t, name, err, c.problem)
	}
}

func TestSetChecksTheFault(t *testing.T) {
	for name, c := range map[string]struct {
		fault    upstream.Fault
		problems string // separated by "; ", empty: accepted
	}{
		"down":                  {upstream.Fault{Kind: upstream.Down}, ""},
		"slow":                  {upstream.Fault{Kind: upstream.Slow, DelayMS: 20}, ""},
		"slow without delay":    {upstream.Fault{Kind: upstream.Slow}, "delay_ms is required"},
		"negative delay":        {upstream.Fault{Kind: upstream.Down, DelayMS: -1}, "delay_ms must be"},
		"delay of an hour":      {upstream.Fault{Kind: upstream.Slow, DelayMS: 3_600_000}, "delay_ms must be"},
		"delay of another kind": {upstream.Fault{Kind: upstream.Garbage, DelayMS: 20}, ""},
		"status":                {upstream.Fault{Kind: upstream.Status, Status: 429, RetryAfter: 30}, ""},
		"status missing":        {upstream.Fault{Kind: upstream.Status}, "status must be between"},
		"status informational":  {upstream.Fault{Kind: upstream.Status, Status: 101}, "status must be between"},
		"status too high":       {upstream.Fault{Kind: upstream.Status, Status: 600}, "status must be between"},
		"status of another":     {upstream.Fault{Kind: upstream.Down, Status: 500}, "status is only for"},
		"retry of another":      {upstream.Fault{Kind: upstream.Down, RetryAfter: 1}, "retry_after is seconds"},
		"negative times":        {upstream.Fault{Kind: upstream.Down, Times: -1}, "times must not"},
		"relative match":        {upstream.Fault{Kind: upstream.Down, Match: "x"}, "match must begin"},
		"several problems":      {upstream.Fault{Kind: upstream.Slow, Times: -1, Match: "x"}, "delay_ms; times; match"},
		"kind of the site":      {upstream.Fault{Kind: coded, Code: 4, Subcode: 1}, ""},
		"without its code":      {upstream.Fault{Kind: coded}, "code must be positive"},
		"code of another":       {upstream.Fault{Kind: upstream.Down, Code: 4}, "code and subcode are not for kind down"},
		"no kind":               {upstream.Fault{}, "is not one of: down, slow, status, garbage, coded"},
		"unknown kind":          {upstream.Fault{Kind: "earthquake"}, `kind "earthquake" is not one of`},
	} {
		fake := newFake()
		requireProblem(t, name, fake.Injector.Set(c.fault), strings.Split(c.problems, "; ")...)
		if set := fake.Injector.Fault(); (set != nil) != (c.problems == "") {
			t.Errorf("%s: set is %+v", name, set)
		}
	}
}

// requireProblem holds an error to texts that stand in it; an empty one is none.
func requireProblem(t *testing.T, name string, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		switch {
		case text == "" && err != nil:
			t.Errorf("%s: refused: %v", name, err)
		case text != "" && (err == nil || !strings.Contains(err.Error(), text)):
			t.Errorf("%s: got %v, want %q in it", name, err, text)
		}
	}
}
