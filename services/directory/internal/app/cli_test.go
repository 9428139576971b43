package app

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/database/databasetest"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
)

func newRoot() *cobra.Command {
	return newProgram(nil, nil, io.Discard, io.Discard).Root()
}

// TestHelpIsWhole checks what the help of each command says.
func TestHelpIsWhole(t *testing.T) {
	clitest.Help(t, newRoot(), func(args ...string) (string, error) {
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
	settings, lines := environ(t), map[string]string{
		"srve":              `unknown command "srve" for "directory"; did you mean move or serve?`,
		"--port 80":         "unknown flag: --port",
		"scan all":          "one argument too many",
		"migrate sideways":  `unknown command "sideways" for "directory migrate"`,
		"user add":          "EMAIL missing; usage: directory user add EMAIL [flags]",
		"user set-role a@b": "ROLE missing",
		"user set-role a@b boss": `role "boss": want one of UNAFFILIATED, MEMBER, EMPLOYEE, MANAGER, ` +
			`OFFICE_MANAGER, ADMIN`,
		"user add x --role boss":          `--role "boss": want one of UNAFFILIATED, MEMBER`,
		"user add anna":                   `"anna" is not an e-mail address`,
		"user add <anna@firma.pl>":        "is not an e-mail address",
		"user delete a@b":                 "directory user delete cannot be undone: repeat it with --yes",
		"company delete firma":            "directory company delete cannot be undone: repeat it with --yes",
		"user move a@b":                   "--company missing",
		"move":                            "want either --to URL or --to-file FILE",
		"move --to postgres://a:b@c/d":    "a password here shows in the list of processes: use --to-file FILE",
		"trail --limit x":                 `--limit "x": want a whole number`,
		"trail --limit 0":                 "--limit 0: want 1 or more",
		"trail --since yesterday":         `--since "yesterday": want a day, as 2026-11-22, or a time, as 48h`,
		"webhook add http://x":            "want either --company SLUG or --all",
		"jobs retry x":                    `"x" is not the number of a job; directory jobs list has them`,
		"pause lift x":                    "PROVIDER is provider_search or provider_social",
		"webhook replay 1":                "want either --event msg_… or --since TIME",
		"webhook replay 1 --since x":      `--since "x" is neither a time such as 48h nor a date`,
		"webhook test x":                  `"x" is not the number of a webhook; directory webhook list has them`,
		"audit x --last --refresh":        "want either --last or --refresh",
		"company add Firma":               `--slug "": ` + form,
		"company add Firma --slug Firma":  `--slug "Firma": ` + form,
		"company add Firma --slug health": `--slug "health": ` + form,
		"company add Firma --slug firma-2 --status closed": `--status "closed": want one of active, archived`,
	}
	requireRefused(t, settings, kitcli.StatusUsage, lines)
	for line := range lines {
		if _, err := command(t, settings, strings.Fields(line)...); goText.MatchString(err.Error()) {
			t.Errorf("%s: %v", line, err)
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
	requireRefused(t, settings, 1, map[string]string{"erase replay": "there is no erasure log "})
	requireRefused(t, settings, kitcli.StatusNotFound, map[string]string{
		"company export x": `company "x": there is no such company; directory company ` +
			`list has them`,
		"company edit x --phone 1": noCompany,
		"company archive x":        noCompany,
		"company delete x --yes":   noCompany,
		"audit x":                  `company "x": there is no such company`,
		"audit dawna-ksiegarnia":   `company "dawna-ksiegarnia": there is no such company`,
		"audit studio-wisniewska --last": `company "studio-wisniewska": no audit yet; without --last ` +
			`one is run`,
		"session list x@x.example": "user x@x.example: there is no such user; directory user " +
			"list has them",
		"session end admin@demo.example x": `has no session "x"; directory session list ` +
			`admin@demo.example has them`,
		"webhook test 7": "webhook 7: there is no such webhook; directory webhook " +
			"list has them",
		"jobs show 7":                                   "there is no such job; directory jobs list has them",
		"jobs cancel 7":                                 "there is no such job",
		"webhook remove 7":                              "webhook 7: there is no such webhook",
		"trail --company x":                             `--company "x": there is no such company`,
		"trail --user x@x.example":                      noUser,
		"user add a@b.example --company x":              `--company "x": there is no such company`,
		"webhook add https://x --company x":             `--company "x": there is no such company`,
		"user delete x@x.example --yes":                 noUser,
		"user set-role x@x.example ADMIN":               "user x@x.example: " + noUser,
		"user set-password x@x.example":                 "user x@x.example: " + noUser,
		"user move x@x.example --company none":          noUser,
		"connection list --company x":                   `--company "x": there is no such company`,
		"connection unmark provider_social --company x": `--company "x": there is no such company`,
	})
}

// TestNoDatabaseInThisFolder: only what is meant to make a database makes one.
func TestNoDatabaseInThisFolder(t *testing.T) {
	settings, refusals := environ(t), map[string]string{}
	for _, line := range []string{
		"company list", "user list", "company add Firma --slug firma", "scan", "keys rotate", "erase replay",
		"migrate status", "migrate down --yes", "trail", "audit firma", "audit firma --last", "webhook list",
		"backup x",
	} {
		refusals[line] = "or set DIRECTORY_DATABASE_URL; directory migrate up makes a new one"
	}
	requireRefused(t, settings, 1, refusals)
	requireNoFiles(t, settings)
	requireLines(t, settings, "migrate up", "company list")
}

// TestReadingChangesNothing: commands that read make no keys and no table.
func TestReadingChangesNothing(t *testing.T) {
	withoutKeys, withoutSchema := map[string]string{}, map[string]string{}
	for _, line := range []string{"company list", "user list", "session list a@b.example", "webhook list", "pause list",
		"jobs list", "trail", "company export firma", "audit firma --last"} {
		withoutSchema[line] = "migrations are missing; directory migrate up brings it up to date"
	}
	settings := environ(t)
	for _, line := range []string{"company list", "trail", "migrate status", "backup x"} {
		withoutKeys[line] = "there is no file " + keysPath(settings) + ": put it back, or set DIRECTORY_SESSION_KEYS"
	}
	writeFile(t, filepath.Join(databaseFolder(settings), "directory.db"), "")
	requireRefused(t, settings, 1, withoutKeys)
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		if path, embedded := strings.CutPrefix(db.URL, "sqlite:"); embedded {
			writeFile(t, path, "")
		}
		settings := settingsOf(t, db.URL)
		requireRefused(t, settings, 1, withoutSchema)
		if _, err := account.NewUsers(openApp(t, settings).DB).List(t.Context()); err == nil {
			t.Error("there is a table of users")
		}
	})
}
