package social_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"backend.example/deploy/sandbox/social"
	"backend.example/deploy/sandbox/upstream"
)

func TestACodeGivesATokenAndThatALongerOne(t *testing.T) {
	w := newApp(t)
	a := w.trade("redirect_uri", redirect, "code", w.code("anna"))
	if a.Code != http.StatusOK || a.body["token_type"] != "bearer" || a.body["expires_in"] != 5400.0 || len(a.body) != 3 {
		t.Errorf("short-lived: %d %v", a.Code, a.body)
	}
	long := w.trade("grant_type", "fb_exchange_token", "fb_exchange_token", a.body["access_token"].(string))
	if long.body["expires_in"] != 5183944.0 || long.body["access_token"] == a.body["access_token"] {
		t.Errorf("long-lived: %v", long.body)
	}
	if w.counted("token_requests", "authorization_code") != 1 || w.counted("token_requests", "fb_exchange_token") != 1 {
		t.Errorf("requests are counted wrongly: %+v", w.State())
	}
	if long.Header().Get("X-App-Usage") == "" || long.Header().Get("Facebook-Api-Version") != "v25.0" {
		t.Errorf("header %v", long.Header())
	}
}

func TestTheTokenEndpointTakesAQueryToo(t *testing.T) {
	w := newApp(t)
	query := url.Values{"client_id": {clientID}, "client_secret": {secret}, "redirect_uri": {redirect}, "code": {w.code("anna")}}
	if a := w.send(httptest.NewRequest(http.MethodGet, version+"oauth/access_token?"+query.Encode(), nil)); a.Code != http.StatusOK {
		t.Errorf("got %d %s", a.Code, a.Body)
	}
}

func TestTheTokenEndpointRefuses(t *testing.T) {
	w := newApp(t)
	used := w.code("anna")
	w.trade("redirect_uri", redirect, "code", used)
	page := w.pageToken(w.login("anna"), bakery)
	cases := map[string]struct {
		pairs []string
		want  string
	}{
		"no client":        {[]string{"client_id", ""}, "101"},
		"another client":   {[]string{"client_id", "4712"}, "101"},
		"no secret":        {[]string{"client_secret", ""}, "1"},
		"another secret":   {[]string{"client_secret", "x"}, "1"},
		"grant type":       {[]string{"grant_type", "refresh_token"}, "100"},
		"no redirect":      {[]string{"code", used}, "191"},
		"no code":          {[]string{"redirect_uri", redirect}, "1"},
		"unknown code":     {[]string{"redirect_uri", redirect, "code", "AQx"}, "100"},
		"used code":        {[]string{"redirect_uri", redirect, "code", used}, "100/36009"},
		"another redirect": {[]string{"redirect_uri", redirect + "x", "code", w.code("anna")}, "100/36008"},
		"no token":         {[]string{"grant_type", "fb_exchange_token"}, "100"},
		"unknown token":    {[]string{"grant_type", "fb_exchange_token", "fb_exchange_token", "EAAGx"}, "190"},
		"page's token":     {[]string{"grant_type", "fb_exchange_token", "fb_exchange_token", page}, "190"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if a := w.trade(c.pairs...); a.Code != http.StatusBadRequest || a.refusal() != c.want {
				t.Errorf("got %d %s, want %s", a.Code, a.Body, c.want)
			}
		})
	}
}

func TestLateCodesAndTokensAreRefused(t *testing.T) {
	w := newApp(t)
	code := w.code("anna")
	short := w.trade("redirect_uri", redirect, "code", w.code("anna")).body["access_token"].(string)
	w.now = w.now.Add(10*time.Minute + time.Second)
	if a := w.trade("redirect_uri", redirect, "code", code); a.refusal() != "100/36007" {
		t.Errorf("the code after ten minutes: %s", a.Body)
	}
	w.now = w.now.Add(80 * time.Minute)
	if a := w.trade("grant_type", "fb_exchange_token", "fb_exchange_token", short); a.refusal() != "190/463" {
		t.Errorf("the token after its life: %s", a.Body)
	}
}

func TestTheLifeOfATokenCanBeLeftOut(t *testing.T) {
	w := newApp(t)
	w.SetToggle("omit_expires_in", true)
	if a := w.trade("redirect_uri", redirect, "code", w.code("anna")); len(a.body) != 2 {
		t.Errorf("expires_in is told: %v", a.body)
	}
}

func TestAFaultReachesTheTokenEndpoint(t *testing.T) {
	w := newApp(t)
	w.SetFault(upstream.Fault{Kind: social.GraphError, Code: 2})
	if a := w.trade("grant_type", "fb_exchange_token"); a.Code != http.StatusInternalServerError || a.refusal() != "2" {
		t.Errorf("got %d %s", a.Code, a.Body)
	}
	if got := w.counted("token_requests", "fb_exchange_token"); got != 1 {
		t.Errorf("%d requests counted, want the refused one", got)
	}
}
