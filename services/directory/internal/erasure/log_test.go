package erasure_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/provider"
)

var now = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)

func newLog(path string) *erasure.Log { return erasure.NewLog(path, slog.New(slog.DiscardHandler)) }

func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "erased.jsonl")
	log := newLog(path)
	if all, err := log.All(); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("without a file: %v, %v", all, err)
	}
	user := account.User{ID: 7, Email: "anna@firma.example", Name: "Anna Nowak", CreatedAt: now}
	want := []erasure.Erasure{
		erasure.OfUser(user, now), erasure.OfPerson(erasure.Person{Provider: provider.Social, ID: "10158"},
			now.Add(time.Second)),
	}
	for _, e := range want {
		if err := log.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := newLog(path).All(); err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("read %v, %v; want %v", all, err, want)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, personal := range []string{"nna", "10158"} { // of Anna's name and address
		if strings.Contains(string(content), personal) {
			t.Errorf("the log identifies the person with %q: %s", personal, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the file = %v, want 0600", info.Mode())
	}
}

func TestSubjects(t *testing.T) {
	created := time.Date(2026, time.March, 29, 2, 30, 15, 123457789, time.FixedZone("CET", 3600))
	for subject, e := range map[string]erasure.Erasure{
		"ca373c905ce86ca15aa498120a2cee3ec3f0891ece042453bb4e3f3e297158f6": erasure.OfUser(
			account.User{ID: 7, CreatedAt: created}, now,
		),
		"38e6afa9e0429c2f5900ab19996537f9e4e62b36c276176e1fe3809db2a91cd8": erasure.OfCompany(
			company.Company{ID: 7, CreatedAt: created}, now,
		),
		"f506b85e2800adb8cbd97bcd6712cdaa7fba93db9ad0bb0bcff462746c58a878": erasure.OfPerson(
			erasure.Person{Provider: provider.Social, ID: "10158"}, now,
		),
	} {
		if e.Subject != subject {
			t.Errorf("%s: subject = %s, want %s", e.Kind, e.Subject, subject)
		}
		if !e.At.Equal(now) {
			t.Errorf("%s: time = %s, want %s", e.Kind, e.At, now)
		}
	}
}

func TestLogWaitsForItsTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "erased.jsonl")
	other := flock.New(path)
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	appended := make(chan error, 1)
	go func() {
		appended <- newLog(path).Append(erasure.Erasure{At: now, Kind: erasure.KindUser, Subject: "s"})
	}()
	select {
	case err := <-appended:
		t.Fatalf("did not wait for the other: %v", err)
	case <-time.After(50 * time.Millisecond): // a test that fails takes less
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-appended; err != nil {
		t.Error(err)
	}
}

// good is a line of the log.
const good = `{"at":"2026-11-22T12:00:00Z","kind":"user","subject":"s"}` + "\n"

func TestTornLog(t *testing.T) {
	for _, test := range []struct {
		name, rest string // what follows the first line
		before     int    // erasures that are read before another is appended
		warn       bool
	}{
		{"whole", "", 1, false},
		{"torn", good[:20], 1, true},
		{"in its first byte", good[:1], 1, true},
		{"bytes that were not written", strings.Repeat("\x00", 4096), 1, true},
		{"more of them than are read at once", good[:20] + strings.Repeat("\x00", 10000), 1, true},
		{"torn before such bytes", good[:20] + "\x00\x00", 1, true},
		{"such bytes instead of its line break", strings.TrimSpace(good) + "\x00", 2, true},
		{"only its line break is missing", strings.TrimSpace(good), 2, false},
	} {
		path := filepath.Join(t.TempDir(), "erased.jsonl")
		if err := os.WriteFile(path, []byte(good+test.rest), 0o600); err != nil {
			t.Fatal(err)
		}
		var warnings bytes.Buffer
		log := erasure.NewLog(path, slog.New(slog.NewTextHandler(&warnings, nil)))
		if all, err := log.All(); err != nil || len(all) != test.before {
			t.Errorf("%s: read %v, %v; want %d", test.name, all, err, test.before)
		}
		if err := log.Append(erasure.Erasure{At: now, Kind: erasure.KindUser, Subject: "s"}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if all, err := log.All(); err != nil || len(all) != test.before+1 {
			t.Errorf("%s: after an append: read %v, %v; want %d", test.name, all, err, test.before+1)
		}
		if warned := strings.Contains(warnings.String(), "is torn and left out"); warned != test.warn {
			t.Errorf("%s: warned = %t, want %t", test.name, warned, test.warn)
		}
	}
}

func TestLogThatCannotBeRead(t *testing.T) {
	for name, content := range map[string]string{
		"words":        good + "no erasure\n" + good,
		"no subject":   good + `{"at":"2026-11-22T12:00:00Z","kind":"user"}`,
		"another file": good + "PK\x03\x04",
	} {
		path := filepath.Join(t.TempDir(), "erased.jsonl")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := newLog(path).All(); err == nil || !strings.Contains(err.Error(), "line 2 is no erasure") {
			t.Errorf("%s: err = %v, want that line 2 is no erasure", name, err)
		}
	}
	folder := newLog(t.TempDir())
	if all, err := folder.All(); err == nil {
		t.Errorf("a folder is read as %d erasures", len(all))
	}
	if err := folder.Append(erasure.Erasure{At: now, Kind: erasure.KindUser, Subject: "s"}); err == nil {
		t.Error("an erasure was appended to a folder")
	}
}

func TestConcatenatedLogs(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		want    int
	}{
		"torn, then another log":       {good + good[:20] + good, 2},
		"torn in its first byte":       {good + good[:1] + good, 2},
		"torn, with a line break":      {good + good[:20] + "\n" + good, 2},
		"without its line break":       {good + strings.TrimSpace(good) + good, 3},
		"bytes that were not written":  {good + "\x00\x00\x00" + good, 2},
		"such bytes with a line break": {good + "\x00\x00\x00\n" + good, 2},
		"torn before such bytes":       {good + good[:20] + "\x00\x00" + good, 2},
		"an empty line":                {good + "\n" + good, 2},
	} {
		path := filepath.Join(t.TempDir(), "erased.jsonl")
		if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, err := newLog(path).All(); err != nil || len(all) != test.want {
			t.Errorf("%s: read %v, %v; want %d", name, all, err, test.want)
		}
	}
}
