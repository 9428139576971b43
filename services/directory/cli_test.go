package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// groups are the commands that only hold others; commands are all other command
// lines of the program, without their arguments.
var (
	groups   = []string{"", "migrate", "keys", "user", "company", "erase", "session", "webhook"}
	commands = []string{
		"backup", "company add", "company archive", "company delete", "company edit", "company export", "company list", "erase replay", "healthcheck", "keys generate", "keys rotate", "migrate down", "migrate status", "migrate up", "move",
		"scan", "seed", "serve", "session end", "session list", "trail", "user add", "user delete", "user disable", "user enable", "user list",
		"user move", "user set-password", "user set-role", "webhook add", "webhook list", "webhook remove", "webhook rotate", "webhook test",
	}
)

func TestHelpAndVersion(t *testing.T) {
	for _, line := range append(groups, commands...) {
		out := require(t, nil, append(strings.Fields(line), "-h")...)
		if want := strings.TrimSpace("Usage:\n  directory " + line); !strings.Contains(out, want) {
			t.Errorf("%s -h printed %q", line, out)
		}
	}
	if out := require(t, nil, "--version"); out != "directory version "+thisBuild().String()+"\n" {
		t.Errorf("--version printed %q", out)
	}
}

// TestHelpNamesEveryCommand finds commands that the tests do not know.
func TestHelpNamesEveryCommand(t *testing.T) {
	var got []string
	for _, group := range groups {
		help := require(t, nil, append(strings.Fields(group), "--help")...)
		if group != "" && help != require(t, nil, group) {
			t.Errorf("%s alone does not print its help", group)
		}
		_, list, _ := strings.Cut(help, "Available Commands:\n")
		list, _, _ = strings.Cut(list, "\n\n")
		for line := range strings.Lines(list) {
			name := strings.Fields(line)[0]
			if name != "help" && !slices.Contains(groups, name) {
				got = append(got, strings.TrimSpace(group+" "+name))
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, commands) {
		t.Errorf("commands %q, want %q", got, commands)
	}
}

func TestCommandLinesRefused(t *testing.T) {
	settings := environ(t)
	for line, want := range map[string]string{
		"srve":                     `unknown command "srve" for "directory"`,
		"serve now":                `unknown command "now" for "directory serve"`,
		"--port 80":                "unknown flag: --port",
		"healthcheck now":          "unknown command",
		"scan all":                 "unknown command",
		"seed x":                   "unknown command",
		"migrate sideways":         `unknown command "sideways" for "directory migrate"`,
		"migrate up 3":             "unknown command",
		"keys make":                `unknown command "make" for "directory keys"`,
		"keys generate 2":          "unknown command",
		"user remove a@b.example":  `unknown command "remove" for "directory user"`,
		"user add":                 "accepts 1 arg(s), received 0",
		"user add a@b.example b":   "accepts 1 arg(s), received 2",
		"user set-role a@b":        "accepts 2 arg(s), received 1",
		"user set-password":        "accepts 1 arg(s), received 0",
		"company add":              "accepts 1 arg(s), received 0",
		"company add Firma --slgu": "unknown flag: --slgu",
		"company list all":         "unknown command",
	} {
		out, err := command(t, settings, strings.Fields(line)...)
		refused(t, line, out, err, want)
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
		"webhook add": "https://hook.example --all", "webhook remove": "1", "webhook rotate": "1", "webhook test": "1",
		"session list": "a@b.example", "session end": "a@b.example", "company edit": "firma", "company archive": "firma", "company export": "firma", "company delete": "firma --yes",
	}
	for _, line := range append(commands, "") {
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
	for _, line := range []string{"company list", "user list", "company add Firma --slug firma", "scan", "keys rotate", "erase replay"} {
		out, err := command(t, settings, strings.Fields(line)...)
		refused(t, line, out, err, "directory migrate up makes a new one")
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("a refused command has made files: %v", err)
	}
	require(t, settings, "migrate", "up")
	require(t, settings, "company", "list")
}
