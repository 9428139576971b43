package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"backend.example/services/directory/internal/cli"
)

// browser is a person's browser at a service: it keeps cookies and follows no
// redirect.
type browser struct {
	*http.Client
	base string
}

// login opens a browser in which a demonstration user is logged in.
func login(t *testing.T, base, email string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{base: base, Client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	status, content := b.post(t, "/api/auth/login", fmt.Sprintf(`{"email":%q,"password":%q}`, email, cli.DemoPassword))
	if status != 200 {
		t.Fatalf("login of %s: %d %s", email, status, content)
	}
	return b
}

func (b *browser) post(t *testing.T, path, body string) (status int, content string) {
	t.Helper()
	response, err := b.Post(b.base+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	return response.StatusCode, read(t, response)
}

// authorize goes from connecting to the callback, and returns where that leads.
func (b *browser) authorize(t *testing.T, pair string) (location string) {
	t.Helper()
	provider, _, _ := strings.Cut(pair, "/")
	_, content := b.post(t, "/api/oauth/connect/"+pair, "")
	var answer struct {
		AuthURL string `json:"auth_url"`
	}
	if err := json.Unmarshal([]byte(content), &answer); err != nil {
		t.Errorf("%s: %v", content, err)
	}
	address, err := url.Parse(answer.AuthURL)
	if err != nil {
		t.Error(err)
		return ""
	}
	response, err := b.Get(b.base + "/api/oauth/callback/" + provider + "?code=code-1&state=" + url.QueryEscape(address.Query().Get("state")))
	if err != nil {
		t.Error(err)
		return ""
	}
	_ = read(t, response)
	return response.Header.Get("Location")
}
