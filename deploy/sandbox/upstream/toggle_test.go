package upstream_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/upstream"
)

func newToggles() *upstream.Toggles {
	return upstream.NewToggles(
		upstream.Toggle{Name: "quota_zero", Off: false}, upstream.Toggle{Name: "dead_metrics", Off: []string{}}, upstream.Toggle{Name: "seconds", Off: 0},
	)
}

func values(toggles *upstream.Toggles) string {
	text, _ := json.Marshal(toggles.Values())
	return string(text)
}

func TestTogglesAreSetAndReset(t *testing.T) {
	toggles := newToggles()
	for _, c := range []struct{ set, want string }{
		{`{}`, `{"dead_metrics":[],"quota_zero":false,"seconds":0}`},
		{`{"quota_zero":true}`, `{"dead_metrics":[],"quota_zero":true,"seconds":0}`},
		{`{"dead_metrics":["a","b"],"seconds":5}`, `{"dead_metrics":["a","b"],"quota_zero":true,"seconds":5}`},
	} {
		if err := toggles.Set(strings.NewReader(c.set)); err != nil || values(toggles) != c.want {
			t.Errorf("after %s: %s, %v; want %s", c.set, values(toggles), err, c.want)
		}
	}
	if !toggles.On("quota_zero") || !slices.Equal(toggles.Strings("dead_metrics"), []string{"a", "b"}) || toggles.Number("seconds") != 5 {
		t.Error("the typed values differ")
	}
	toggles.Reset()
	if got := values(toggles); got != `{"dead_metrics":[],"quota_zero":false,"seconds":0}` {
		t.Errorf("after a reset: %s", got)
	}
}

func TestWrongTogglesChangeNothing(t *testing.T) {
	for body, problem := range map[string]string{
		`{"quota_zero":true,"quota":1}`:    `toggle "quota" is not one of: quota_zero, dead_metrics, seconds`,
		`{"quota_zero":1}`:                 "toggle quota_zero takes a bool",
		`{"quota_zero":null}`:              "toggle quota_zero takes a bool",
		`{"dead_metrics":"a"}`:             "toggle dead_metrics takes a []string",
		`{"seconds":1.5,"dead_metrics":1}`: "toggle dead_metrics takes a []string\ntoggle seconds takes a int",
		`[]`:                               "not a valid JSON object",
		`{}{}`:                             "followed by more text",
	} {
		toggles := newToggles()
		requireProblem(t, body, toggles.Set(strings.NewReader(body)), problem)
		if toggles.On("quota_zero") {
			t.Errorf("%s: something changed", body)
		}
	}
}
