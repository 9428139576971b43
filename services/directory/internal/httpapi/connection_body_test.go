package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

// TestBodyOfTheStatus compares all that is answered of each service.
func TestBodyOfTheStatus(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair, func(c *connection.Connection) { c.LostChoice = "Piekarnia" })
		w.connect(pagesPair, func(c *connection.Connection) {
			c.AccountID, c.AccountName, c.DataAccessExpiresAt, c.ExpiresAt = "", "", ptr(w.Now.Add(time.Hour)), ptr(w.Now)
		})
		body := w.loggedInAs(w.Anna).get("/api/oauth/status").want(200).Body.Bytes()
		var got any
		w.ok(json.Unmarshal(body, &got))
		service := func(p provider.Pair, fields map[string]any) map[string]any {
			all := map[string]any{
				"name": p.Name(), "description": p.Description(), "connected": false, "account_id": nil, "account_name": nil, "expires_at": nil,
				"is_expired": false, "needs_reconnect": false, "reason": nil, "data_access_expires_at": nil,
			}
			for name, value := range fields {
				all[name] = value
			}
			return all
		}
		want := map[string]any{"success": true, "services": map[string]any{
			"provider_search/search_profile": service(profilePair, map[string]any{
				"connected": true, "account_id": "konto", "account_name": "Konto", "expires_at": "2026-11-21T13:00:00Z", "needs_reconnect": true,
				"reason": "To konto Google nie zarządza lokalizacją „Piekarnia”. Wybierz inną lub połącz właściwe konto.",
			}),
			"provider_search/search_analytics": service(directorytest.AnalyticsPair, nil),
			"provider_social/social_pages": service(pagesPair, map[string]any{
				"connected": true, "expires_at": "2026-11-21T12:00:00Z", "is_expired": true, "needs_reconnect": true,
				"reason": "Dostęp wygasł i nie można go odnowić. Połącz konto ponownie.", "data_access_expires_at": "2026-11-21T13:00:00Z",
			}),
			"provider_social/social_photos": service(directorytest.PhotosPair, nil),
		}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("status %s, want %v", body, want)
		}
	})
}

// broken are sessions that cannot be read.
type broken struct{ account.BrowserSessions }

func (broken) Take(http.ResponseWriter, *http.Request, string) (string, error) { return "", errSecret }

// SetOutcome fails, too.
func (broken) SetOutcome(http.ResponseWriter, string) error { return errSecret }

// TestCallbackWithoutSessions checks that the provider's error comes first, and that the log
// holds what the person does not see.
func TestCallbackWithoutSessions(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		state := url.QueryEscape(b.connect(profilePair))
		w.guard.Sessions = broken{w.sessions}
		b.get("/api/oauth/callback/provider_search?error=access_denied").redirects("oauth_error=access_denied")
		if log := w.Log.String(); strings.Contains(log, "session not read") || !strings.Contains(log, "outcome of a callback not set") {
			t.Errorf("log %s", log)
		}
		b.get("/api/oauth/callback/provider_search?code=c&state=" + state).redirects("oauth_error=save_failed")
		if log := w.Log.String(); !strings.Contains(log, "session not read in the callback") || len(w.Search.Exchanges) > 0 {
			t.Errorf("exchanged %v, log %s", w.Search.Exchanges, log)
		}
	})
}
