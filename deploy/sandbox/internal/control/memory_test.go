package control_test

import (
	"net/http/httptest"
	"strings"
	"testing"
)

const secretOfLab = `{"count":1,"forgotten":0,"secrets":[{"site":"lab","kind":"code","value":"4/0x","issued_at":"2026-11-21T10:00:00.123456789Z"}]}`

func TestKnobsStateAndSecrets(t *testing.T) {
	cases := []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/knobs", "", 200, `{"knobs":[{"site":"lab","knobs":{"quota_zero":false}}]}`},
		{"GET", "/knobs/lab", "", 200, `{"site":"lab","knobs":{"quota_zero":false}}`},
		{"PUT", "/knobs/lab", `{"quota_zero":true}`, 200, `{"site":"lab","knobs":{"quota_zero":true}}`},
		{"PUT", "/knobs/lab", `{"quota_zero":1}`, 400, `{"error":"knob quota_zero takes a switch"}`},
		{"DELETE", "/knobs/lab", "", 204, ""},
		{"GET", "/knobs/shop", "", 404, `{"error":"unknown site: \"shop\"","allowed":["lab"]}`},
		{"PUT", "/knobs/moon", `{}`, 404, `{"error":"unknown site: \"moon\"","allowed":["lab"]}`},
		{"DELETE", "/knobs/moon", "", 404, `{"error":"unknown site: \"moon\"","allowed":["lab"]}`},
		{"GET", "/state/lab", "", 200, `{"site":"lab","state":{"count":7}}`},
		{"GET", "/state/shop", "", 404, `{"error":"unknown site: \"shop\"","allowed":["lab"]}`},
		{"POST", "/state/lab/add", "", 200, `{"count":8}`},
		{"POST", "/state/lab/add", "wrong", 400, `{"error":"wrong options"}`},
		{"POST", "/state/lab/dance", "", 404, `{"error":"unknown action: \"dance\"","allowed":["add"]}`},
		{"POST", "/state/moon/add", "", 404, `{"error":"unknown site: \"moon\"","allowed":["lab"]}`},
		{"DELETE", "/state/lab", "", 204, ""},
		{"DELETE", "/state/moon", "", 404, `{"error":"unknown site: \"moon\"","allowed":["lab"]}`},
		{"GET", "/issued", "", 200, secretOfLab},
		{"GET", "/issued?site=lab", "", 200, secretOfLab},
		{"GET", "/issued?site=shop", "", 200, `{"count":0,"forgotten":0,"secrets":[]}`},
		{"GET", "/issued?site=moon", "", 404, `{"error":"unknown site: \"moon\"","allowed":["shop","lab"]}`},
	}
	for _, c := range cases {
		t.Run(c.method+" "+c.target+" "+c.body, func(t *testing.T) {
			answer := newFixture().do(c.method, c.target, c.body)
			if got := strings.TrimSpace(answer.Body.String()); answer.Code != c.status || got != c.want {
				t.Errorf("got  %d %s\nwant %d %s", answer.Code, got, c.status, c.want)
			}
		})
	}
}

func TestForgettingTakesTheKnobsOffToo(t *testing.T) {
	f := newFixture()
	f.do("PUT", "/knobs/lab", `{"quota_zero":true}`)
	f.do("DELETE", "/state/lab", "")
	if got := f.do("GET", "/knobs/lab", "").Body.String(); !strings.Contains(got, `"quota_zero":false`) {
		t.Errorf("still on: %s", got)
	}
	if f.memory.count != 0 {
		t.Errorf("the count is still %d", f.memory.count)
	}
}

func TestIssuedSecretsStayOnThisMachine(t *testing.T) {
	for addr, want := range map[string]int{
		"127.0.0.1:1": 200, "127.9.9.9:1": 200, "[::1]:1": 200, "[::ffff:127.0.0.1]:1": 200,
		"192.168.1.5:1": 403, "172.17.0.1:1": 403, "[2001:db8::1]:1": 403, "": 403, "@": 403,
	} {
		request := httptest.NewRequest("GET", "/issued", nil)
		request.RemoteAddr = addr
		recorder := httptest.NewRecorder()
		newFixture().handler.ServeHTTP(recorder, request)
		if recorder.Code != want || (want == 403 && strings.Contains(recorder.Body.String(), "4/0x")) {
			t.Errorf("from %q: got %d %s, want %d", addr, recorder.Code, recorder.Body, want)
		}
	}
}
