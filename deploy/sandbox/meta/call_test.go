package meta_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/fake"
)

func TestACallShowsWhoMadeIt(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	other := w.login("marek")
	cases := map[string]struct{ header, target, want string }{
		"header":             {token, "me?appsecret_proof=" + proof(token), ""},
		"parameter":          {"", "me?access_token=" + token + "&appsecret_proof=" + proof(token), ""},
		"both the same":      {token, "me?access_token=" + token + "&appsecret_proof=" + proof(token), ""},
		"two different":      {token, "me?access_token=" + other + "&appsecret_proof=" + proof(token), "100"},
		"no token":           {"", "me", "2500"},
		"no token elsewhere": {"", bakery, "104"},
		"unknown token":      {"EAAGx", "me?appsecret_proof=" + proof("EAAGx"), "190"},
		"no proof":           {token, "me", "100"},
		"another's proof":    {token, "me?appsecret_proof=" + proof(other), "100"},
		"upper case":         {token, "me?appsecret_proof=" + strings.ToUpper(proof(token)), "100"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, version+c.target, nil)
			if c.header != "" {
				r.Header.Set("Authorization", "Bearer "+c.header)
			}
			if a := w.send(r); a.refusal() != c.want {
				t.Errorf("got %s, want %q", a.Body, c.want)
			}
		})
	}
}

func TestRemovedParametersAreRefused(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	for _, name := range []string{"date_format", "debug", "ids", "pretty"} {
		w.wantRefusal(token, "me?"+name+"=1", "100")
	}
}

func TestOnlyServedVersionsAnswer(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	ask := func(version string) string {
		r := httptest.NewRequest(http.MethodGet, "/"+version+"/me?appsecret_proof="+proof(token), nil)
		r.Header.Set("Authorization", "Bearer "+token)
		return w.send(r).refusal()
	}
	for version, want := range map[string]string{"v26.0": "", "v25.0": "", "v21.0": "", "v20.0": "2635", "v99.0": "2635", "x": "2635"} {
		if got := ask(version); got != want {
			t.Errorf("%s: got %q, want %q", version, got, want)
		}
	}
}

func TestOrderedErrors(t *testing.T) {
	for _, c := range []struct {
		code, subcode, status int
		want                  string
	}{
		{1, 0, 500, "1"}, {2, 0, 500, "2"}, {4, 0, 403, "4"}, {10, 0, 403, "10"}, {17, 0, 400, "17"}, {32, 0, 400, "32"}, {200, 0, 403, "200"},
		{613, 0, 400, "613"}, {80001, 0, 400, "80001"}, {190, 460, 400, "190/460"}, {4242, 7, 400, "4242/7"},
	} {
		w := newApp(t)
		token := w.login("anna")
		w.SetFault(fake.Fault{Kind: "graph_error", Code: c.code, Subcode: c.subcode})
		a := w.get(token, "me")
		if a.Code != c.status || a.refusal() != c.want || strings.Contains(a.Body.String(), `"is_transient":true`) != (c.status == 500) {
			t.Errorf("%s: got %d %s", c.want, a.Code, a.Body)
		}
	}
}

func TestUsageIsTold(t *testing.T) {
	w := newApp(t)
	user := w.login("anna")
	page := w.pageToken(user, bakery)
	if a := w.get(user, "me"); a.Header().Get("X-App-Usage") != `{"call_count":28,"total_cputime":25,"total_time":25}` || a.Header().Get("X-Business-Use-Case-Usage") != "" {
		t.Errorf("a person's call: %v", a.Header())
	}
	w.set(`{"usage_percent": 96}`)
	want := `{"` + bakery + `":[{"type":"pages","call_count":96,"total_cputime":25,"total_time":25,"estimated_time_to_regain_access":0}]}`
	if a := w.get(page, bakery); a.Header().Get("X-Business-Use-Case-Usage") != want {
		t.Errorf("a page's call: %v", a.Header())
	}
	w.SetFault(fake.Fault{Kind: "graph_error", Code: 80001})
	if a := w.get(page, bakery); !strings.Contains(a.Header().Get("X-App-Usage"), `"call_count":100`) {
		t.Errorf("behind a limit: %v", a.Header())
	}
}

func TestOtherPathsAndMethods(t *testing.T) {
	w := newApp(t)
	for target, want := range map[string]string{
		"GET /": "2500", "GET /v25.0": "2500", "GET /v25.0/me/friends": "2500", "POST /v25.0/me": "100/33", "DELETE /v25.0/" + bakery: "100/33", "POST /": "100/33",
	} {
		method, path, _ := strings.Cut(target, " ")
		if a := w.send(httptest.NewRequest(method, path, nil)); a.refusal() != want {
			t.Errorf("%s: got %s, want %s", target, a.Body, want)
		}
	}
}
