package compose

import (
	"maps"
	"net/http"
	"reflect"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestRestartKeepsEverything stops and removes every container and starts anew from
// the volumes.
func TestRestartKeepsEverything(t *testing.T) {
	v := loggedIn(t)
	v.Connect(t, harness.SearchProfile, "anna")
	before := v.Connections(t)[harness.SearchProfile]
	harness.OK(t, v.Post(t, "/api/bizprofile/audit", map[string]any{"slug": "piekarnia-kowalski"}))
	audit := get(t, v, "/api/bizprofile/audit?slug=piekarnia-kowalski", http.StatusOK)
	known := newPrice()
	price := get(t, v, known, http.StatusOK)
	kept := files(t, compose(t, "run", "--rm", "--no-TTY", "prepare", "backup"))

	compose(t, "down")
	up(t, "1")

	if secrets := files(t, compose(t, "run", "--rm", "--no-TTY", "prepare", "backup")); len(kept) == 0 || !maps.Equal(secrets, kept) {
		t.Errorf("%d secrets are now %d others", len(kept), len(secrets))
	}
	get(t, v, "/api/auth/me", http.StatusOK)
	if now := v.Connections(t)[harness.SearchProfile]; !reflect.DeepEqual(now, before) {
		t.Errorf("the connection was %+v and is %+v", before, now)
	}
	if after := get(t, v, "/api/bizprofile/audit?slug=piekarnia-kowalski", http.StatusOK); string(after.Body) != string(audit.Body) {
		t.Errorf("the audit was\n%s\nand is\n%s", audit.Body, after.Body)
	}
	if after := get(t, v, known, http.StatusOK); string(after.Body) != string(price.Body) || len(sourceRequests(t)) != 0 {
		t.Errorf("the price was looked up again: %s", after.Body)
	}
}
