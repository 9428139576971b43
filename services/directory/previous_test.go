package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/services/directory/internal/database/databasetest"
)

// TestPreviousVersion runs the program of the last release on the schema of this one, with
// both serving at once, and this program on the schema of the last release: it refuses to
// work on that before it has migrated it.
func TestPreviousVersion(t *testing.T) {
	t.Parallel()
	program := previousProgram(t)
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		settings := settingsOf(t, db.URL, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true", "DIRECTORY_ERASURE_LOG="+filepath.Join(t.TempDir(), "erasures"))
		previous := func(ctx context.Context, line string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, program, strings.Fields(line)...)
			cmd.Env = settings
			return cmd
		}
		requirePrevious := func(lines ...string) {
			t.Helper()
			for _, line := range lines {
				if out, err := previous(t.Context(), line).CombinedOutput(); err != nil {
					t.Errorf("the previous version: %s: %v\n%s", line, err, out)
				}
			}
		}
		requirePrevious("seed")
		old := launch(t, func(ctx context.Context, log io.Writer) error {
			cmd := previous(ctx, "serve")
			cmd.Stderr = log
			return cmd.Run()
		})
		before := login(t, old.url, "biuro@demo.example")
		requireRefused(t, settings, 1, map[string]string{"company list": "migrations are missing"})

		current := start(t, settings)
		defer current.end(t)
		after := login(t, current.url, "biuro@demo.example")
		for _, address := range []string{old.url, current.url} {
			for _, b := range []*browser{before, after} {
				b.base = address
				requireOK(t, b, "/api/auth/me", "/api/oauth/status")
				b.require(t, 200, "/api/bizprofile/audit", `{"company_id":1,"fetch_external":false}`)
			}
		}
		commands := []string{
			"company add Nowa --slug nowa --place-id p", "company edit nowa --phone 1", "company list", "company export piekarnia-kowalski", "audit nowa",
			"webhook add https://192.0.2.1/ --company nowa", "webhook list", "webhook rotate 1", "webhook remove 1",
			"user set-role gosc@demo.example MEMBER", "user move gosc@demo.example --company nowa", "user disable gosc@demo.example",
			"session list biuro@demo.example", "keys rotate", "scan", "trail", "company archive nowa", "company delete nowa --yes", "migrate status",
		}
		requirePrevious(commands...)
		for _, line := range []string{"company list", "scan", "trail", "keys rotate", "user delete gosc@demo.example --yes"} {
			require(t, settings, strings.Fields(line)...)
		}
		requireOK(t, before, "/api/oauth/status")
	})
}

func requireOK(t *testing.T, b *browser, paths ...string) {
	t.Helper()
	for _, path := range paths {
		response, err := b.Get(b.base + path)
		if status, content := read(t, response, err); status != 200 {
			t.Errorf("%s: %d %s", path, status, content)
		}
	}
}

// baseline is the last commit whose schema is the baseline alone.
const baseline = "8ee44a2091595c7445f4a65523c2a34efea45290"

// previousProgram builds the program of the last release, or of the baseline if there is
// none.
func previousProgram(t *testing.T) (path string) {
	t.Helper()
	git := func(args ...string) string {
		out, _ := exec.Command("git", args...).Output() // empty if that is unknown
		return strings.TrimSpace(string(out))
	}
	commit := cmp.Or(git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"), baseline)
	top := git("rev-parse", "--show-toplevel")
	if git("cat-file", "-t", commit+":services/directory") != "tree" {
		const reason = "the previous version is not in this clone; git fetch --unshallow --tags gets it"
		if os.Getenv("REQUIRE_SERVICES") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	folder := t.TempDir()
	archive := filepath.Join(folder, "source.tar")
	path = filepath.Join(folder, "directory")
	for _, args := range [][]string{
		{"git", "-C", top, "archive", "--output", archive, commit, "services", "proto-free-contracts"},
		{"tar", "-x", "-f", archive, "-C", folder},
		// As make programs does, so that the libraries are built already.
		{"go", "build", "-C", filepath.Join(folder, "services", "directory"), "-trimpath", "-gcflags", "all=-dwarf=false", "-ldflags", "-s -w", "-o", path, "."},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	return path
}
