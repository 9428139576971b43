package compose

import (
	"maps"
	"net/http"
	"testing"
)

// TestRestartKeepsEverything stops and removes every container and starts anew from
// the volumes.
func TestRestartKeepsEverything(t *testing.T) {
	v := newVisitor(t)
	v.login(t, "kierownik@demo.example")
	v.connect(t, "provider_search/search_profile", "anna")
	_, account := v.connected(t, "provider_search/search_profile")
	v.want(t, http.MethodPost, "/api/bizprofile/audit", `{"slug":"piekarnia-kowalski"}`, http.StatusOK)
	audit := v.get(t, "/api/bizprofile/audit?slug=piekarnia-kowalski", http.StatusOK)
	known := price(t)
	before := v.get(t, known, http.StatusOK)
	kept := files(t, compose(t, "run", "--rm", "--no-TTY", "prepare", "backup"))

	compose(t, "down")
	up(t, "1")

	if secrets := files(t, compose(t, "run", "--rm", "--no-TTY", "prepare", "backup")); len(kept) == 0 || !maps.Equal(secrets, kept) {
		t.Errorf("%d secrets are now %d others", len(kept), len(secrets))
	}
	v.get(t, "/api/auth/me", http.StatusOK)
	if connected, name := v.connected(t, "provider_search/search_profile"); !connected || name != account {
		t.Errorf("the connection to %q is now %t, %q", account, connected, name)
	}
	if after := v.get(t, "/api/bizprofile/audit?slug=piekarnia-kowalski", http.StatusOK); string(after.body) != string(audit.body) {
		t.Errorf("the audit was\n%s\nand is\n%s", audit.body, after.body)
	}
	if after := v.get(t, known, http.StatusOK); string(after.body) != string(before.body) || sourceRequests(t, "aggregator") != 0 {
		t.Errorf("the price was looked up again: %s", after.body)
	}
}
