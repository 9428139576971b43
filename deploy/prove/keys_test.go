package prove

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/stack"
)

// traffic uses connections and sessions until it is ended, and counts what goes
// wrong.
type traffic struct {
	sent, failed atomic.Int64
	last         atomic.Value // the newest failure
	end          func()
}

// use lets each writer read its status and ask its provider, again and again; both
// need the session, and the second the stored credential.
func use(t *testing.T, writers []*writer) *traffic {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	flow := &traffic{}
	var wg sync.WaitGroup
	for _, w := range writers {
		wg.Go(func() {
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for i := 0; ; i++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				method, path := http.MethodGet, "/api/oauth/status"
				if i%2 == 1 {
					method, path = http.MethodPost, "/api/oauth/provider_search/discover-locations"
				}
				a, err := w.visitor.Try(ctx, method, path, nil)
				if ctx.Err() != nil {
					return
				}
				flow.sent.Add(1)
				if err != nil || a.Status != http.StatusOK {
					flow.failed.Add(1)
					flow.last.Store(fmt.Sprintf("%s %d %v %.200s", path, a.Status, err, a.Body))
				}
			}
		})
	}
	flow.end = sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(flow.end)
	return flow
}

// TestKeysAreRotatedUnderTraffic goes the documented way with two replicas.
func TestKeysAreRotatedUnderTraffic(t *testing.T) {
	measured := figures(t, "Encryption and session keys are changed under traffic, with two replicas: no request fails, no session ends")
	server := stack.StartPostgres(t)
	database := server.NewDatabase(t)
	s := stack.New(t, stack.Options{
		Directories: 2, Database: server.URL(server.Addr, database), DirectoryEnv: []string{"DIRECTORY_DRAIN_DELAY=3s"},
	})
	writers := newWriters(t, s, 3)
	oldEncryption, oldSession := setting(t, s, "DIRECTORY_ENCRYPTION_KEYS"), setting(t, s, "DIRECTORY_SESSION_KEYS")
	newEncryption, newSession := stack.NewKey(), stack.NewKey()
	flow := use(t, writers)
	for _, order := range []string{"%[1]s,%[2]s", "%[2]s,%[1]s"} {
		restart(t, s, fmt.Sprintf(order, oldEncryption, newEncryption), fmt.Sprintf(order, oldSession, newSession))
	}
	s.Directories[0].Run(t, "keys", "rotate")
	restart(t, s, newEncryption, newSession+","+oldSession)
	flow.end()
	measured("%d requests during 6 restarts and the rotation, %d failed", flow.sent.Load(), flow.failed.Load())
	if n := flow.failed.Load(); n > 0 || flow.sent.Load() < 100 {
		t.Errorf("%d of %d requests failed, the last one: %v", n, flow.sent.Load(), flow.last.Load())
	}
	allSealedWith(t, server.Open(t, database), newEncryption)
}

// setting is the value of a variable of the replicas.
func setting(t *testing.T, s *stack.Stack, name string) string {
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
func restart(t *testing.T, s *stack.Stack, encryption, session string) {
	t.Helper()
	for _, d := range s.Directories {
		d.Env = append(d.Env, "DIRECTORY_ENCRYPTION_KEYS="+encryption, "DIRECTORY_SESSION_KEYS="+session) // the last one counts
		if err := d.Stop(syscall.SIGTERM); !stack.ExitedCleanly(err) {
			t.Errorf("SIGTERM: %v", err)
		}
		d.Start(t)
		<-time.After(3 * time.Second) // a health check of the gateway, so that it knows of this one before the other goes
	}
}

// allSealedWith looks for secrets that another key than this one (id:base64) has
// encrypted.
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

// TestTamperedSecretsAreRefused moves and changes encrypted secrets behind the
// service's back.
func TestTamperedSecretsAreRefused(t *testing.T) {
	measured := figures(t, "A swapped row or a flipped bit of a secret is noticed: an error, and nobody else's data")
	server := stack.StartPostgres(t)
	database := server.NewDatabase(t)
	s := stack.New(t, stack.Options{Directories: 1, Database: server.URL(server.Addr, database)})
	writers := newWriters(t, s, 2)
	db := server.Open(t, database)
	mine, other := writers[0], writers[1]
	swap := func(column, service string) string {
		return fmt.Sprintf(`UPDATE oauth_tokens o SET %[1]s = (SELECT %[1]s FROM oauth_tokens b WHERE b.company_id = %[3]d AND b.service = '%[4]s')
			WHERE o.company_id = %[2]d AND o.service = '%[4]s'`, column, mine.company, other.company, service)
	}
	flip := func(column, service string) string { // the last but five characters of the Base64 text
		return fmt.Sprintf(`UPDATE oauth_tokens SET %[1]s = overlay(%[1]s placing (CASE substr(%[1]s, length(%[1]s) - 5, 1) WHEN 'A' THEN 'B' ELSE 'A' END)
			from length(%[1]s) - 5 for 1) WHERE company_id = %[2]d AND service = '%[3]s'`, column, mine.company, service)
	}
	locations := func() (stack.Answer, error) {
		return mine.visitor.Try(t.Context(), http.MethodPost, "/api/oauth/provider_search/discover-locations", nil)
	}
	pages := func() (stack.Answer, error) {
		return mine.visitor.Try(t.Context(), http.MethodPost, "/api/oauth/provider_social/sync-facebook", map[string]any{"company_id": mine.company})
	}
	cases := map[string]struct {
		change string
		ask    func() (stack.Answer, error)
	}{
		"access token of another company": {swap("access_token", "search_profile"), locations},
		"access token with another bit":   {flip("access_token", "search_profile"), locations},
		"refresh token with another bit":  {flip("refresh_token", "search_profile"), locations},
		"page token of another company":   {swap("access_token", "social_pages"), pages},
		"page token with another bit":     {flip("access_token", "social_pages"), pages},
		"session of another user": {`UPDATE sessions SET data = (SELECT data FROM sessions b WHERE b.id_hash <> sessions.id_hash LIMIT 1)`,
			func() (stack.Answer, error) {
				return mine.visitor.Try(t.Context(), http.MethodGet, "/api/auth/me", nil)
			}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			execute(t, db, "CREATE TABLE kept AS TABLE oauth_tokens", "CREATE TABLE kept_sessions AS TABLE sessions", test.change)
			a, err := test.ask()
			if err != nil || a.Status == http.StatusOK {
				t.Errorf("%d %v %s", a.Status, err, a.Body)
			}
			if leak := leaked(a.Body); leak != "" {
				t.Errorf("the answer tells %q: %s", leak, a.Body)
			}
			execute(t, db, `UPDATE oauth_tokens o SET access_token = k.access_token, refresh_token = k.refresh_token FROM kept k WHERE k.id = o.id`,
				`UPDATE sessions s SET data = k.data FROM kept_sessions k WHERE k.id_hash = s.id_hash`, "DROP TABLE kept, kept_sessions")
			if a, err := test.ask(); err != nil || a.Status != http.StatusOK {
				t.Errorf("put right again: %d %v %s", a.Status, err, a.Body)
			}
		})
	}
	measured("%d changes of rows, all refused", len(cases))
}

func execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
