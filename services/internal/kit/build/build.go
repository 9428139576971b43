// Package build says which build of a program runs: its version, the commit it
// was made from and the date of that.
//
// The linker's values come first; what it left out is taken from the record that
// the Go toolchain keeps in a binary built inside a repository. Where the values
// are shown is up to the programs.
package build

import (
	"cmp"
	"log/slog"
	"runtime/debug"
)

// Info describes a build. Fields that nobody knows hold "unknown".
type Info struct {
	Version string // of the release, e.g. "v1.4.0", or "dev"
	Commit  string // revision of the source, with "-dirty" when it had changes
	Date    string // RFC 3339
}

const unknown = "unknown"

// New returns the Info of the running binary. The arguments are those given to
// the linker (-X main.version=… -X main.commit=… -X main.date=…); empty ones are
// taken from the binary's build record, if it has one.
func New(version, commit, date string) Info {
	given := Info{Version: version, Commit: commit, Date: date}
	record, ok := debug.ReadBuildInfo()
	if !ok {
		record = &debug.BuildInfo{}
	}
	return given.complete(record)
}

// complete fills what i lacks from record (cmd/go, "go help buildvcs").
func (i Info) complete(record *debug.BuildInfo) Info {
	settings := map[string]string{}
	for _, s := range record.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	if commit != "" && settings["vcs.modified"] == "true" {
		commit += "-dirty"
	}
	return Info{
		Version: cmp.Or(i.Version, "dev"),
		Commit:  cmp.Or(i.Commit, commit, unknown),
		Date:    cmp.Or(i.Date, settings["vcs.time"], unknown),
	}
}

// String is what --version shows: "v1.4.0 (commit 1a2b3c4, built 2026-11-21T14:00:00Z)".
func (i Info) String() string {
	return i.Version + " (commit " + i.Commit + ", built " + i.Date + ")"
}

// LogValue gives the three as attributes of one group.
func (i Info) LogValue() slog.Value {
	return slog.GroupValue(slog.String("version", i.Version), slog.String("commit", i.Commit), slog.String("date", i.Date))
}
