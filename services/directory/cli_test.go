package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/cli"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
)

// commandLines are those of all commands, without their arguments.
func commandLines() (lines []string) {
	kitcli.Walk(newRoot(), func(c *cobra.Command) {
		if c.Parent().Name() != "docs" && c.Name() != "completion" {
			lines = append(lines, strings.TrimPrefix(c.CommandPath(), "directory "))
		}
	})
	return lines
}

func newRoot() *cobra.Command {
	return newProgram(nil, nil, io.Discard, io.Discard).Root()
}

// TestREADMENamesEveryCommand: README.md has the list that the program itself prints.
func TestREADMENamesEveryCommand(t *testing.T) { clitest.README(t, newRoot()) }

func TestHelpAndVersion(t *testing.T) {
	for _, line := range append(commandLines(), "", "migrate", "keys", "user", "company", "erase", "session", "webhook") {
		out := require(t, nil, append(strings.Fields(line), "-h")...)
		if want := strings.TrimSpace("Usage:\n  directory " + line); !strings.Contains(out, want) {
			t.Errorf("%s -h printed %q", line, out)
		}
	}
	if out := require(t, nil, "--version"); out != "directory version "+thisBuild().String()+"\n" {
		t.Errorf("--version printed %q", out)
	}
}

// TestEveryListIsJSONToo: a command prints data, or only says what it did.
func TestEveryListIsJSONToo(t *testing.T) {
	var without []string
	kitcli.Walk(newRoot(), func(c *cobra.Command) {
		if c.Flags().Lookup("json") == nil {
			without = append(without, strings.TrimPrefix(c.CommandPath(), "directory "))
		}
	})
	want := []string{
		"backup", "company add", "company archive", "company delete", "company edit", "company export", "completion", "docs man", "docs markdown",
		"erase replay", "healthcheck", "keys generate", "keys rotate", "serve", "session end", "user add", "user delete", "user disable",
		"user enable", "user move", "user set-password", "user set-role", "webhook remove", "webhook rotate", "webhook test",
	}
	if !slices.Equal(without, want) {
		t.Errorf("without --json: %q, want %q", without, want)
	}
}

// goText is what errors of Go's packages begin with.
var goText = regexp.MustCompile(`(strconv|time|pflag|cobra|json|url|exec|mail|sql): |Parse[A-Z]`)

func TestCommandLinesRefused(t *testing.T) {
	settings := environ(t)
	for line, want := range map[string]string{
		"srve":                     `unknown command "srve" for "directory"; did you mean move or serve?`,
		"serve now":                `"now" is one argument too many; usage: directory serve`,
		"--port 80":                "unknown flag: --port",
		"healthcheck now":          "one argument too many",
		"scan all":                 "one argument too many",
		"seed x":                   "one argument too many",
		"migrate sideways":         `unknown command "sideways" for "directory migrate"`,
		"migrate up 3":             "one argument too many",
		"keys make":                `unknown command "make" for "directory keys"`,
		"keys generate 2":          "one argument too many",
		"user remove a@b.example":  `unknown command "remove" for "directory user"`,
		"user add":                 "EMAIL missing; usage: directory user add EMAIL [flags]",
		"user add a@b.example b":   "one argument too many",
		"user set-role a@b":        "ROLE missing",
		"user set-role a@b boss":   `role "boss": want one of UNAFFILIATED, MEMBER, EMPLOYEE, MANAGER, OFFICE_MANAGER, ADMIN`,
		"user add x --role boss":   `--role "boss": want one of UNAFFILIATED, MEMBER`,
		"user add anna":            `"anna" is not an e-mail address`,
		"user delete a@b":          "directory user delete cannot be undone: repeat it with --yes",
		"user move a@b":            "--company missing",
		"move":                     "--to missing",
		"trail --limit x":          `--limit "x": want a whole number`,
		"trail --limit 0":          "--limit 0: want 1 or more",
		"trail --since yesterday":  `--since "yesterday": want a day, as 2026-11-22, or a time, as 48h`,
		"webhook add http://x":     "want either --company SLUG or --all",
		"webhook test x":           `"x" is not the number of a webhook; directory webhook list has them`,
		"audit":                    "SLUG missing",
		"audit x --last --refresh": "want either --last or --refresh",
		"user set-password":        "EMAIL missing",
		"company add":              "NAME missing",
		"company add Firma --slgu": "unknown flag: --slgu",
		"company list all":         "one argument too many",
	} {
		out, err := command(t, settings, strings.Fields(line)...)
		refused(t, line, out, err, want)
		if status := kitcli.Status(err); status != kitcli.StatusUsage || goText.MatchString(err.Error()) {
			t.Errorf("%s: exit status %d, error %v", line, status, err)
		}
	}
	path := strings.TrimPrefix(settings[0], "DIRECTORY_DATABASE_URL=sqlite:")
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("a refused command line has made files: %v", err)
	}
}

func TestBadSettingsStopEveryCommand(t *testing.T) {
	arguments := map[string]string{
		"user add": "a@b.example", "user set-role": "a@b.example ADMIN", "user set-password": "a@b.example", "company add": "Firma --slug firma",
		"backup": "file", "move": "--to postgres://a@127.0.0.1:1/a", "user delete": "a@b.example --yes", "user disable": "a@b.example", "user enable": "a@b.example", "user move": "a@b.example --company firma",
		"audit":       "firma",
		"webhook add": "https://hook.example --all", "webhook remove": "1", "webhook rotate": "1", "webhook test": "1",
		"session list": "a@b.example", "session end": "a@b.example", "company edit": "firma", "company archive": "firma", "company export": "firma", "company delete": "firma --yes",
	}
	for _, line := range append(commandLines(), "") {
		if line == "keys generate" { // it needs no settings
			continue
		}
		_, err := command(t, []string{"DIRECTORY_ADR=:80"}, strings.Fields(line+" "+arguments[line])...)
		if err == nil || !strings.Contains(err.Error(), "DIRECTORY_ADR is not a setting; did you mean DIRECTORY_ADDR?") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestDatabaseThatIsNotThere: the errors name the trouble and no password.
func TestDatabaseThatIsNotThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	keys := []string{"DIRECTORY_SESSION_KEYS=" + goodKey, "DIRECTORY_ENCRYPTION_KEYS=" + goodKey}
	for address, want := range map[string]string{
		"sqlite:" + file + "/x.db":                                       "not a directory",
		"postgres://app:hunter2@127.0.0.1:1/directory?connect_timeout=2": "refused",
		"postgres://app:hunter2@127.0.0.1:port/directory":                "not a valid postgres:// URL",
	} {
		for _, line := range []string{"serve", "user list", "migrate status"} {
			_, err := command(t, environ(t, append(keys, "DIRECTORY_DATABASE_URL="+address)...), strings.Fields(line)...)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s, %s: %v", address, line, err)
			}
		}
	}
}

// TestNoDatabaseInThisFolder: only what is meant to make a database makes one.
func TestNoDatabaseInThisFolder(t *testing.T) {
	settings := environ(t)
	folder := filepath.Dir(strings.TrimPrefix(settings[0], "DIRECTORY_DATABASE_URL=sqlite:"))
	for _, line := range []string{
		"company list", "user list", "company add Firma --slug firma", "scan", "keys rotate", "erase replay",
		"migrate status", "migrate down", "trail", "audit firma", "audit firma --last", "webhook list", "backup x",
	} {
		out, err := command(t, settings, strings.Fields(line)...)
		refused(t, line, out, err, "or set DIRECTORY_DATABASE_URL; directory migrate up makes a new one")
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("a refused command has made files: %v", err)
	}
	require(t, settings, "migrate", "up")
	require(t, settings, "company", "list")
}

// TestReadingChangesNothing: commands that read make no keys and no table.
func TestReadingChangesNothing(t *testing.T) {
	lines := []string{"company list", "user list", "session list a@b.example", "webhook list", "trail", "company export firma", "audit firma --last"}
	settings := withFile(t, environ(t))
	for _, line := range append(lines, "migrate status", "backup x") {
		out, err := command(t, settings, strings.Fields(line)...)
		refused(t, line, out, err, "there is no file "+keysPath(settings)+": put it back, or set DIRECTORY_SESSION_KEYS")
	}
	onEach(t, func(t *testing.T, settings []string) {
		for _, line := range lines {
			out, err := command(t, settings, strings.Fields(line)...)
			refused(t, line, out, err, "migrations are missing; directory migrate up brings it up to date")
		}
		_, s, err := openDatabase(t.Context(), settings, cli.Read)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if status, err := s.MigrationStatus(t.Context()); err != nil || len(status) == 0 || status[0].AppliedAt != nil {
			t.Errorf("status %+v, %v", status, err)
		}
		if _, err := account.NewUsers(s).List(t.Context()); err == nil {
			t.Error("there is a table of users")
		}
	})
}

func TestNothingFound(t *testing.T) {
	settings := withFile(t, environ(t))
	require(t, settings, "seed")
	for line, want := range map[string]string{
		"company export x":                   `company "x": there is no such company; directory company list has them`,
		"audit x":                            `company "x": there is no such company`,
		"audit dawna-ksiegarnia":             `company "dawna-ksiegarnia": there is no such company`,
		"audit studio-wisniewska --last":     `company "studio-wisniewska": no audit yet; without --last one is run`,
		"session list x@x.example":           "user x@x.example: there is no such user; directory user list has them",
		"session end admin@demo.example x":   `has no session "x"; directory session list admin@demo.example has them`,
		"webhook test 7":                     "webhook 7: there is no such webhook; directory webhook list has them",
		"trail --company x":                  `--company "x": there is no such company`,
		"user add a@b.example --company x":   `--company "x": there is no such company`,
		"webhook add https://x --company x":  `--company "x": there is no such company`,
		"user delete nobody@x.example --yes": "there is no such user",
	} {
		out, err := command(t, settings, strings.Fields(line)...)
		if refused(t, line, out, err, want); kitcli.Status(err) != kitcli.StatusNotFound {
			t.Errorf("%s: exit status %d", line, kitcli.Status(err))
		}
	}
}
