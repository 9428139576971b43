package main

import (
	"slices"
	"strings"
	"testing"
)

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help"}, {"serve", "--help"}, {"price", "-h"}, {"--version"}} {
		out, err := command(t, nil, args...)
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		want := "Usage:\n  hardware"
		if slices.Contains(args, "--version") {
			want = "hardware version dev (commit "
		}
		if !strings.Contains(out, want) {
			t.Errorf("%v printed %q", args, out)
		}
	}
	out, _ := command(t, nil, "--help")
	for _, name := range []string{"serve", "benchmark", "price", "healthcheck"} {
		if !strings.Contains(out, "\n  "+name+" ") {
			t.Errorf("the help does not name %s", name)
		}
	}
}

func TestCommandLinesRefused(t *testing.T) {
	source := newFakeSource(t)
	tests := []struct{ line, want string }{
		{"srve", `unknown command "srve" for "hardware"`},
		{"serve now", `unknown command "now" for "hardware serve"`},
		{"--port 80", "unknown flag: --port"},
		{"healthcheck now", "unknown command"},
		{"benchmark", "accepts 1 arg(s), received 0"},
		{"benchmark cpu gpu", "accepts 1 arg(s), received 2"},
		{"benchmark GPU", `"GPU" is none of [cpu gpu ssd hdd ram usb]`},
		{"benchmark gpu --limit 0", "--limit must be at least 1"},
		{"benchmark gpu --limit -1", "--limit must be at least 1"},
		{"benchmark gpu --limit x", `invalid argument "x" for "--limit"`},
		{"price", "accepts between 1 and 20 arg(s), received 0"},
		{"price ab", "3 to 200 characters"},
		{"price +++", "with a letter or a digit"},
		{"price abc --category ssd", `--category "ssd" is none of [cpu gpu ram storage motherboard psu cooling case]`},
		{"price abc --limit 3", "unknown flag: --limit"},
	}
	for _, test := range tests {
		out, err := command(t, source.environ(t), strings.Fields(test.line)...)
		if err == nil || !strings.Contains(err.Error(), test.want) || out != "" {
			t.Errorf("%s: printed %q, error %v, want %q", test.line, out, err, test.want)
		}
	}
	if len(source.asked) > 0 {
		t.Errorf("the source was asked for %v", source.asked)
	}
}

func TestBadSettingsStopEveryCommand(t *testing.T) {
	for _, line := range []string{"", "serve", "healthcheck", "benchmark gpu", "price abc"} {
		_, err := command(t, []string{"HARDWARE_ADR=:80"}, strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), "HARDWARE_ADR is not a setting; did you mean HARDWARE_ADDR?") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestStartLogNamesTheBuild: on the first line, whatever happens next.
func TestStartLogNamesTheBuild(t *testing.T) {
	source := newFakeSource(t)
	_, err := command(t, source.environ(t, "HARDWARE_ADDR="+strings.TrimPrefix(source.URL, "http://")))
	if want := `"msg":"starting","build":{"version":"dev","commit":"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("logged %v, want %s", err, want)
	}
}
