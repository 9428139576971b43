package search_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func TestTheConsentPage(t *testing.T) {
	answer := newApp(t).get(authorize(asked()))
	page, err := goquery.NewDocumentFromReader(answer.Body)
	if err != nil || answer.Code != 200 {
		t.Fatalf("got %d, %v", answer.Code, err)
	}
	if got := page.Find("input[name=account]").Length(); got != 5 {
		t.Errorf("%d accounts, want 5", got)
	}
	if got := page.Find("input[name=scope]").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") }); len(got) != 1 || got[0] != business {
		t.Errorf("checkboxes for %q, want one for the profile", got)
	}
}

// TestWrongAuthorizations holds that the person sees what is wrong, and that nobody
// is sent to an address that is not registered.
func TestWrongAuthorizations(t *testing.T) {
	cases := map[string]struct {
		query  url.Values
		status int
		code   string
	}{
		"no client":           {asked("client_id", ""), 400, "invalid_request"},
		"unknown client":      {asked("client_id", "other"), 401, "invalid_client"},
		"no redirect":         {asked("redirect_uri", ""), 400, "invalid_request"},
		"trailing slash":      {asked("redirect_uri", redirect+"/"), 400, "redirect_uri_mismatch"},
		"further query":       {asked("redirect_uri", redirect+"?a=b"), 400, "redirect_uri_mismatch"},
		"other host":          {asked("redirect_uri", strings.Replace(redirect, "localhost", "evil.example", 1)), 400, "redirect_uri_mismatch"},
		"other provider":      {asked("redirect_uri", strings.Replace(redirect, "search", "social", 1)), 400, "redirect_uri_mismatch"},
		"no type":             {asked("response_type", ""), 400, "invalid_request"},
		"implicit":            {asked("response_type", "token"), 400, "unsupported_response_type"},
		"no scope":            {asked("scope", " "), 400, "invalid_request"},
		"unknown scope":       {asked("scope", "openid drive"), 400, "invalid_scope"},
		"odd access":          {asked("access_type", "always"), 400, "invalid_request"},
		"odd prompt":          {asked("prompt", "login"), 400, "invalid_request"},
		"plain challenge":     {asked("code_challenge_method", "plain"), 400, "invalid_request"},
		"method alone":        {asked("code_challenge", ""), 400, "invalid_request"},
		"challenge too short": {asked("code_challenge", "abc"), 400, "invalid_request"},
		"repeated":            {url.Values{"client_id": {"client", "client"}}, 400, "invalid_request"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := newApp(t)
			decision := url.Values{"decision": {"allow"}, "account": {"anna"}, "scope": {"all"}}
			for _, answer := range []*httptest.ResponseRecorder{a.get(authorize(c.query)), a.post(authorize(c.query), decision)} {
				if answer.Code != c.status || !strings.Contains(answer.Body.String(), c.code) || answer.Header().Get("Location") != "" {
					t.Errorf("got %d %s %.300s", answer.Code, answer.Header(), answer.Body)
				}
			}
			if secrets, _ := a.Secrets.List(); len(secrets) != 0 {
				t.Errorf("issued %d secrets", len(secrets))
			}
		})
	}
}

func TestDecisions(t *testing.T) {
	both := asked("scope", "openid "+sites+" "+analytics)
	cases := map[string]struct {
		query url.Values
		form  string
		error string
		scope string
	}{
		"all":            {both, "decision=allow&account=anna&scope=all", "", "openid " + sites + " " + analytics},
		"unticked":       {both, "decision=allow&account=anna&scope=" + url.QueryEscape(analytics), "", "openid " + analytics},
		"all unticked":   {both, "decision=allow&account=anna", "", "openid"},
		"nothing left":   {asked("scope", business), "decision=allow&account=anna", "access_denied", ""},
		"denied":         {both, "decision=deny&account=anna&scope=all", "access_denied", ""},
		"online as well": {asked("access_type", "online"), "decision=allow&account=anna&scope=all", "", "openid " + business},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := newApp(t)
			form, _ := url.ParseQuery(c.form)
			back := a.sentBack(a.post(authorize(c.query), form))
			if back.Get("error") != c.error || back.Get("scope") != c.scope || (back.Get("code") == "") != (c.error != "") {
				t.Errorf("got %v", back)
			}
			if back.Get("state") != "7:3:search_profile:a b&c" {
				t.Errorf("state %q", back.Get("state"))
			}
		})
	}
}
