package erasure_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
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
	if err != nil || strings.Contains(string(content), "nna") || strings.Contains(string(content), "10158") {
		t.Errorf("the log identifies the person: %s, %v", content, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestSubjects holds what the log says of each kind: another version of the service has to
// find the same subjects in a restored backup, with times as the databases store them.
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
		if e.Subject != subject || !e.At.Equal(now) {
			t.Errorf("%+v, want the subject %s", e, subject)
		}
	}
}

// TestLogWaitsForItsTurn: on a network file system an append may hit what another machine
// has just written.
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

// TestTornLog: a crash tears the last line, whose erasure had not begun, or leaves NUL bytes.
func TestTornLog(t *testing.T) {
	for _, test := range []struct {
		name, rest   string
		before, warn int
	}{
		{"whole", "", 1, 0},
		{"torn", good[:20], 1, 3}, // warned of by both reads and the append
		{"in its first byte", good[:1], 1, 3},
		{"bytes that were not written", strings.Repeat("\x00", 4096), 1, 3},
		{"more of them than are read at once", good[:20] + strings.Repeat("\x00", 10000), 1, 3},
		{"torn before such bytes", good[:20] + "\x00\x00", 1, 3},
		{"such bytes instead of its line break", strings.TrimSpace(good) + "\x00", 2, 2},
		{"only its line break is missing", strings.TrimSpace(good), 2, 0},
	} {
		path := filepath.Join(t.TempDir(), "erased.jsonl")
		if err := os.WriteFile(path, []byte(good+test.rest), 0o600); err != nil {
			t.Fatal(err)
		}
		var warnings bytes.Buffer
		log := erasure.NewLog(path, slog.New(slog.NewTextHandler(&warnings, nil)))
		for range 2 {
			if all, err := log.All(); err != nil || len(all) != test.before {
				t.Errorf("%s: read %v, %v; want %d", test.name, all, err, test.before)
			}
		}
		if err := log.Append(erasure.Erasure{At: now, Kind: erasure.KindUser, Subject: "s"}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != strings.Repeat(good, test.before+1) {
			t.Errorf("%s: left %q, %v", test.name, content, err)
		}
		if n := strings.Count(warnings.String(), "is torn and left out"); n != test.warn {
			t.Errorf("%s: %d warnings, want %d", test.name, n, test.warn)
		}
	}
}

// TestTornFirstLine: a crash tears the first line of the log, after its first byte.
func TestTornFirstLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "erased.jsonl")
	if err := os.WriteFile(path, []byte(good[:1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := newLog(path).Append(erasure.Erasure{At: now, Kind: erasure.KindUser, Subject: "s"}); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != good {
		t.Errorf("left %q, %v", content, err)
	}
}

// TestAppendReadsTheEndOnly: the log is never shortened, and an erasure waits for it.
func TestAppendReadsTheEndOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "erased.jsonl")
	lines := 4 << 20 / len(good)
	if err := os.WriteFile(path, []byte(strings.Repeat(good, lines)+good[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	log := newLog(path)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := log.Append(erasure.Erasure{At: now, Kind: erasure.KindUser, Subject: "s"})
	runtime.ReadMemStats(&after)
	if read := after.TotalAlloc - before.TotalAlloc; err != nil || read > 1<<20 {
		t.Errorf("%v, allocated %d bytes to append to a log of 4 MB", err, read)
	}
	if all, err := log.All(); err != nil || len(all) != lines+1 {
		t.Errorf("read %d, %v; want %d", len(all), err, lines+1)
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
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestConcatenatedLogs: the last line of each log may be torn, also one to which an older
// version appended.
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

// TestLogIsSynced checks that a new line and the name of its file are on the disk when
// Append returns.
func TestLogIsSynced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "erased.jsonl")
	var synced []string
	log := erasure.NewLogThat(path, func(f *os.File) error {
		synced = append(synced, f.Name())
		return f.Sync()
	})
	if err := log.Append(erasure.Erasure{At: now, Kind: erasure.KindUser, Subject: "s"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{path, filepath.Dir(path)}; !reflect.DeepEqual(synced, want) {
		t.Errorf("synced %q, want %q", synced, want)
	}
}

// TestFailuresOfTheLog checks that Append returns an error unless the erasure is on the disk,
// and that a log that cannot be read is not taken for an empty one.
func TestFailuresOfTheLog(t *testing.T) {
	errDisk := errors.New("the disk fails")
	folder, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	path, whole := filepath.Join(other, "erased.jsonl"), (*os.File).Sync
	unsynced := func(name string) func(*os.File) error {
		return func(f *os.File) error {
			if f.Name() == name {
				return errDisk
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		path string
		at   time.Time
		sync func(*os.File) error
		want error // nil for any
	}{
		"a year that JSON does not know": {path, now.AddDate(9999, 0, 0), whole, nil},
		"a folder instead of the file":   {folder, now, whole, nil},
		"the file is not synced":         {path, now, unsynced(path), errDisk},
		"the folder is not synced":       {path, now, unsynced(other), errDisk},
		"the folder is gone after the write": {path, now, func(*os.File) error { return os.RemoveAll(other) },
			os.ErrNotExist},
	} {
		log := erasure.NewLogThat(test.path, test.sync)
		err := log.Append(erasure.Erasure{At: test.at, Kind: erasure.KindUser, Subject: "s"})
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: appended, %v", name, err)
		}
	}
	if all, err := newLog(folder).All(); err == nil {
		t.Errorf("a folder is read as %d erasures", len(all))
	}
}
