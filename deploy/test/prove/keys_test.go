package prove

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestKeysAreRotatedUnderTraffic follows the documented steps with two replicas.
func TestKeysAreRotatedUnderTraffic(t *testing.T) {
	measured := report(t, "Encryption and session keys are changed under traffic, with two replicas: no request fails, no session ends")
	s := harness.New(t, harness.Options{Directories: 2, Postgres: true, DirectoryEnv: []string{"DIRECTORY_DRAIN_DELAY=3s"}})
	companies := newCompanyClients(t, s, 3)
	oldEncryption, oldSession := setting(t, s, "DIRECTORY_ENCRYPTION_KEYS"), setting(t, s, "DIRECTORY_SESSION_KEYS")
	newEncryption, newSession := harness.NewKey(), harness.NewKey()
	// Both requests need the session, and the second the stored credential.
	requests := []struct{ method, path string }{{http.MethodGet, "/api/oauth/status"}, {http.MethodPost, discover}}
	traffic := harness.StartTraffic(t, 20*time.Millisecond, func(n int) error {
		r := requests[n/len(companies)%len(requests)]
		return harness.CheckOK(companies[n%len(companies)].visitor.Try(t.Context(), r.method, r.path, nil))
	})
	for _, order := range []string{"%[1]s,%[2]s", "%[2]s,%[1]s"} {
		restart(t, s, fmt.Sprintf(order, oldEncryption, newEncryption), fmt.Sprintf(order, oldSession, newSession))
	}
	s.Directories[0].Run(t, "keys", "rotate")
	restart(t, s, newEncryption, newSession+","+oldSession)
	answered := traffic.StopWithoutFailure(t)
	_, failures := traffic.Stop()
	measured("%d requests during 6 restarts and the rotation, %d failed", answered+len(failures), len(failures))
	if answered < 100 {
		t.Errorf("only %d requests were answered", answered)
	}
	allSealedWith(t, harness.OpenDatabase(t, s.Database), newEncryption)
}

// setting returns the value of a setting of the replicas.
func setting(t *testing.T, s *harness.Stack, name string) string {
	t.Helper()
	for _, line := range s.Directories[0].Env {
		if value, found := strings.CutPrefix(line, name+"="); found {
			return value
		}
	}
	t.Fatalf("%s is not set", name)
	return ""
}

// restart gives the replicas new keys, one replica after the other.
func restart(t *testing.T, s *harness.Stack, encryption, session string) {
	t.Helper()
	for _, d := range s.Directories {
		d.Env = append(d.Env, "DIRECTORY_ENCRYPTION_KEYS="+encryption, "DIRECTORY_SESSION_KEYS="+session) // the last one counts
		d.Terminate(t)
		d.Start(t)
		<-time.After(3 * time.Second) // the gateway's health check has to see this one before the other stops
	}
}

// allSealedWith requires that all secrets are encrypted with this key (id:base64).
func allSealedWith(t *testing.T, db *sql.DB, key string) {
	t.Helper()
	id, _, _ := strings.Cut(key, ":")
	query := `SELECT count(*), coalesce(sum(CASE WHEN sealed LIKE '` + id + `:%' THEN 0 ELSE 1 END), 0) FROM (
		SELECT access_token AS sealed FROM oauth_tokens UNION ALL SELECT refresh_token FROM oauth_tokens
		UNION ALL SELECT metadata_json->>'user_access_token' FROM oauth_tokens
		UNION ALL SELECT access_token FROM social_media_configs UNION ALL SELECT data FROM sessions) secrets WHERE sealed <> ''`
	var all, others int
	if err := db.QueryRowContext(t.Context(), query).Scan(&all, &others); err != nil {
		t.Fatal(err)
	}
	if all < 10 || others > 0 {
		t.Errorf("%d of %d secrets are encrypted with another key", others, all)
	}
}

// TestTamperedSecretsAreRefused moves and changes encrypted secrets in the database.
func TestTamperedSecretsAreRefused(t *testing.T) {
	measured := report(t, "A swapped row or a flipped bit of a secret is noticed: an error, and no data of others")
	s := harness.New(t, harness.Options{Directories: 1, Postgres: true})
	companies := newCompanyClients(t, s, 2)
	db := harness.OpenDatabase(t, s.Database)
	mine, other := companies[0], companies[1]
	swap := func(column, service string) string {
		return fmt.Sprintf(`UPDATE oauth_tokens o SET %[1]s = (SELECT %[1]s FROM oauth_tokens b WHERE b.company_id = %[3]d AND b.service = '%[4]s')
			WHERE o.company_id = %[2]d AND o.service = '%[4]s'`, column, mine.company, other.company, service)
	}
	flip := func(column, service string) string { // the last but five characters of the Base64 text
		return fmt.Sprintf(`UPDATE oauth_tokens SET %[1]s = overlay(%[1]s placing (CASE substr(%[1]s, length(%[1]s) - 5, 1) WHEN 'A' THEN 'B' ELSE 'A' END)
			from length(%[1]s) - 5 for 1) WHERE company_id = %[2]d AND service = '%[3]s'`, column, mine.company, service)
	}
	locations := func() (harness.Answer, error) {
		return mine.visitor.Try(t.Context(), http.MethodPost, discover, nil)
	}
	page := func() (harness.Answer, error) {
		return mine.visitor.Try(t.Context(), http.MethodPost, syncPage, mine.body())
	}
	user := func() (harness.Answer, error) {
		return mine.visitor.Try(t.Context(), http.MethodGet, "/api/auth/me", nil)
	}
	const swapSessions = `UPDATE sessions SET data = (SELECT data FROM sessions b WHERE b.id_hash <> sessions.id_hash LIMIT 1)`
	cases := []struct {
		name   string
		change string
		ask    func() (harness.Answer, error)
	}{
		{name: "access token of another company", change: swap("access_token", "search_profile"), ask: locations},
		{name: "access token with another bit", change: flip("access_token", "search_profile"), ask: locations},
		{name: "refresh token with another bit", change: flip("refresh_token", "search_profile"), ask: locations},
		{name: "page token of another company", change: swap("access_token", "social_pages"), ask: page},
		{name: "page token with another bit", change: flip("access_token", "social_pages"), ask: page},
		{name: "session of another user", change: swapSessions, ask: user},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			harness.Execute(t, db, "CREATE TABLE kept AS TABLE oauth_tokens", "CREATE TABLE kept_sessions AS TABLE sessions", test.change)
			a, err := test.ask()
			if err != nil || a.Status == http.StatusOK {
				t.Errorf("%d %v %s", a.Status, err, a.Body)
			}
			if leak := leaked(a.Body); leak != "" {
				t.Errorf("the answer shows %q: %s", leak, a.Body)
			}
			harness.Execute(t, db, `UPDATE oauth_tokens o SET access_token = k.access_token, refresh_token = k.refresh_token FROM kept k WHERE k.id = o.id`,
				`UPDATE sessions s SET data = k.data FROM kept_sessions k WHERE k.id_hash = s.id_hash`, "DROP TABLE kept, kept_sessions")
			if a, err := test.ask(); err != nil || a.Status != http.StatusOK {
				t.Errorf("restored: %d %v %s", a.Status, err, a.Body)
			}
		})
	}
	measured("%d changes of rows, all refused", len(cases))
}
