package app

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
)

// requireTranscript runs the command lines of a file, each after "$ directory ", and compares
// all that they print with what follows there.
func requireTranscript(t *testing.T, settings []string, path string, args func(line string) []string) {
	t.Helper()
	want := string(readFile(t, path))
	var got strings.Builder
	for text := range strings.Lines(want) {
		line, isCommand := strings.CutPrefix(strings.TrimSuffix(text, "\n"), "$ directory ")
		if !isCommand {
			continue
		}
		var out bytes.Buffer
		if err := newProgram(settings, strings.NewReader(""), &out, io.Discard).Run(t.Context(), args(line)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got.WriteString(text + out.String())
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// newFilled returns a database with rows in every table, and the settings of a directory on it.
func newFilled(t *testing.T) (databasetest.Database, []string) {
	t.Helper()
	db := databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}
	db.DB = databasetest.Open(t, db.URL)
	db.Fill(t)
	return db, settingsOf(t, db.URL)
}

// TestListsAreWhole checks all that the commands which print data print, as tables and as JSON.
func TestListsAreWhole(t *testing.T) {
	t.Parallel()
	db, settings := newFilled(t)
	at, until := database.Instant(databasetest.Time), time.Date(2999, time.January, 2, 3, 4, 5, 0, time.UTC)
	db.AddConnection(t, "pekin")
	for _, row := range []struct {
		statement string
		values    []any
	}{
		{"UPDATE companies SET name = 'Firma \x1b[1m', status = 'archived' WHERE id = 2", nil},
		{"UPDATE oauth_tokens SET reconnect_reason = 'Cofnięto.', sync_stopped_until = ? WHERE id = 2", []any{until}},
		{"INSERT INTO users (email, name, password_hash, role, created_at, updated_at, disabled_at) VALUES ('ewa@firma.pl', 'Ewa', '', 100, ?1, ?1, ?1)", []any{at}},
		{"UPDATE sessions SET last_seen_at = ?", []any{at.Add(time.Minute)}},
		{"INSERT INTO provider_stops (provider, stopped_until) VALUES ('provider_social', ?), ('provider_search/search_analytics', ?)", []any{until, until}},
		{"INSERT INTO audit_trail (at, actor, about_user_id, action, provider, service, detail, request_id) VALUES (?, 'command line (ewa)', 2, 'user set-role', '', '', 'MEMBER → ADMIN', '')", []any{at.Add(time.Hour)}},
		{"INSERT INTO audit_trail (at, company_id, action, provider, service, detail, request_id) VALUES (?, 2, 'refresh', 'provider_search', 'search_profile', '', 'r-2')", []any{at.Add(2 * time.Hour)}},
		{"UPDATE webhook_deliveries SET attempts = 3, result = 'refused', status = 503", nil},
		{"INSERT INTO webhooks (url, secret, old_secret, disabled, created_at) VALUES ('https://all.example', '', '', 'gone', ?)", []any{at}},
		{"INSERT INTO webhooks (company_id, url, secret, old_secret, disabled, created_at) VALUES (2, 'https://taken.example', '', '', '', ?)", []any{at}},
		{"UPDATE profile_audits SET audit_source = 'company_record', fields_status = ?, recommendations = ?", []any{
			`{"name":{"status":"complete","value":"Firma","score":10,"max_score":10},"phone":{"status":"missing","score":0,"max_score":12.5,"recommendation":"Podaj telefon."}}`,
			`[{"field":"phone","priority":"high","points":12.5,"text":"Podaj telefon."}]`,
		}},
		{"INSERT INTO webhook_deliveries (webhook_id, event_id, type, at, data, state, attempts, result, status, next_at, created_at) VALUES " +
			"(3, 'older', 'audit.completed', ?1, '{}', 'delivered', 1, 'delivered', 200, ?1, ?1), (3, 'old', 'audit.completed', ?2, '{}', 'delivered', 1, 'delivered', 200, ?2, ?2)",
			[]any{at.AddDate(0, 0, -2), at}},
		{"INSERT INTO webhook_deliveries (webhook_id, event_id, type, at, data, state, attempts, result, status, next_at, created_at) VALUES (3, 'e', 'webhook.test', ?1, '{}', 'delivered', 1, 'delivered', 204, ?1, ?1)", []any{at}},
	} {
		db.Exec(t, row.statement, row.values...)
	}
	requireTranscript(t, settings, "testdata/lists.txt", strings.Fields)
}

// TestCompletionIsWhole checks what a shell offers after each command line.
func TestCompletionIsWhole(t *testing.T) {
	db, settings := newFilled(t)
	db.Exec(t, "UPDATE users SET name = 'Filip \x1b[1m'")
	settings = append(settings, "DIRECTORY_ACTIVE_HELP=0") // as fish sets it
	requireTranscript(t, settings, "testdata/completion.txt", func(line string) []string {
		return append([]string{"__complete"}, strings.Split(line, " ")...)
	})
}

// TestCommandsReportAFailingDatabase takes away a table that a command needs.
func TestCommandsReportAFailingDatabase(t *testing.T) {
	t.Parallel()
	db, settings := newFilled(t)
	db.Exec(t, "UPDATE companies SET address = 'Kraków'") // so that it can be audited
	for _, test := range [][2]string{                     // table, command line
		{"companies", "company list"},
		{"companies", "company add Firma --slug firma"},
		{"audit_trail", "company edit filled --phone 1"},
		{"companies", "company export filled"},
		{"webhooks", "company export filled"},
		{"profile_audits", "audit filled --last"},
		{"audit_trail", "audit filled"},
		{"users", "user list"},
		{"users", "user add a@b.pl --password secret-secret"},
		{"companies", "user add a@b.pl --company filled"},
		{"audit_trail", "user set-role filled@example.test ADMIN"},
		{"users", "user set-role filled@example.test ADMIN"},
		{"audit_trail", "user set-password filled@example.test --password secret-secret"},
		{"password_links", "user reset-link filled@example.test"},
		{"companies", "user move filled@example.test --company filled"},
		{"audit_trail", "user move filled@example.test --company="},
		{"audit_trail", "user disable filled@example.test"},
		{"companies", "company delete filled --yes"},
		{"sessions", "session list filled@example.test"},
		{"sessions", "session end filled@example.test"},
		{"audit_trail", "trail"},
		{"companies", "trail --company filled"},
		{"users", "trail --user filled@example.test"},
		{"oauth_tokens", "connection list"},
		{"companies", "connection list --company filled"},
		{"oauth_tokens", "connection unmark provider_social --since 1h"},
		{"companies", "connection unmark provider_social --company filled"},
		{"provider_stops", "pause list"},
		{"provider_stops", "pause lift provider_social"},
		{"oauth_tokens", "scan"},
		{"leases", "scan"},
		{"sessions", "keys rotate"},
		{"webhooks", "webhook list"},
		{"webhook_deliveries", "webhook list"},
		{"companies", "webhook list"},
		{"companies", "webhook add https://hook.example --company filled"},
		{"webhooks", "webhook add https://hook.example --all"},
		{"audit_trail", "webhook rotate 1"},
		{"webhook_deliveries", "webhook replay 1 --since 1h"},
		{"webhooks", "webhook remove 1"},
		{"webhooks", "webhook test 1"},
		{"purges", "user delete filled@example.test --yes"},
	} {
		table, line := test[0], test[1]
		db.Exec(t, "ALTER TABLE "+table+" RENAME TO taken_away")
		out, err := command(t, settings, strings.Fields(line)...)
		db.Exec(t, "ALTER TABLE taken_away RENAME TO "+table)
		if kitcli.Status(err) != 1 || !strings.Contains(err.Error(), table) || out != "" {
			t.Errorf("%s without %s: printed %q, %v", line, table, out, err)
		}
	}
	db.Exec(t, "DELETE FROM goose_db_version")
	requireRefused(t, settings, 1, map[string]string{"company add Firma --slug firma": "migrate", "migrate up": "migrate", "keys rotate": "migrate"})
	db.Exec(t, "ALTER TABLE goose_db_version RENAME COLUMN version_id TO taken_away")
	requireRefused(t, settings, 1, map[string]string{"migrate status": "goose_db_version"})
}

// TestCommandsReportAFullDisk writes what commands print to a file that has no room for it, or
// for what they print last.
func TestCommandsReportAFullDisk(t *testing.T) {
	t.Parallel()
	db, settings := newFilled(t)
	db.AddConnection(t, "pekin")
	db.Exec(t, "UPDATE companies SET address = 'Kraków'") // so that it can be audited
	settings = append(settings, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true")
	url, _, _ := receiver(t)
	for _, test := range []struct {
		line string
		room int
	}{
		{"--version", 0}, {"completion bash", 0}, {"completion zsh", 0}, {"completion fish", 0}, {"keys generate", 0}, {"migrate up", 0}, {"migrate status", 0},
		{"company list", 0}, {"company list --json", 0}, {"company export filled", 0}, {"company add Firma --slug firma", 0},
		{"company edit firma --phone 123456789", 0}, {"company archive firma", 0}, {"audit filled --last", 0}, {"audit filled --last", 1}, {"audit filled --json", 0},
		{"user list", 0}, {"user add a@b.pl", 0}, {"user add b@b.pl", 1}, {"user set-role a@b.pl ADMIN", 0}, {"user reset-link a@b.pl", 0},
		{"user set-password a@b.pl --password " + password, 0}, {"session list filled@example.test", 0}, {"session end filled@example.test", 0},
		{"trail", 0}, {"connection list", 0}, {"connection unmark provider_social --since 1h", 0}, {"pause list", 0}, {"pause lift provider_social", 0},
		{"scan", 0}, {"scan --json", 0}, {"keys rotate", 0}, {"backup " + t.TempDir() + "/backup.db", 0}, {"webhook list", 0},
		{"webhook add " + url + " --all", 0}, {"webhook add " + url + " --all --json", 0}, {"webhook test 2", 0}, {"webhook rotate 2", 0},
		{"webhook replay 2 --since 1h", 0}, {"webhook remove 2", 0}, {"company delete filled --yes", 0}, {"erase replay", 0},
	} {
		err := newProgram(settings, strings.NewReader(""), new(clitest.FullDisk(test.room)), io.Discard).Run(t.Context(), strings.Fields(test.line))
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s, after %d writes: %v", test.line, test.room, err)
		}
	}
}
