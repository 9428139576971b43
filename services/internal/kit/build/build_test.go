package build

import (
	"runtime/debug"
	"testing"
)

func TestLinkerOverridesBuildRecord(t *testing.T) {
	vcs := func(pairs ...string) *debug.BuildInfo {
		record := &debug.BuildInfo{}
		for i := 0; i < len(pairs); i += 2 {
			record.Settings = append(record.Settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return record
	}
	clean := vcs("vcs", "git", "vcs.revision", "abc", "vcs.time", "2026-11-20T08:00:00Z", "vcs.modified", "false")
	tests := map[string]struct {
		given  Info
		record *debug.BuildInfo
		want   string
	}{
		"nothing known":    {Info{}, vcs(), "dev (commit unknown, built unknown)"},
		"the record alone": {Info{}, clean, "dev (commit abc, built 2026-11-20T08:00:00Z)"},
		"changed files":    {Info{}, vcs("vcs.revision", "abc", "vcs.modified", "true"), "dev (commit abc-dirty, built unknown)"},
		"changes of what?": {Info{}, vcs("vcs.modified", "true"), "dev (commit unknown, built unknown)"},
		"all given":        {Info{"v1.4.0", "def", "2026-11-21"}, clean, "v1.4.0 (commit def, built 2026-11-21)"},
		"some given":       {Info{Version: "v1.4.0"}, clean, "v1.4.0 (commit abc, built 2026-11-20T08:00:00Z)"},
	}
	for name, test := range tests {
		if got := test.given.complete(test.record).String(); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func TestNewReadsThisBinary(t *testing.T) {
	given := Info{"v9", "abc", "2026-11-21"}
	if got := New("v9", "abc", "2026-11-21"); got != given {
		t.Errorf("%+v, want %+v", got, given)
	}
	if got := given.LogValue().String(); got != "[version=v9 commit=abc date=2026-11-21]" {
		t.Errorf("logged as %s", got)
	}
	if got := New("v9", "", ""); got.Version != "v9" || got.Commit == "" || got.Date == "" {
		t.Errorf("%+v", got)
	}
}
