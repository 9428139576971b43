package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
	"backend.example/services/internal/kit/fault"
)

func TestMigrateCommand(t *testing.T) {
	t.Parallel()
	settings := environ(t)
	requireApplied := func(command string, missing int) {
		t.Helper()
		out := require(t, settings, append([]string{"migrate"}, strings.Fields(command)...)...)
		table := `^VERSION +NAME +APPLIED\n( *\d+ +\d{5}_\w+\.sql +2\d{3}-\d\d-\d\d \d\d:\d\d:\d\dZ\n)*( *\d+ +\d{5}_\w+\.sql +no\n)` + fmt.Sprintf("{%d}$", missing)
		if !regexp.MustCompile(table).MatchString(out) {
			t.Errorf("migrate %s printed\n%swant %d missing", command, out, missing)
		}
	}
	requireApplied("up", 0)
	requireApplied("status", 0)
	all := strings.Count(require(t, settings, "migrate", "status", "--json"), `"applied_at":"2`)
	for missing := range all {
		requireApplied("down --yes", missing+1)
	}
	requireApplied("down --yes", all) // there is nothing left to take back
	requireRefused(t, settings, 1, map[string]string{"company list": fmt.Sprintf("%d of %[1]d migrations are missing", all)})
	requireRefused(t, settings, 2, map[string]string{"migrate down": "cannot be undone"})
	requireLines(t, settings, "company add Firma --slug firma") // which brings them back
	requireApplied("status", 0)
}

func TestSeed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, settings []string, _ *directorytest.Store) {
		requireLines(t, settings, "company add Inna --slug warsztat-nowak") // before the demonstration
		ended := make(chan error)
		for range 3 { // replicas may be started with it
			go func() {
				_, err := command(t, settings, "seed")
				ended <- err
			}()
		}
		for range 3 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		requireLines(t, settings, "user set-role gosc@demo.example MEMBER")
		users, companies := require(t, settings, "user", "list"), require(t, settings, "company", "list")
		if strings.Count(users, "@") != 6 || strings.Count(companies, "\n") != 5 {
			t.Errorf("users\n%scompanies\n%s", users, companies)
		}
		demo := require(t, settings, "seed")
		requirePrinted(t, settings, [][2]string{{"user list", users}, {"company list", companies}})
		for _, role := range []string{"UNAFFILIATED", "MEMBER", "EMPLOYEE", "MANAGER", "OFFICE_MANAGER", "ADMIN"} {
			if !slices.Contains(strings.Fields(demo), role) {
				t.Errorf("no demonstration user is %s:\n%s", role, demo)
			}
		}
		for _, field := range strings.Fields(users) {
			if strings.Contains(field, "@") && !slices.Contains(strings.Fields(demo), field) {
				t.Errorf("%s is not named:\n%s", field, demo)
			}
		}
	})
}

// TestSeedReportsAFailingDatabase checks that nothing is left out of the demonstration unnoticed.
func TestSeedReportsAFailingDatabase(t *testing.T) {
	t.Parallel()
	db := databasetest.Open(t, databasetest.NewSQLite(t))
	databasetest.FailEach(t, db, databasetest.Call{Name: "seed", Run: func() error { return cli.Seed(t.Context(), db) }})
}

// TestMoveCommand: a seeded directory goes on in PostgreSQL with the same keys.
func TestMoveCommand(t *testing.T) {
	t.Parallel()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		if db.Name != "postgres" {
			return
		}
		url := databasetest.NewSQLite(t)
		settings := settingsOf(t, url)
		require(t, settings, "seed")
		users, companies := require(t, settings, "user", "list"), require(t, settings, "company", "list")
		out := require(t, settings, "move", "--to", db.URL)
		const next = "Set DIRECTORY_DATABASE_URL to the new database, and DIRECTORY_SESSION_KEYS, DIRECTORY_ENCRYPTION_KEYS " +
			"and DIRECTORY_ERASURE_LOG to what was used until now.\n"
		if !strings.HasPrefix(out, "TABLE  ") || !regexp.MustCompile(` ROWS, THE SAME ON BOTH SIDES\n(\w+ +\d+\n)*users +6\n(\w+ +\d+\n)*`+next+`$`).MatchString(out) {
			t.Errorf("printed %s", out)
		}
		moved := settingsOf(t, db.URL)
		requirePrinted(t, moved, [][2]string{{"user list", users}, {"company list", companies}})
		const kinds = "from an SQLite file to PostgreSQL"
		requireRefused(t, settings, 1, map[string]string{
			"move --to " + db.URL:                       "the target is not empty",
			"move --to sqlite:" + t.TempDir() + "/x.db": kinds,
			"move --to x":                               "--to: ",
		})
		file := filepath.Join(t.TempDir(), "x.db")
		requireRefused(t, moved, 1, map[string]string{"move --to sqlite:" + file: kinds})
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("the target was made: %v", err)
		}
		db.DB = databasetest.Open(t, db.URL)
		empty := func() {
			db.Exec(t, "DROP SCHEMA IF EXISTS public CASCADE")
			db.Exec(t, "CREATE SCHEMA public")
		}
		empty()
		source, err := databasetest.Connect(t.Context(), url)
		ok(t, err)
		directorytest.AddConnection(t, directorytest.NewStore(source), "firma", provider.PagesPair)
		ok(t, source.Close())
		var document, hints strings.Builder // with a key that does not open the secret
		other := append(settings, "DIRECTORY_ENCRYPTION_KEYS="+secondKey)
		ok(t, newProgram(other, nil, &document, &hints).Run(t.Context(), []string{"move", "--json", "--to", db.URL}))
		if !regexp.MustCompile(`^\[({"table":"\w+","rows":\d+},)*{"table":"users","rows":7},.*\]\n$`).MatchString(document.String()) {
			t.Errorf("printed %s", &document)
		}
		if !regexp.MustCompile(`^a secret cannot be read with these keys, in source and target: .*\n` + next + `$`).MatchString(hints.String()) {
			t.Errorf("hints %s", &hints)
		}
		db.Exec(t, "DROP SCHEMA public CASCADE")
		requireRefused(t, settings, 1, map[string]string{"move --to " + db.URL: "--to: "})
		ctx, interrupt := context.WithCancel(t.Context())
		for _, test := range []struct {
			out  io.Writer
			want error
		}{{new(clitest.FullDisk), syscall.ENOSPC}, {interrupting(interrupt), context.Canceled}} {
			empty()
			if err := newProgram(settings, nil, test.out, io.Discard).Run(ctx, []string{"move", "--to", db.URL}); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
		}
	})
}

// interrupting is an output that somebody interrupts the command at.
type interrupting func()

func (f interrupting) Write(text []byte) (int, error) {
	f()
	return len(text), nil
}

func TestCompanies(t *testing.T) {
	settings, s := newDirectory(t)
	requireCompany := func(want company.Company) {
		t.Helper()
		got, err := s.Company(t.Context(), want.ID)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(want, "CreatedAt", "UpdatedAt")); diff != "" || err != nil {
			t.Errorf("%v, company (-want +got):\n%s", err, diff)
		}
	}
	requirePrinted(t, settings, [][2]string{{"company list", "ID  SLUG  NAME  STATUS\n"}, {"company list --json", "[]\n"}})
	out := require(t, settings, "company", "add", " Zakład Żółty ", "--slug", "zaklad-zolty", "--address", "ul. Długa 1, 00-001 Warszawa",
		"--phone", "+48 22 123 45 67", "--website", "https://zolty.example", "--hours", "pon. 8-16\nwt. 8-16", "--description", "Opis, z przecinkiem",
		"--category", "Malarz", "--category", "Tynkarz", "--service", "Malowanie", "--logo-url", "https://zolty.example/l.png",
		"--cover-photo-url", "https://zolty.example/c.png", "--place-id", "place-1")
	if out != "company 1 zaklad-zolty added\n" {
		t.Errorf("printed %q", out)
	}
	want := company.Company{
		ID: 1, Name: "Zakład Żółty", Slug: "zaklad-zolty", Status: "active", Address: "ul. Długa 1, 00-001 Warszawa",
		Phone: "+48 22 123 45 67", Website: "https://zolty.example", Hours: "pon. 8-16\nwt. 8-16", Description: "Opis, z przecinkiem",
		Categories: []string{"Malarz", "Tynkarz"}, Services: []string{"Malowanie"}, LogoURL: "https://zolty.example/l.png",
		CoverPhotoURL: "https://zolty.example/c.png", PlaceID: "place-1",
	}
	requireCompany(want)
	requireLines(t, settings, "company add Dawny --slug dawny --status Archived")
	requirePrinted(t, settings, [][2]string{
		{"company list", "ID  SLUG          NAME          STATUS\n 1  zaklad-zolty  Zakład Żółty  active\n 2  dawny         Dawny         archived\n"},
		{"company list --json", `[{"id":1,"slug":"zaklad-zolty","name":"Zakład Żółty","status":"active"},` +
			`{"id":2,"slug":"dawny","name":"Dawny","status":"archived"}]` + "\n"},
	})
	require(t, settings, "company", "edit", "zaklad-zolty", "--name", " Nowa ", "--phone", "", "--category", "Tynkarz", "--category", "Murarz")
	want.Name, want.Phone, want.Categories = "Nowa", "", []string{"Tynkarz", "Murarz"}
	requireCompany(want)
	requireRefused(t, settings, 2, map[string]string{
		"company edit dawny":               "no flag says what to change",
		"company edit dawny --name=":       "a company needs a name",
		"company edit dawny --status gone": "want one of active, archived",
	})
	requireRefused(t, settings, 1, map[string]string{
		"company add Firma --slug dawny":       `company "dawny": taken already`,
		"company add Firma\x00 --slug firma-2": `company "firma-2": not a text that a database can keep`,
	})
	for _, args := range [][]string{{"company", "add", " ", "--slug", "firma"}, {"company", "edit", "dawny", "--name", " "}} {
		out, err := command(t, settings, args...)
		if refused(t, args, out, err, "a company needs a name"); kitcli.Status(err) != kitcli.StatusUsage {
			t.Errorf("%q: exit status %d", args, kitcli.Status(err))
		}
	}
	requireCompany(want)
	requireLines(t, settings, "company edit dawny --status active")
	requirePrinted(t, settings, [][2]string{{"company list", "ID  SLUG          NAME   STATUS\n 1  zaklad-zolty  Nowa   active\n 2  dawny         Dawny  active\n"}})
}

var printedLink = regexp.MustCompile(`http://localhost:8080/konto/nowe-haslo\?token=[\w-]{43}\nThe link can be used once, until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.\n`)

func TestUsers(t *testing.T) {
	t.Parallel()
	settings, _ := newDirectory(t)
	requireLines(t, settings, "company add Piekarnia --slug piekarnia", "company add Dawna --slug dawna --status archived")
	const short = "password: 12 characters at least"
	for _, step := range []struct{ line, input, want, problem string }{
		{"user add Anna@Firma.PL --name Anna --role manager --company piekarnia", "", "user 1 anna@firma.pl added\nLINK", ""},
		{"user add bez@firma.pl", "", "user 2 bez@firma.pl added\nLINK", ""},
		{"user reset-link BEZ@firma.pl", "", "LINK", ""},
		{"user set-password bez@firma.pl", password, "user 2 bez@firma.pl changed\n", ""}, // no line break at the end
		{"user add flag@firma.pl --role ADMIN --password secret-secret", "", "user 3 flag@firma.pl added\n", ""},
		{"user set-role ANNA@firma.pl office_manager", "", "user 1 anna@firma.pl changed\n", ""},
		{"user set-password anna@firma.pl", "another long password\r\n", "user 1 anna@firma.pl changed\n", ""},
		{"user add ANNA@firma.pl", password, "", "user anna@firma.pl: taken already"},
		{"user add jan@firma.pl --company dawna", password, "", `--company "dawna": archived`},
		{"user set-role FLAG@firma.pl MEMBER", "", "", "user flag@firma.pl: this is the last administrator who can log in; give the role to another user first"},
		{"user set-password anna@firma.pl", "\n" + password, "", short}, // the first line counts
		{"user add jan@firma.pl --password short", password, "", short},
		{"user set-password anna@firma.pl", "short", "", short},
	} {
		out, err := commandReading(t, step.input, settings, strings.Fields(step.line)...)
		if step.problem != "" {
			refused(t, step.line, out, err, step.problem)
		} else if out = printedLink.ReplaceAllString(out, "LINK"); err != nil || out != step.want {
			t.Errorf("%s: printed %q, want %q; error %v", step.line, out, step.want, err)
		}
	}
	requireByOperator(t, settings,
		"user set-password 1 1", "user set-role 1 1 MANAGER → OFFICE_MANAGER", "user add - 3 ADMIN", "user set-password - 2", "user reset-link - 2",
		"user reset-link - 2", "user add - 2 MEMBER", "user reset-link 1 1", "user add 1 1 MANAGER")
	logins := openApp(t, settings).Logins
	for email, chosen := range map[string]string{"anna@firma.pl": "another long password", "bez@firma.pl": password, "flag@firma.pl": "secret-secret"} {
		if _, err := logins.Login(t.Context(), email, chosen, "192.0.2.1"); err != nil {
			t.Errorf("%s cannot log in: %v", email, err)
		}
	}
	requirePrinted(t, settings, [][2]string{{"user list", `ID  E-MAIL         NAME  ROLE            COMPANY  STATE
 1  anna@firma.pl  Anna  OFFICE_MANAGER        1  active
 2  bez@firma.pl         MEMBER                -  active
 3  flag@firma.pl        ADMIN                 -  active
`}})
}

// endless is an input that never delivers; reading it ends the command.
type endless struct{ end context.CancelFunc }

func (r endless) Read([]byte) (int, error) { r.end(); select {} }

func TestPipedPasswordInterrupted(t *testing.T) {
	settings, _ := newDirectory(t)
	requireLines(t, settings, "user add anna@firma.pl")
	ctx, stop := context.WithCancel(t.Context())
	p := newProgram(settings, endless{stop}, io.Discard, io.Discard)
	if err := p.Run(ctx, []string{"user", "set-password", "anna@firma.pl"}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// requireByOperator checks the newest lines of the trail, which name who is at the command line.
func requireByOperator(t *testing.T, settings []string, want ...string) {
	t.Helper()
	var who string
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	for i := range want {
		want[i] = strings.TrimSpace("command line (" + who + ") " + want[i])
	}
	if diff := cmp.Diff(want, listed(t, settings, fmt.Sprintf("trail --limit %d", len(want)))); diff != "" {
		t.Errorf("trail (-want +got): %s", diff)
	}
}

// TestPeopleAndTrail: each command does what it says and leaves a line that names who
// was at the command line, and no secret.
func TestPeopleAndTrail(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, settings []string, _ *directorytest.Store) {
		requireLines(t, settings,
			"company add Piekarnia --slug piekarnia", "company add Druga --slug druga",
			"user add anna@firma.pl --company piekarnia --password "+password,
			"user set-role anna@firma.pl MANAGER", "user set-password anna@firma.pl --password other-secret-text",
			"user disable anna@firma.pl", "user enable anna@firma.pl", "user move anna@firma.pl --company druga", "user move anna@firma.pl --company=",
			"company edit piekarnia --phone 123456789 --category Piekarnia", "company archive druga")
		requireByOperator(t, settings, // action, company, user, service, detail
			"company archive 2 - status",
			"company edit 1 - phone, categories",
			"user move 2 1 company 2 → no company",
			"user move 2 1 company 1 → company 2",
			"user move 1 1 company 1 → company 2",
			"user enable 1 1",
			"user disable 1 1",
			"user set-password 1 1",
			"user set-role 1 1 MEMBER → MANAGER",
			"user add 1 1 MEMBER",
			"company add 2 -",
			"company add 1 -",
		)
		if companies := require(t, settings, "company", "list"); !strings.Contains(companies, "druga      Druga      archived") {
			t.Errorf("companies:\n%s", companies)
		}
	})
}

func TestTrailFilters(t *testing.T) {
	settings, _ := newDirectory(t)
	requireLines(t, settings,
		"company add A --slug a", "company add B --slug b", "user add anna@firma.pl --company a --password "+password)
	requirePrinted(t, settings, [][2]string{{"company delete b --yes", "company 2 deleted\n"}})
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
}

// TestDisabledUser can neither go on nor log in, until enabled.
func TestDisabledUser(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, settings []string, s *directorytest.Store) {
		requireLines(t, settings, "user add anna@firma.pl --password "+password)
		ok(t, s.Sessions().Insert(t.Context(), account.Session{IDHash: hashOf("id"), UserID: new(int64(1)), CreatedAt: time.Now()}))
		for _, step := range []struct {
			line string
			want bool
		}{{"user list", true}, {"user disable anna@firma.pl", false}, {"user enable anna@firma.pl", true}} {
			requireLines(t, settings, step.line)
			if list := require(t, settings, "user", "list"); strings.Contains(list, " active\n") != step.want || strings.Contains(list, " disabled\n") == step.want {
				t.Errorf("after %s:\n%s", step.line, list)
			}
			_, err := openApp(t, settings).Logins.Login(t.Context(), "anna@firma.pl", password, "192.0.2.1")
			if (err == nil) != step.want || err != nil && !fault.Is(err, account.CodeInvalidLogin) {
				t.Errorf("login after %s: %v", step.line, err)
			}
		}
		if _, err := s.Sessions().Find(t.Context(), hashOf("id")); err == nil {
			t.Error("the session of a disabled user goes on")
		}
	})
}

func hashOf(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return sum[:]
}

func TestSessions(t *testing.T) {
	settings, s := newDirectory(t)
	requireLines(t, settings, "user add anna@firma.pl --password "+password, "user add ewa@firma.pl --password "+password)
	at := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	for i, id := range []string{"first", "second", "third", "of ewa"} {
		session := account.Session{IDHash: hashOf(id), UserID: new(int64(1 + i/3)), CreatedAt: at, LastSeenAt: at.Add(time.Duration(i) * time.Minute)}
		ok(t, s.Sessions().Insert(t.Context(), session))
	}
	list := strings.Split(require(t, settings, "session", "list", "anna@firma.pl"), "\n")
	if len(list) != 5 || !strings.HasSuffix(list[1], "2026-11-22 12:00:00Z  2026-11-22 12:02:00Z") {
		t.Fatalf("listed %q", list)
	}
	id := strings.Fields(list[2])[0] // of the second
	requireRefused(t, settings, 4, map[string]string{"session end ewa@firma.pl " + id: "has no session"})
	requirePrinted(t, settings, [][2]string{
		{"session end anna@firma.pl " + id, "1 sessions ended\n"},
		{"session end anna@firma.pl", "2 sessions ended\n"},
		{"session list anna@firma.pl", "ID  BEGAN  LAST USED\n"},
	})
	if out := require(t, settings, "session", "list", "ewa@firma.pl"); strings.Count(out, "\n") != 2 {
		t.Errorf("of Ewa: %s", out)
	}
	requireByOperator(t, settings, "session end - 1 2 ended", "session end - 1 1 ended")
}

func TestAuditCommand(t *testing.T) {
	settings, _ := newDirectory(t)
	require(t, settings, "seed")
	out := require(t, settings, "audit", "piekarnia-kowalski")
	for _, want := range []string{
		"Piekarnia Kowalski: 69.3 of 100, needs_work (2", ", company_record, rules 1.0, ", "\nPiekarnia Kowalski, ul. Floriańska 12, 31-021 Kraków\n",
		"FIELD        STATUS    POINTS  OF  PRIORITY  WHAT TO DO\nname         complete      10  10  -\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("printed\n%swant %q", out, want)
		}
	}
	requirePrinted(t, settings, [][2]string{{"audit piekarnia-kowalski --last", out}})
	document := require(t, settings, "audit", "piekarnia-kowalski", "--refresh", "--json")
	if !regexp.MustCompile(`^{.*"company_slug":"piekarnia-kowalski".*"audit":{"id":2,.*"completeness_score":69.3,.*}\n$`).MatchString(document) {
		t.Errorf("printed %s", document)
	}
	trail := require(t, settings, "trail", "--company", "piekarnia-kowalski")
	if strings.Count(trail, "69.3, needs_work\n") != 2 || strings.Count(trail, ")  audit   ") != 2 {
		t.Errorf("trail\n%s", trail)
	}
	for range 18 { // twenty in an hour, as with the API
		requireLines(t, settings, "audit warsztat-nowak")
	}
	_, err := command(t, settings, "audit", "piekarnia-kowalski")
	want := `^company "piekarnia-kowalski": no more audits in this hour; try again in (1h0m0s|[1-9]\d?m\d+s)$`
	if !regexp.MustCompile(want).MatchString(fmt.Sprint(err)) {
		t.Errorf("the 21st: %v", err)
	}
	requireLines(t, settings, "audit warsztat-nowak --last")
}

// TestAuditRefreshes checks that an audit uses what was read today of the company, unless
// --refresh reads it again.
func TestAuditRefreshes(t *testing.T) {
	requests := 0
	places := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(places.Close)
	settings, s := newDirectory(t, "PLACES_API_KEY=key", "PLACES_BASE_URL="+places.URL)
	require(t, settings, "seed")
	kept := audit.Profile{Source: audit.FromPlace, Reports: audit.Fields(), Business: google.Business{Name: "Piekarnia Kowalski", PlaceID: "p-1"}, FetchedAt: time.Now()}
	ok(t, audit.New(s.DB, nil, nil, time.Now, nil, nil).SaveProfile(t.Context(), 1, &kept))
	requireLines(t, settings, "audit piekarnia-kowalski")
	if requests != 0 {
		t.Errorf("%d requests, want none", requests)
	}
	requireLines(t, settings, "audit piekarnia-kowalski --refresh")
	if requests == 0 {
		t.Error("no request with --refresh")
	}
}

func TestBackupCommand(t *testing.T) {
	settings, _ := newDirectory(t)
	file := filepath.Join(t.TempDir(), "backup.db")
	requirePrinted(t, settings, [][2]string{{"backup " + file, file + " written; keep the encryption keys, too\n"}})
	requireRefused(t, settings, 1, map[string]string{"backup " + file: "is there already"})
}

func TestScanCommand(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string, s *directorytest.Store) {
		requirePrinted(t, settings, [][2]string{
			{"scan", "0 connections: 0 credentials renewed, 0 accounts synced, 0 skipped, 0 steps failed, 0 left for later\n"},
			{"scan --json", `{"connections":0,"renewed":0,"synced":0,"skipped":0,"failed":0,"left":0}` + "\n"},
		})
		_, err := s.Exclusively(t.Context(), "scan", func(context.Context) error {
			requireRefused(t, settings, 1, map[string]string{"scan": "another process is scanning"})
			return nil
		})
		ok(t, err)
	})
	f := newFakeProvider(t)
	directorytest.AddConnection(t, f.store, "kino", provider.ProfilePair) // its token is renewed
	c := connection.Connection{CompanyID: 1, UserID: 1, Pair: provider.PagesPair, AccessToken: "page", UserAccessToken: "user", AccountID: "1", ProviderUserID: "person"}
	ok(t, f.store.Connections.Save(t.Context(), &c, nil, directorytest.Entry(c, "connect")))
	for _, slug := range []string{"lost", "lost-too", "lost-as-well"} {
		c := directorytest.AddConnection(t, f.store, slug, provider.AnalyticsPair)
		ok(t, f.store.Write(t.Context()).Exec("UPDATE oauth_tokens SET reconnect_reason = 'Cofnięto.' WHERE id = ?", c.ID).Error)
	}
	requirePrinted(t, f.settings, [][2]string{
		{"scan", "5 connections: 1 credentials renewed, 2 accounts synced, 3 skipped, 0 steps failed, 0 left for later\n"},
	})
}

// receiver is an address that responds with a status, and records what it is sent.
func receiver(t *testing.T) (url string, status *atomic.Int64, received chan string) {
	t.Helper()
	status, received = &atomic.Int64{}, make(chan string, 100)
	status.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		received <- r.Header.Get("Webhook-Signature") + " " + string(content)
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(server.Close)
	return server.URL, status, received
}

func TestWebhookCommands(t *testing.T) {
	url, status, received := receiver(t)
	settings, store := newDirectory(t)
	requireLines(t, settings, "company add Piekarnia --slug piekarnia")
	requireRefused(t, settings, 1, map[string]string{
		"webhook add " + url + " --company piekarnia": "an https address of a public host",
		"webhook add https://10.0.0.1/ --all":         "an https address of a public host",
	})
	settings = append(settings, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true")
	first, found := strings.CutPrefix(require(t, settings, "webhook", "add", url, "--company", "piekarnia"), "webhook 1 added\n")
	if !found || !strings.HasPrefix(first, "whsec_") {
		t.Errorf("added: %q", first)
	}
	requirePrinted(t, settings, [][2]string{{"webhook test 1", "delivered (200)\n"}})
	if got := <-received; !strings.Contains(got, `{"type":"webhook.test"`) || strings.Count(got, "v1,") != 1 {
		t.Errorf("received %s", got)
	}
	requirePrinted(t, settings, [][2]string{
		{"connection list --json", "[]\n"}, {"connection unmark provider_social --since 6h", "0 connections unmarked\n"},
		{"pause list --json", "[]\n"}, {"pause lift provider_search", "0 pauses lifted\n"},
		{"webhook replay 1 --since 1h", "0 events will be sent again\n"}, // a test is not one
		{"webhook replay 1 --event msg_x", "0 events will be sent again\n"},
	})
	if second := require(t, settings, "webhook", "rotate", "1"); second == first || !strings.HasPrefix(second, "whsec_") {
		t.Errorf("rotate: %q after %q", second, first)
	}
	status.Store(http.StatusServiceUnavailable)
	requireRefused(t, settings, 1, map[string]string{"webhook test 1": "webhook 1: not taken: parked after 1 attempts: refused (503)"})
	if got := <-received; strings.Count(got, "v1,") != 2 {
		t.Errorf("after the rotation: %s", got)
	}
	added := require(t, settings, "webhook", "add", url+"/all", "--all", "--json")
	if !regexp.MustCompile(`^{"id":2,"secret":"whsec_[^"]+"}\n$`).MatchString(added) {
		t.Errorf("added: %q", added)
	}
	list := require(t, settings, "webhook", "list")
	want := "piekarnia  active  webhook.test parked after 1 attempts: refused (503)  " + url + "\n 2  (all)"
	if !strings.Contains(list, want) || strings.Contains(list, "whsec") {
		t.Errorf("list:\n%s", list)
	}
	ok(t, store.Write(t.Context()).Exec("UPDATE webhooks SET disabled = 'gone' WHERE id = 2").Error)
	if list := require(t, settings, "webhook", "list"); !strings.Contains(list, " 2  (all)      disabled: gone  ") {
		t.Errorf("a disabled one:\n%s", list)
	}
	requireLines(t, settings, "company edit piekarnia --phone 123456789", "audit piekarnia")
	if list := require(t, settings, "webhook", "list"); !strings.Contains(list, "piekarnia  active          audit.completed pending after 0 attempts  "+url) {
		t.Errorf("before the first attempt:\n%s", list)
	}
	requirePrinted(t, settings, [][2]string{{"webhook remove 1", "webhook 1 removed\n"}})
	requireByOperator(t, settings, "webhook remove 1 - webhook 1", "audit 1 - 24, poor", "company edit 1 - phone", "webhook add - - webhook 2",
		"webhook rotate 1 - webhook 1", "webhook add 1 - webhook 1", "company add 1 -")
	if list := require(t, settings, "webhook", "list"); strings.Contains(list, "piekarnia") {
		t.Errorf("list after the removal:\n%s", list)
	}
}

var moment = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`)

// listed are the lines of a list, without its head and times.
func listed(t *testing.T, settings []string, line string) (lines []string) {
	t.Helper()
	for row := range strings.Lines(require(t, settings, strings.Fields(line)...)) {
		lines = append(lines, strings.Join(strings.Fields(moment.ReplaceAllString(row, "")), " "))
	}
	return lines[1:]
}

func TestConnectionCommands(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string, s *directorytest.Store) {
		directorytest.AddConnection(t, s, "piekarnia", provider.ProfilePair)
		lost := directorytest.AddConnection(t, s, "kino", provider.PagesPair)
		_, err := s.Connections.Change(t.Context(), lost.CompanyID, lost.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
			c.ReconnectReason = "Cofnięto."
			entry := directorytest.Entry(*c, "reconnect_required")
			entry.At, entry.UserID = time.Now().Add(-2*time.Hour), nil
			return &entry, nil
		})
		ok(t, err)
		const kino = "2 kino social_pages reconnect Cofnięto."
		for line, want := range map[string][]string{
			"connection list":                   {"1 piekarnia search_profile ok -", kino},
			"connection list --company kino":    {kino},
			"connection list --state reconnect": {kino},
			"connection list --state ended":     nil,
		} {
			if got := listed(t, settings, line); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", line, got, want)
			}
		}
		for line, want := range map[string]string{"--company kino": `"state":"reconnect","reason":"Cofnięto.",`, "--company piekarnia": `"state":"ok","reason":null,`} {
			if got := require(t, settings, append([]string{"connection", "list", "--json"}, strings.Fields(line)...)...); !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", line, got, want)
			}
		}
		requireRefused(t, settings, kitcli.StatusUsage, map[string]string{
			"connection unmark x":                         "PROVIDER is provider_search or provider_social",
			"connection unmark provider_social":           "want --since TIME or --company SLUG",
			"connection unmark provider_social --since x": `--since "x" is neither a time such as 48h nor a date`,
		})
		requirePrinted(t, settings, [][2]string{
			{"connection unmark provider_search --since 3h", "0 connections unmarked\n"},
			{"connection unmark provider_social --since 1h", "0 connections unmarked\n"},
			{"connection unmark provider_social --company piekarnia", "0 connections unmarked\n"},
			{"connection unmark provider_social --since 3h --company kino", "1 connections unmarked\n"},
			{"connection list --state reconnect --json", "[]\n"},
		})
		requireByOperator(t, settings, "connection unmark 2 - social_pages")
		want := []string{"service reconnect_required 2 - social_pages", "user 2 connect 2 - social_pages"}
		if got := listed(t, settings, "trail --company kino"); !slices.Equal(got[1:], want) {
			t.Errorf("trail: %q, want %q", got, want)
		}
	})
}

func TestPauseCommands(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string, s *directorytest.Store) {
		directorytest.AddConnection(t, s, "piekarnia", provider.ProfilePair)
		until := time.Now().Add(time.Hour).UTC()
		for _, statement := range []string{
			"INSERT INTO provider_stops (provider, stopped_until) VALUES ('provider_social', ?)",
			"INSERT INTO provider_stops (provider, stopped_until) VALUES ('provider_search/search_analytics', ?)",
			"UPDATE oauth_tokens SET sync_stopped_until = ?",
		} {
			ok(t, s.Write(t.Context()).Exec(statement, until).Error)
		}
		want := []string{"provider_search search_analytics - -", "provider_social - - -", "provider_search search_profile 1 sync"}
		if got := listed(t, settings, "pause list"); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		got := require(t, settings, "pause", "list", "--json")
		for _, want := range []string{
			`{"provider":"provider_social","service":null,"company_id":null,"task":null,"until":"`,
			`{"provider":"provider_search","service":"search_profile","company_id":1,"task":"sync","until":"`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s\nlacks %s", got, want)
			}
		}
		requirePrinted(t, settings, [][2]string{{"pause lift provider_search", "2 pauses lifted\n"}, {"pause lift provider_social", "1 pauses lifted\n"}, {"pause list --json", "[]\n"}})
		requireByOperator(t, settings, "pause lift - -", "pause lift - -")
	})
}

// TestServeDelivers: events are delivered by the process that serves.
func TestServeDelivers(t *testing.T) {
	url, _, received := receiver(t)
	settings, _ := newDirectory(t, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true")
	require(t, settings, "seed")
	require(t, settings, "webhook", "add", url, "--company", "piekarnia-kowalski")
	p := start(t, settings)
	login(t, p.url, "biuro@demo.example").require(t, 200, "/api/bizprofile/audit", `{"slug":"piekarnia-kowalski"}`)
	if got := <-received; !strings.Contains(got, `{"type":"audit.completed"`) {
		t.Errorf("received %s", got)
	}
	p.end(t)
}

// The password of the demonstration is published.
func TestDemonstrationStaysApart(t *testing.T) {
	t.Parallel()
	settings := environ(t)
	public := append(slices.Clone(settings), "DIRECTORY_PUBLIC_URL=https://firmy.example")
	requireRefused(t, public, 2, map[string]string{"seed": "DIRECTORY_PUBLIC_URL is https://firmy.example"})
	require(t, settings, "seed")
	require(t, settings, "user", "add", "anna@firmy.example", "--role", "ADMIN")
	requireRefused(t, settings, 2, map[string]string{"seed": "has other users"})
	p := start(t, public)
	const login = `{"email":"biuro@demo.example","password":"` + cli.DemoPassword + `"}`
	answer, err := http.Post(p.url+"/api/auth/login", "application/json", strings.NewReader(login))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a demonstration user at a public address: %d", answer.StatusCode)
	}
}
