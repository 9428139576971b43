package main

import (
	"context"
	"crypto/sha256"
	"os/user"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/internal/kit/fault"
)

// TestPeopleAndTrail: each command does what it says and leaves a line that names who
// was at the command line, and no secret.
func TestPeopleAndTrail(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		for _, line := range []string{
			"company add Piekarnia --slug piekarnia", "company add Druga --slug druga",
			"user add anna@firma.pl --company piekarnia --password " + strings.ReplaceAll(password, " ", "-"),
			"user set-role anna@firma.pl MANAGER", "user set-password anna@firma.pl --password other-secret-text",
			"user disable anna@firma.pl", "user enable anna@firma.pl", "user move anna@firma.pl --company druga", "user move anna@firma.pl --company=",
			"company edit piekarnia --phone 123456789 --category Piekarnia", "company archive druga",
		} {
			require(t, settings, strings.Fields(line)...)
		}
		var who string
		if u, err := user.Current(); err == nil {
			who = u.Username
		}
		want := [][]string{ // action, company, user, service, detail
			{"company archive", "2", "-"},
			{"company edit", "1", "-", "phone, category"},
			{"user move", "2", "1", "company 2 → no company"},
			{"user move", "1", "1", "company 1 → company 2"},
			{"user enable", "1", "1"},
			{"user disable", "1", "1"},
			{"user set-password", "1", "1"},
			{"user set-role", "1", "1", "MEMBER → MANAGER"},
			{"user add", "1", "1", "MEMBER"},
			{"company add", "2", "-"},
			{"company add", "1", "-"},
		}
		lines := strings.Split(strings.TrimSuffix(require(t, settings, "trail"), "\n"), "\n")
		if len(lines) != len(want)+1 {
			t.Fatalf("%d lines: %q", len(lines), lines)
		}
		for i, fields := range want {
			got := strings.Join(strings.Fields(lines[i+1])[2:], " ")
			if words := "command line (" + who + ") " + strings.Join(fields, " "); got != words {
				t.Errorf("line %d says %q, want %q", i, got, words)
			}
		}
		if companies := require(t, settings, "company", "list"); !strings.Contains(companies, "druga      Druga      archived") {
			t.Errorf("companies:\n%s", companies)
		}
	})
}

func TestTrailFilters(t *testing.T) {
	settings := withFile(t, environ(t))
	for _, line := range []string{
		"company add A --slug a", "company add B --slug b", "user add anna@firma.pl --company a --password correct-horse-battery", "company delete b --yes",
	} {
		require(t, settings, strings.Fields(line)...)
	}
	for line, want := range map[string]int{
		"trail": 4, "trail --limit 1": 1, "trail --company a": 2, "trail --company 2": 2, "trail --user anna@firma.pl": 1, "trail --user 1": 1,
		"trail --since 1h": 4, "trail --since 2999-01-01": 0, "trail --company a --user 1": 1,
	} {
		if out := require(t, settings, strings.Fields(line)...); strings.Count(out, "\n") != want+1 {
			t.Errorf("%s: printed %s", line, out)
		}
		if out := require(t, settings, append(strings.Fields(line), "--json")...); strings.Count(out, `"action":"`) != want {
			t.Errorf("%s --json: printed %s", line, out)
		}
	}
	for line, want := range map[string]string{
		"trail --company c": "there is no such company", "trail --user b@firma.pl": "there is no such user", "trail --since soon": "want a day",
	} {
		out, err := command(t, settings, strings.Fields(line)...)
		refused(t, line, out, err, want)
	}
}

func TestCompanyEdit(t *testing.T) {
	settings := withFile(t, environ(t))
	require(t, settings, "company", "add", "Firma", "--slug", "firma", "--phone", "1", "--category", "Malarz", "--hours", "pon. 8-16")
	require(t, settings, "company", "edit", "firma", "--name", " Nowa ", "--phone", "", "--category", "Tynkarz", "--category", "Murarz")
	requireCompany(t, settings, company.Company{
		ID: 1, Name: "Nowa", Slug: "firma", Status: "active", Hours: "pon. 8-16", Categories: []string{"Tynkarz", "Murarz"}, Services: []string{},
	})
	for line, want := range map[string]string{
		"company edit firma": "no flag says what to change", "company edit firma --status gone": "want one of active, archived",
		"company edit firma --name=": "a company needs a name", "company edit nowa --phone 1": "there is no such company", "company archive nowa": "there is no such company",
	} {
		out, err := command(t, settings, strings.Fields(line)...)
		refused(t, line, out, err, want)
	}
}

// TestDisabledUser can neither go on nor log in, until enabled.
func TestDisabledUser(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		require(t, settings, "user", "add", "anna@firma.pl", "--password", password)
		login := func(ctx context.Context, s *storetest.Store) error {
			logins := account.NewLogins(s.UserByEmail, s.DB, directorytest.Hasher(), time.Now, newLogger(t.Output(), 0))
			_, err := logins.Login(ctx, "anna@firma.pl", password, "192.0.2.1")
			return err
		}
		session := account.Session{IDHash: hashOf("late"), UserID: new(int64(1)), CreatedAt: time.Now()}
		inStore(t, settings, login)
		require(t, settings, "user", "disable", "anna@firma.pl")
		inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
			if err := login(ctx, s); !fault.Is(err, account.CodeInvalidLogin) {
				t.Errorf("login: %v", err)
			}
			if err := s.Sessions().Insert(ctx, session); err != nil { // of a login that was under way
				return err
			}
			if got, err := s.Sessions().Find(ctx, session.IDHash); err != nil || got.User != nil {
				t.Errorf("session %+v, %v", got, err)
			}
			return nil
		})
		require(t, settings, "user", "enable", "anna@firma.pl")
		inStore(t, settings, login)
	})
}

func hashOf(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return sum[:]
}

func TestSessions(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		for _, email := range []string{"anna@firma.pl", "ewa@firma.pl"} {
			require(t, settings, "user", "add", email, "--password", password)
		}
		at := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
		inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
			for i, id := range []string{"first", "second", "third", "of ewa"} {
				session := account.Session{IDHash: hashOf(id), UserID: new(int64(1 + i/3)), CreatedAt: at, LastSeenAt: at.Add(time.Duration(i) * time.Minute)}
				if err := s.Sessions().Insert(ctx, session); err != nil {
					return err
				}
			}
			return nil
		})
		list := strings.Split(require(t, settings, "session", "list", "anna@firma.pl"), "\n")
		if len(list) != 5 || !strings.HasSuffix(list[1], "2026-11-22 12:00:00Z  2026-11-22 12:02:00Z") {
			t.Fatalf("listed %q", list)
		}
		id := strings.Fields(list[2])[0] // of the second
		for _, step := range []struct{ line, want string }{
			{"session end anna@firma.pl " + id, "1 sessions ended\n"},
			{"session end anna@firma.pl", "2 sessions ended\n"},
			{"session list anna@firma.pl", "ID  BEGAN  LAST USED\n"},
		} {
			if out := require(t, settings, strings.Fields(step.line)...); out != step.want {
				t.Errorf("%s: printed %q, want %q", step.line, out, step.want)
			}
		}
		if out := require(t, settings, "session", "list", "ewa@firma.pl"); strings.Count(out, "\n") != 2 {
			t.Errorf("of Ewa: %s", out)
		}
		out, err := command(t, settings, "session", "end", "ewa@firma.pl", id)
		refused(t, "another's session", out, err, "has no session")
		if trail := require(t, settings, "trail", "--user", "1"); strings.Count(trail, "session end") != 2 {
			t.Errorf("trail: %s", trail)
		}
	})
}
