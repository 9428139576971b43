package app_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"backend.example/services/directory/internal/apptest"
)

// TestWebhooksReachNoPrivateAddress unless DIRECTORY_WEBHOOK_ALLOW_PRIVATE is true.
func TestWebhooksReachNoPrivateAddress(t *testing.T) {
	reached := false
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(inside.Close)
	for setting, want := range map[string]bool{"false": false, "true": true} {
		a := apptest.New(t, apptest.Setting("DIRECTORY_WEBHOOK_ALLOW_PRIVATE="+setting))
		reached = false
		hook, err := a.Webhooks.Add(t.Context(), apptest.Actor(a.Anna).By(), &a.Company.ID, inside.URL)
		if err == nil {
			_, err = a.Webhooks.Test(t.Context(), apptest.Actor(a.Anna).By(), hook.ID)
		}
		if reached != want || (err == nil) != want {
			t.Errorf("with %s: reached is %t, %v", setting, reached, err)
		}
	}
}

// TestOtherOrigins: web apps on the origins of DIRECTORY_ALLOWED_ORIGINS may call the API with
// the session's cookie, others may not.
func TestOtherOrigins(t *testing.T) {
	const webApp, other = "http://localhost:3000", "http://localhost:3001"
	a := apptest.New(t, apptest.Setting("DIRECTORY_ALLOWED_ORIGINS=https://app.example.pl,"+webApp))
	for _, test := range []struct {
		method, path, origin string
		status               int
		allowed              bool
	}{
		{"OPTIONS", "/api/auth/logout", webApp, 204, true},
		{"POST", "/api/auth/logout", webApp, 200, true},
		{"GET", "/api/oauth/status", webApp, 401, true},
		{"OPTIONS", "/api/auth/logout", other, 204, false},
		{"POST", "/api/auth/logout", other, 403, false},
		{"GET", "/api/oauth/status", other, 401, false},
		{"GET", "/konto/logowanie", webApp, 200, false},
	} {
		response := a.Visitor().Do(test.method, test.path, nil, "Origin", test.origin, "Sec-Fetch-Site", "same-site",
			"Access-Control-Request-Method", http.MethodPost).Want(test.status)
		allowed := response.Header().Get("Access-Control-Allow-Origin") == test.origin &&
			response.Header().Get("Access-Control-Allow-Credentials") == "true"
		if allowed != test.allowed {
			t.Errorf("%s %s from %s: allowed is %t: %v", test.method, test.path, test.origin, allowed,
				response.Header())
		}
	}
}
