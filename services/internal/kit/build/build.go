// Package build identifies the running build of a program.
package build

import (
	"cmp"
	"log/slog"
	"runtime/debug"
)

// Info describes a build. Missing values are "unknown".
type Info struct {
	Version string // such as "v1.4.0", or "dev"
	Commit  string // with "-dirty" if the sources had changes
	Date    string // RFC 3339
}

const unknown = "unknown"

// New returns the Info of the running binary. Empty arguments (of the linker: -X main.version=… -X main.commit=…
// -X main.date=…) are read from the binary's build record.
func New(version, commit, date string) Info {
	given := Info{Version: version, Commit: commit, Date: date}
	record, ok := debug.ReadBuildInfo()
	if !ok {
		record = &debug.BuildInfo{}
	}
	return given.complete(record)
}

// complete fills missing values from record (cmd/go, "go help buildvcs").
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

// String returns "v1.4.0 (commit 1a2b3c4, built 2026-11-21T14:00:00Z)".
func (i Info) String() string {
	return i.Version + " (commit " + i.Commit + ", built " + i.Date + ")"
}

// LogValue implements slog.LogValuer.
func (i Info) LogValue() slog.Value {
	return slog.GroupValue(slog.String("version", i.Version), slog.String("commit", i.Commit),
		slog.String("date", i.Date))
}
