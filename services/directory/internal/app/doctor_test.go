package app

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDoctorFindsProblems checks the state of each check.
func TestDoctorFindsProblems(t *testing.T) {
	missing := environ(t)
	unreached := append(environ(t), "PROVIDER_SEARCH_CLIENT_ID=id", "PROVIDER_SEARCH_CLIENT_SECRET=secret",
		"DIRECTORY_SMTP_URL=smtp://127.0.0.1:1?from=a@b.example&tls=off", "DIRECTORY_ERASURE_LOG=/dev/null/erased")
	_, err := command(t, unreached, "migrate", "up")
	ok(t, err)
	for name, test := range map[string]struct {
		environ []string
		want    map[string]string
	}{
		"a wrong setting": {append(missing, "DIRECTORY_RATE=-1"), map[string]string{"settings": "problem"}},
		"no database": {missing, map[string]string{"settings": "ok", "erasure log": "ok", "mail": "off",
			"database file": "problem"}},
		"nothing is reached": {unreached, map[string]string{"settings": "ok", "erasure log": "problem",
			"mail": "problem", "database file": "ok", "keys": "ok", "database": "ok", "schema": "ok",
			"secrets in the database": "ok", "service": "ok", "provider_search": "problem", "provider_social": "off",
			"places": "off"}},
	} {
		out, err := command(t, test.environ, "doctor", "--json")
		var findings []struct{ Check, State string }
		if err := json.Unmarshal([]byte(out), &findings); err != nil {
			t.Fatalf("%s: %v in %q", name, err, out)
		}
		got := map[string]string{}
		for _, f := range findings {
			got[f.Check] = f.State
		}
		if diff := cmp.Diff(test.want, got); diff != "" || err == nil {
			t.Errorf("%s: ended with %v, findings (-want +got):\n%s", name, err, diff)
		}
	}
}
