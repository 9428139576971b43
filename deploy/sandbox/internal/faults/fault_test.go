package faults_test

import (
	"errors"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/internal/faults"
)

// play is a kind that only the site "shop" knows.
const play faults.Kind = "play"

func newBoard() *faults.Board {
	return faults.NewBoard(
		faults.Site{
			Name:   "shop",
			Kinds:  append(faults.Common(), faults.Definition{Kind: play}),
			Spared: []string{"/robots.txt"},
		},
		faults.Site{Name: "lab", Kinds: faults.Common()},
	)
}

func TestDecodeIsStrict(t *testing.T) {
	cases := map[string]struct {
		body    string
		problem string // empty: accepted
	}{
		"all fields":     {`{"kind":"status","delay_ms":5,"status":503,"retry_after":3,"times":2,"match":"/x"}`, ""},
		"no JSON":        {`kind=down`, "not a valid JSON object"},
		"empty":          {``, "not a valid JSON object"},
		"unknown field":  {`{"kind":"down","tmes":1}`, `unknown field "tmes"`},
		"wrong type":     {`{"kind":"slow","delay_ms":"5s"}`, "delay_ms"},
		"fraction":       {`{"kind":"slow","delay_ms":1.5}`, "delay_ms"},
		"a second value": {`{"kind":"down"}{"kind":"slow"}`, "followed by more text"},
		"an array":       {`[{"kind":"down"}]`, "not a valid JSON object"},
		"endless":        {`{"match":"/` + strings.Repeat("a", 8000) + `"}`, "not a valid JSON object"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := faults.Decode(strings.NewReader(c.body))
			checkProblem(t, err, c.problem)
		})
	}
}

func TestSetChecksTheFault(t *testing.T) {
	cases := map[string]struct {
		fault   faults.Fault
		problem string // empty: accepted
	}{
		"down":                  {faults.Fault{Kind: faults.Down}, ""},
		"slow":                  {faults.Fault{Kind: faults.Slow, DelayMS: 20}, ""},
		"slow without delay":    {faults.Fault{Kind: faults.Slow}, "delay_ms is required"},
		"negative delay":        {faults.Fault{Kind: faults.Down, DelayMS: -1}, "delay_ms must be"},
		"delay of an hour":      {faults.Fault{Kind: faults.Slow, DelayMS: 3_600_000}, "delay_ms must be"},
		"delay of another kind": {faults.Fault{Kind: faults.Garbage, DelayMS: 20}, ""},
		"status":                {faults.Fault{Kind: faults.Status, Status: 429, RetryAfter: 30}, ""},
		"status missing":        {faults.Fault{Kind: faults.Status}, "status must be between"},
		"status informational":  {faults.Fault{Kind: faults.Status, Status: 101}, "status must be between"},
		"status too high":       {faults.Fault{Kind: faults.Status, Status: 600}, "status must be between"},
		"status of another":     {faults.Fault{Kind: faults.Down, Status: 500}, "status is only for"},
		"retry of another":      {faults.Fault{Kind: faults.Down, RetryAfter: 1}, "retry_after is only for"},
		"retry too long":        {faults.Fault{Kind: faults.Status, Status: 503, RetryAfter: 90_000}, "retry_after must be"},
		"redirect to a URL":     {faults.Fault{Kind: faults.Redirect, Location: "http://10.0.0.1/x"}, ""},
		"redirect to a path":    {faults.Fault{Kind: faults.Redirect, Location: "/Captcha/Add"}, ""},
		"redirect to nowhere":   {faults.Fault{Kind: faults.Redirect}, "location must be"},
		"redirect to a file":    {faults.Fault{Kind: faults.Redirect, Location: "file:///etc"}, "location must be"},
		"location of another":   {faults.Fault{Kind: faults.Down, Location: "/"}, "location is only for"},
		"negative times":        {faults.Fault{Kind: faults.Down, Times: -1}, "times must not"},
		"relative match":        {faults.Fault{Kind: faults.Down, Match: "x"}, "match must begin"},
		"kind of the site":      {faults.Fault{Kind: play}, ""},
		"no kind":               {faults.Fault{}, "is not one of: down, slow, status, redirect, truncated, garbage, huge, play"},
		"unknown kind":          {faults.Fault{Kind: "earthquake"}, `kind "earthquake" is not one of`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			board := newBoard()
			checkProblem(t, board.Set("shop", c.fault), c.problem)
			if set, _ := board.Get("shop"); (set != nil) != (c.problem == "") {
				t.Errorf("on the board: %+v", set)
			}
		})
	}
}

func TestSetReportsEveryProblemAtOnce(t *testing.T) {
	err := newBoard().Set("shop", faults.Fault{Kind: faults.Slow, Times: -1, Match: "x"})
	for _, want := range []string{"delay_ms", "times", "match"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not tell of %s", err, want)
		}
	}
}

func TestTheKindOfOneSiteIsRefusedByAnother(t *testing.T) {
	checkProblem(t, newBoard().Set("lab", faults.Fault{Kind: play}), `kind "play" is not one of`)
}

func TestAnUnknownSiteIsRefused(t *testing.T) {
	board := newBoard()
	_, err := board.Get("moon")
	for action, err := range map[string]error{
		"set": board.Set("moon", faults.Fault{Kind: faults.Down}), "get": err, "clear": board.Clear("moon"),
	} {
		if !errors.Is(err, faults.ErrUnknownSite) {
			t.Errorf("%s: got %v, want ErrUnknownSite", action, err)
		}
	}
}

func checkProblem(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && err == nil:
		t.Errorf("accepted, want a refusal that tells %q", want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Errorf("refused with %q, want %q in it", err, want)
	}
}
