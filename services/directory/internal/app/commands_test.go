package app

import (
	"fmt"
	"io"
	"net/http"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/database/databasetest"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
)

// TestHelpIsWhole checks what the help of each command says.
func TestHelpIsWhole(t *testing.T) {
	clitest.Help(t, newProgram(nil, nil, io.Discard, io.Discard).Root(), func(args ...string) (string, error) {
		var out strings.Builder
		err := newProgram(nil, nil, &out, io.Discard).Run(t.Context(), args)
		return out.String(), err
	})
}

// goText is what errors of Go's packages begin with.
var goText = regexp.MustCompile(`(strconv|time|pflag|cobra|json|url|exec|mail|sql): |Parse[A-Z]`)

// TestCommandLinesRefused: such a command line makes no files.
func TestCommandLinesRefused(t *testing.T) {
	const form = "a-z, 0-9 and single hyphens, at most 100, and neither health nor history"
	settings, lines := environ(t), [][2]string{
		{"srve", `unknown command "srve" for "directory"; did you mean move or serve?`},
		{"--port 80", "unknown flag: --port"},
		{"scan all", "one argument too many"},
		{"migrate sideways", `unknown command "sideways" for "directory migrate"`},
		{"user add", "EMAIL missing; usage: directory user add EMAIL [flags]"},
		{"user set-role a@b", "ROLE missing"},
		{"user set-role a@b boss",
			`role "boss": want one of UNAFFILIATED, MEMBER, EMPLOYEE, MANAGER, OFFICE_MANAGER, ADMIN`},
		{"user add x --role boss", `--role "boss": want one of UNAFFILIATED, MEMBER`},
		{"user add anna", `"anna" is not an e-mail address`},
		{"user add <anna@firma.pl>", "is not an e-mail address"},
		{"user delete a@b", "directory user delete cannot be undone: repeat it with --yes"},
		{"company delete firma", "directory company delete cannot be undone: repeat it with --yes"},
		{"user move a@b", "--company missing"},
		{"move", "want either --to URL or --to-file FILE"},
		{"move --to postgres://a:b@c/d", "a password here shows in the list of processes: use --to-file FILE"},
		{"trail --limit x", `--limit "x": want a whole number`},
		{"trail --limit 0", "--limit 0: want 1 or more"},
		{"trail --since yesterday", `--since "yesterday": want a day, as 2026-11-22, or a time, as 48h`},
		{"webhook add http://x", "want either --company SLUG or --all"},
		{"jobs retry x", `"x" is not the number of a job; directory jobs list has them`},
		{"pause lift x", "PROVIDER is provider_search or provider_social"},
		{"webhook replay 1", "want either --event msg_… or --since TIME"},
		{"webhook replay 1 --since x", `--since "x" is neither a time such as 48h nor a date`},
		{"webhook test x", `"x" is not the number of a webhook; directory webhook list has them`},
		{"audit x --last --refresh", "want either --last or --refresh"},
		{"company add Firma", `--slug "": ` + form},
		{"company add Firma --slug Firma", `--slug "Firma": ` + form},
		{"company add Firma --slug health", `--slug "health": ` + form},
		{"company add Firma --slug firma-2 --status closed", `--status "closed": want one of active, archived`},
	}
	requireRefused(t, settings, kitcli.StatusUsage, lines...)
	for _, line := range lines {
		if _, err := command(t, settings, strings.Fields(line[0])...); goText.MatchString(err.Error()) {
			t.Errorf("%s: the error is one of Go: %v", line[0], err)
		}
	}
	requireNoFiles(t, settings)
}

func TestNothingFound(t *testing.T) {
	settings := newDirectory(t)
	require(t, settings, "seed")
	const noCompany, noUser = "there is no such company", "there is no such user"
	_, err := command(t, settings, "webhook", "remove", "7")
	if text := fmt.Sprint(err); text != "webhook 7: there is no such webhook; directory webhook list has them" {
		t.Errorf("the whole error is %q", text)
	}
	requireRefused(t, settings, 1, [2]string{"erase replay", "there is no erasure log "})
	requireRefused(t, settings, kitcli.StatusNotFound, [][2]string{
		{"company export x", `company "x": there is no such company; directory company list has them`},
		{"company edit x --phone 1", noCompany},
		{"company archive x", noCompany},
		{"company delete x --yes", noCompany},
		{"audit x", `company "x": there is no such company`},
		{"audit dawna-ksiegarnia", `company "dawna-ksiegarnia": there is no such company`},
		{"audit studio-wisniewska --last", `company "studio-wisniewska": no audit yet; without --last one is run`},
		{"session list x@x.example", "user x@x.example: there is no such user; directory user list has them"},
		{"session end admin@demo.example x", `has no session "x"; directory session list admin@demo.example has them`},
		{"webhook test 7", "webhook 7: there is no such webhook; directory webhook list has them"},
		{"jobs show 7", "there is no such job; directory jobs list has them"},
		{"jobs cancel 7", "there is no such job"},
		{"webhook remove 7", "webhook 7: there is no such webhook"},
		{"trail --company x", `--company "x": there is no such company`},
		{"trail --user x@x.example", noUser},
		{"user add a@b.example --company x", `--company "x": there is no such company`},
		{"webhook add https://x --company x", `--company "x": there is no such company`},
		{"user delete x@x.example --yes", noUser},
		{"user set-role x@x.example ADMIN", "user x@x.example: " + noUser},
		{"user set-password x@x.example", "user x@x.example: " + noUser},
		{"user move x@x.example --company none", noUser},
		{"connection list --company x", `--company "x": there is no such company`},
		{"connection unmark provider_social --company x", `--company "x": there is no such company`},
	}...)
}

// TestNoDatabaseInThisFolder: only what is meant to make a database makes one.
func TestNoDatabaseInThisFolder(t *testing.T) {
	settings := environ(t)
	for _, line := range []string{
		"company list", "user list", "company add Firma --slug firma", "scan", "keys rotate", "erase replay",
		"migrate status", "migrate down --yes", "trail", "audit firma", "audit firma --last", "webhook list",
		"backup x",
	} {
		requireRefused(t, settings, 1,
			[2]string{line, "or set DIRECTORY_DATABASE_URL; directory migrate up makes a new one"})
	}
	requireNoFiles(t, settings)
	requireLines(t, settings, "migrate up", "company list")
}

// TestReadingChangesNothing: commands that read make no keys and no table.
func TestReadingChangesNothing(t *testing.T) {
	var withoutKeys, withoutSchema [][2]string
	for _, line := range []string{"company list", "user list", "session list a@b.example", "webhook list", "pause list",
		"jobs list", "trail", "company export firma", "audit firma --last"} {
		withoutSchema = append(withoutSchema,
			[2]string{line, "migrations are missing; directory migrate up brings it up to date"})
	}
	settings := environ(t)
	for _, line := range []string{"company list", "trail", "migrate status", "backup x"} {
		lost := "there is no file " + keysPath(settings) + ": put it back, or set DIRECTORY_SESSION_KEYS"
		withoutKeys = append(withoutKeys, [2]string{line, lost})
	}
	writeFile(t, filepath.Join(databaseFolder(settings), "directory.db"), "")
	requireRefused(t, settings, 1, withoutKeys...)
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		if path, embedded := strings.CutPrefix(db.URL, "sqlite:"); embedded {
			writeFile(t, path, "")
		}
		settings := settingsOf(t, db.URL)
		requireRefused(t, settings, 1, withoutSchema...)
		if _, err := account.NewUsers(openApp(t, settings).DB).List(t.Context()); err == nil {
			t.Error("there is a table of users")
		}
	})
}

func TestMigrateCommand(t *testing.T) {
	t.Parallel()
	settings := environ(t)
	requireApplied := func(command string, missing int) {
		t.Helper()
		out := require(t, settings, append([]string{"migrate"}, strings.Fields(command)...)...)
		const migration, moment = ` *\d+ +\d{5}_\w+\.(?:sql|go) +`, `2\d{3}-\d\d-\d\d \d\d:\d\d:\d\dZ`
		table := fmt.Sprintf(`^VERSION +NAME +APPLIED\n(%[1]s%[2]s\n)*(%[1]sno\n){%[3]d}$`, migration, moment, missing)
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
	allMissing := fmt.Sprintf("%d of %[1]d migrations are missing", all)
	requireRefused(t, settings, 1, [2]string{"company list", allMissing})
	requireRefused(t, settings, 2, [2]string{"migrate down", "cannot be undone"})
	requireLines(t, settings, "company add Firma --slug firma") // which brings them back
	requireApplied("status", 0)
}

func TestSeed(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		settings := settingsOf(t, db.URL)
		// One of the companies exists before the demonstration is added.
		requireLines(t, settings, "company add Inna --slug warsztat-nowak")
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
		if n := strings.Count(users, "@"); n != 6 {
			t.Errorf("%d users, want 6:\n%s", n, users)
		}
		if n := strings.Count(companies, "\n") - 1; n != 4 { // without the line of titles
			t.Errorf("%d companies, want 4:\n%s", n, companies)
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
				t.Errorf("seed does not print the user %s:\n%s", field, demo)
			}
		}
	})
}

var printedLink = regexp.MustCompile(
	`http://localhost:8080/konto/nowe-haslo\?token=[\w-]{43}\nThe link can be used once, until ` +
		`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.\n`,
)

func TestUsers(t *testing.T) {
	t.Parallel()
	settings := newDirectory(t)
	requireLines(t, settings, "company add Piekarnia --slug piekarnia",
		"company add Dawna --slug dawna --status archived")
	const short = "password: 12 characters at least"
	for _, step := range []struct{ line, input, want, problem string }{
		{"user add Anna@Firma.PL --name Anna --role manager --company piekarnia", "",
			"user 1 anna@firma.pl added\nLINK", ""},
		{"user add bez@firma.pl", "", "user 2 bez@firma.pl added\nLINK", ""},
		{"user reset-link BEZ@firma.pl", "", "LINK", ""},
		{"user set-password bez@firma.pl", password, "user 2 bez@firma.pl changed\n", ""}, // no line break at the end
		{"user add flag@firma.pl --role ADMIN --password secret-secret", "", "user 3 flag@firma.pl added\n", ""},
		{"user set-role ANNA@firma.pl office_manager", "", "user 1 anna@firma.pl changed\n", ""},
		{"user set-password anna@firma.pl", "another long password\r\n", "user 1 anna@firma.pl changed\n", ""},
		{"user add ANNA@firma.pl", password, "", "user anna@firma.pl: taken already"},
		{"user add jan@firma.pl --company dawna", password, "", `--company "dawna": archived`},
		{"user set-role FLAG@firma.pl MEMBER", "", "", "user flag@firma.pl: this is the last administrator who can " +
			"log in; give the role to another user first"},
		{"user set-password anna@firma.pl", "\n" + password, "", short}, // the first line counts
		{"user add jan@firma.pl --password short", password, "", short},
		{"user set-password anna@firma.pl", "short", "", short},
	} {
		out, err := commandReading(t, step.input, settings, strings.Fields(step.line)...)
		if step.problem != "" {
			refused(t, step.line, out, err, step.problem)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", step.line, err)
		}
		if out = printedLink.ReplaceAllString(out, "LINK"); out != step.want {
			t.Errorf("%s: printed %q, want %q", step.line, out, step.want)
		}
	}
	operator := "command line"
	if u, err := user.Current(); err == nil {
		operator += " (" + u.Username + ")"
	}
	var wantTrail []string
	for _, want := range []string{ // newest first: action, company, user, detail
		"user set-password 1 1", "user set-role 1 1 MANAGER → OFFICE_MANAGER", "user add - 3 ADMIN",
		"user set-password - 2", "user reset-link - 2", "user reset-link - 2",
		"user add - 2 MEMBER", "user reset-link 1 1", "user add 1 1 MANAGER",
	} {
		wantTrail = append(wantTrail, operator+" "+want)
	}
	var trail []string // without times
	moment := regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`)
	for row := range strings.Lines(require(t, settings, "trail", "--limit", "9")) {
		trail = append(trail, strings.Join(strings.Fields(moment.ReplaceAllString(row, "")), " "))
	}
	if diff := cmp.Diff(wantTrail, trail[1:]); diff != "" { // trail[0] are the titles
		t.Errorf("trail (-want +got):\n%s", diff)
	}
	logins := openApp(t, settings).Logins
	for email, chosen := range map[string]string{"anna@firma.pl": "another long password", "bez@firma.pl": password,
		"flag@firma.pl": "secret-secret"} {
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

// TestJobsCommand looks at the job that an erasure inserts, and ends it.
func TestJobsCommand(t *testing.T) {
	t.Parallel()
	settings := newDirectory(t)
	requireLines(t, settings, "user add jan@firma.pl", "user delete jan@firma.pl --yes", "jobs retry 1")
	for line, want := range map[string]string{"jobs list": "purge", "jobs show 1": `"state": "available"`} {
		if out := require(t, settings, strings.Fields(line)...); !strings.Contains(out, want) {
			t.Errorf("%s printed\n%s, want %s", line, out, want)
		}
	}
	requireLines(t, settings, "jobs cancel 1")
	if out := require(t, settings, "jobs", "list"); strings.Contains(out, "purge") {
		t.Errorf("a cancelled job is listed:\n%s", out)
	}
}

func TestTrailFilters(t *testing.T) {
	settings := newDirectory(t)
	requireLines(t, settings,
		"company add A --slug a", "company add B --slug b", "user add anna@firma.pl --company a --password "+password)
	requirePrinted(t, settings, [][2]string{{"company delete b --yes", "company 2 deleted\n"}})
	for line, want := range map[string]int{
		"trail": 4, "trail --limit 1": 1, "trail --company a": 2, "trail --company 2": 2,
		"trail --user anna@firma.pl": 1, "trail --user 1": 1,
		"trail --since 1h": 4, "trail --since 2999-01-01": 0, "trail --company a --user 1": 1,
	} {
		table := require(t, settings, strings.Fields(line)...)
		if n := strings.Count(table, "\n") - 1; n != want { // without the line of titles
			t.Errorf("%s: %d lines, want %d:\n%s", line, n, want, table)
		}
		document := require(t, settings, strings.Fields(line+" --json")...)
		if n := strings.Count(document, `"action":"`); n != want {
			t.Errorf("%s --json: %d lines, want %d:\n%s", line, n, want, document)
		}
	}
}

func TestBackupCommand(t *testing.T) {
	settings := newDirectory(t)
	file := filepath.Join(t.TempDir(), "backup.db")
	requirePrinted(t, settings, [][2]string{{"backup " + file, file + " written; keep the encryption keys, too\n"}})
	requireRefused(t, settings, 1, [2]string{"backup " + file, "is there already"})
}

// TestDemonstrationStaysApart: the password of the demonstration is published, so its users are kept
// out of a directory that others use.
func TestDemonstrationStaysApart(t *testing.T) {
	t.Parallel()
	settings := environ(t)
	public := append(slices.Clone(settings), "DIRECTORY_PUBLIC_URL=https://firmy.example")
	requireRefused(t, public, 2, [2]string{"seed", "DIRECTORY_PUBLIC_URL is https://firmy.example"})
	require(t, settings, "seed")
	require(t, settings, "user", "add", "anna@firmy.example", "--role", "ADMIN")
	requireRefused(t, settings, 2, [2]string{"seed", "has other users"})
	p := start(t, public)
	const login = `{"email":"biuro@demo.example","password":"` + cli.DemoPassword + `"}`
	answer, err := http.Post(p.url+"/api/auth/login", "application/json", strings.NewReader(login))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a demonstration user logs in at a public address with %d, want 401", answer.StatusCode)
	}
}
