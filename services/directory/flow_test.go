package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"backend.example/services/directory/internal/cli"
)

// TestServeDrains: an authorization under way is finished before the process ends.
func TestServeDrains(t *testing.T) {
	provider := newFakeProvider(t)
	reached, open := make(chan struct{}), make(chan struct{})
	provider.onExchange = func() { close(reached); <-open }
	p := start(t, provider.environ(t))
	b := login(t, p.url, "biuro@demo.example")
	answered := make(chan string)
	go func() { answered <- b.authorize(t, "provider_search/search_profile") }()
	<-reached
	p.stop()
	p.await(t, "draining")
	close(open)
	if location := <-answered; location != "/konto/integracje?oauth_success=provider_search/search_profile" {
		t.Errorf("the browser was sent to %q", location)
	}
	log := p.end(t)
	for _, secret := range []string{"access-1", "refresh-1", "code-1", "search-secret", "places-key", cli.DemoPassword} {
		if strings.Contains(log, secret) {
			t.Errorf("the log shows %s:\n%s", secret, log)
		}
	}
}

func TestMetrics(t *testing.T) {
	p := start(t, newFakeProvider(t).environ(t))
	b := login(t, p.url, "biuro@demo.example")
	if location := b.authorize(t, "provider_search/search_profile"); !strings.Contains(location, "oauth_success") {
		t.Fatal(location)
	}
	if status, content := b.post(t, "/api/oauth/provider_search/discover-locations", ""); status != 200 {
		t.Errorf("locations: %d %s", status, content)
	}
	for company, want := range map[string]int{"piekarnia-kowalski": 200, "warsztat-nowak": 403} {
		if status, content := b.post(t, "/api/bizprofile/audit", `{"slug":"`+company+`"}`); status != want {
			t.Errorf("audit of %s: %d %s", company, status, content)
		}
	}
	for name, want := range map[string]string{
		`directory_provider_calls_total{call="refresh",outcome="ok",provider="provider_search"}`: "1",
		`directory_provider_calls_total{call="place",outcome="gone",provider="places"}`:          "1",
		`directory_audits_total{outcome="ok"}`:                                                   "1",
		`directory_audits_total{outcome="refused"}`:                                              "1",
		`directory_provider_calls_total{call="page",outcome="error",provider="provider_social"}`: "0",
		`directory_audits_total{outcome="error"}`:                                                "0",
		`directory_scans_total{outcome="error"}`:                                                 "0",
		`directory_scan_last_success_timestamp_seconds`:                                          "0",
		`directory_http_requests_in_flight`:                                                      "0",
	} {
		requireMetric(t, p, name, want)
	}
	for _, name := range []string{"go_goroutines", "process_cpu_seconds_total"} {
		if _, ok := metric(t, p, name); !ok {
			t.Errorf("no metric %s", name)
		}
	}
	p.end(t)
}

// TestCompanyAccess asks for the pages of a company that is not the user's.
func TestCompanyAccess(t *testing.T) {
	for access, want := range map[string]int{"contract": 404, "strict": 403} {
		p := start(t, newFakeProvider(t).environ(t, "DIRECTORY_COMPANY_ACCESS="+access))
		status, content := login(t, p.url, "gosc@demo.example").post(t, "/api/oauth/provider_social/discover-pages", `{"company_id":1}`)
		if status != want {
			t.Errorf("%s: %d %s", access, status, content)
		}
		p.end(t)
	}
}

func TestPublicURL(t *testing.T) {
	p := start(t, newFakeProvider(t).environ(t, "DIRECTORY_PUBLIC_URL=https://firmy.example/", "PROVIDER_SEARCH_BASE_URL="))
	response, err := http.Post(p.url+"/api/auth/login", "application/json",
		strings.NewReader(`{"email":"biuro@demo.example","password":"`+cli.DemoPassword+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = read(t, response)
	cookie := response.Header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "__Host-") || !strings.Contains(cookie, "; Secure") {
		t.Errorf("cookie %q", cookie)
	}
	request, err := http.NewRequest(http.MethodPost, p.url+"/api/oauth/connect/provider_search/search_profile", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Cookie", cookie[:strings.Index(cookie, ";")])
	request.Header.Set("Origin", "https://firmy.example") // as the gateway passes it on
	response, err = http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		AuthURL string `json:"auth_url"`
	}
	if err := json.Unmarshal([]byte(read(t, response)), &answer); err != nil {
		t.Fatal(err)
	}
	back := url.QueryEscape("https://firmy.example/api/oauth/callback/provider_search")
	if !strings.HasPrefix(answer.AuthURL, "https://accounts.google.com/") || !strings.Contains(answer.AuthURL, "redirect_uri="+back+"&") {
		t.Errorf("authorization at %s", answer.AuthURL)
	}
	p.end(t)
}
