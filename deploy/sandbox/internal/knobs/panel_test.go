package knobs_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/internal/knobs"
)

func newPanel() *knobs.Panel {
	return knobs.NewPanel(
		knobs.Definition{Name: "quota_zero", Kind: knobs.Switch},
		knobs.Definition{Name: "dead_metrics", Kind: knobs.List},
		knobs.Definition{Name: "token_seconds", Kind: knobs.Number},
	)
}

func values(t *testing.T, panel *knobs.Panel) string {
	t.Helper()
	text, err := json.Marshal(panel.Values())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const off = `{"dead_metrics":[],"quota_zero":false,"token_seconds":0}`

func TestSetAndReset(t *testing.T) {
	panel := newPanel()
	if got := values(t, panel); got != off {
		t.Errorf("at first: %s", got)
	}
	for _, body := range []string{`{"quota_zero":true}`, `{"dead_metrics":["a","b"],"token_seconds":5}`} {
		if err := panel.Set(strings.NewReader(body)); err != nil {
			t.Fatal(err)
		}
	}
	if !panel.On("quota_zero") || !slices.Equal(panel.List("dead_metrics"), []string{"a", "b"}) || panel.Number("token_seconds") != 5 {
		t.Errorf("after setting: %s", values(t, panel))
	}
	panel.Reset()
	if got := values(t, panel); got != off {
		t.Errorf("after the reset: %s", got)
	}
}

func TestSetIsStrictAndChangesAllOrNothing(t *testing.T) {
	cases := map[string]struct{ body, problem string }{
		"no JSON":         {`quota_zero=true`, "not a valid JSON object"},
		"null":            {`null`, "not a valid JSON object"},
		"a list":          {`[]`, "not a valid JSON object"},
		"more text":       {`{"quota_zero":true}{}`, "followed by more text"},
		"unknown":         {`{"quota_zero":true,"qouta":true}`, `knob "qouta" is not one of: quota_zero, dead_metrics, token_seconds`},
		"wrong switch":    {`{"quota_zero":1}`, "knob quota_zero takes a switch"},
		"null switch":     {`{"quota_zero":null}`, "knob quota_zero takes a switch"},
		"wrong list":      {`{"quota_zero":true,"dead_metrics":"a"}`, "knob dead_metrics takes a list"},
		"fraction":        {`{"token_seconds":1.5}`, "knob token_seconds takes a number"},
		"negative number": {`{"quota_zero":true,"token_seconds":-1}`, "knob token_seconds takes a number"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			panel := newPanel()
			if err := panel.Set(strings.NewReader(c.body)); err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("got %v, want %s", err, c.problem)
			}
			if got := values(t, panel); got != off {
				t.Errorf("changed to %s", got)
			}
		})
	}
}

func TestEveryProblemIsNamed(t *testing.T) {
	err := newPanel().Set(strings.NewReader(`{"x":1,"quota_zero":1,"dead_metrics":1}`))
	for _, want := range []string{`"x"`, "quota_zero takes", "dead_metrics takes"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not tell of %s", err, want)
		}
	}
}

func TestACopyOfAListDoesNotChangeTheKnob(t *testing.T) {
	panel := newPanel()
	if err := panel.Set(strings.NewReader(`{"dead_metrics":["a"]}`)); err != nil {
		t.Fatal(err)
	}
	panel.List("dead_metrics")[0] = "b"
	if got := panel.List("dead_metrics"); got[0] != "a" {
		t.Errorf("got %v", got)
	}
}

func TestAnUnknownNameIsAMistakeOfTheStandIn(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	newPanel().On("nothing")
}
