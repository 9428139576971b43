package compose

import (
	"archive/tar"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// files reads a tar archive: content by name.
func files(t *testing.T, archive string) map[string]string {
	t.Helper()
	found := map[string]string{}
	reader := tar.NewReader(strings.NewReader(archive))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			found[header.Name] = string(content)
		}
	}
}

// TestContainersSeeTheirOwnSecrets looks into the running containers.
func TestContainersSeeTheirOwnSecrets(t *testing.T) {
	for service, want := range map[string][]string{
		"directory": {
			"database_url", "encryption_keys", "places_api_key",
			"provider_search_client_secret", "provider_social_client_secret", "session_keys",
		},
		"hardware": {"redis_url"},
		"postgres": {"database_password"},
		"redis":    {"redis_acl"},
	} {
		var got []string
		for name, content := range files(t, run(t, "docker", "cp", newest(t, service)+":/run/secrets", "-")) {
			got = append(got, path.Base(name))
			if content == "" {
				t.Errorf("%s of %s is empty", name, service)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has the secrets %v, want %v", service, got, want)
		}
	}
}

// TestLostSecretsStopTheStart loses a secret of another composition, and empties one.
func TestLostSecretsStopTheStart(t *testing.T) {
	other := func(arguments ...string) []string {
		return composeCommand(t, append([]string{"--project-name", os.Getenv("COMPOSE_PROJECT_NAME") + "-lost"}, arguments...)...)
	}
	prepare := func(arguments ...string) []string {
		return other(append([]string{"run", "--rm", "--no-TTY", "prepare"}, arguments...)...)
	}
	t.Cleanup(func() { run(t, other("down", "--volumes")...) })
	run(t, prepare()...)
	backup, err := try(t, "", prepare("backup")...)
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, backup)

	run(t, other("run", "--rm", "--entrypoint", "rm", "prepare", "/secrets/hardware/redis_url")...)
	run(t, other("run", "--rm", "--entrypoint", "truncate", "prepare", "--size=0", "/secrets/directory/encryption_keys")...)
	if _, err := try(t, "", other("up", "--detach", "--no-build", "directory")...); err == nil || !strings.Contains(err.Error(), `"prepare"`) {
		t.Errorf("started with lost secrets: %v", err)
	}
	said := run(t, other("logs", "--no-log-prefix", "prepare")...)
	if want := "prepare: missing or empty, while other secrets are there: directory/encryption_keys hardware/redis_url."; !strings.HasPrefix(said, want) || strings.Contains(said, "\n") {
		t.Errorf("the start says\n%s\nwant one line that begins with\n%s", said, want)
	}

	if _, err := try(t, backup, prepare("restore")...); err != nil {
		t.Fatal(err)
	}
	run(t, prepare()...)
	if _, err := try(t, "k1:a-new-key", prepare("put", "directory/encryption_keys")...); err != nil {
		t.Fatal(err)
	}
	before["directory/encryption_keys"] = "k1:a-new-key\n"
	if after := files(t, run(t, prepare("backup")...)); !maps.Equal(after, before) {
		t.Errorf("the restored secrets are %v, want %v", after, before)
	}
}
