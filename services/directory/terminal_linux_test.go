package main

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
)

// At a terminal, addresses are links unless the environment disables them, and progress
// is shown and removed.
func TestTerminalShowsLinksAndProgress(t *testing.T) {
	settings := withFile(t, environ(t))
	require(t, settings, "webhook", "add", "https://hooks.firma.example/events?token=1", "--all")
	const link = "\x1b]8;;https://hooks.firma.example/events?token=1\x1b\\hooks.firma.example/events\x1b]8;;\x1b\\"
	for environment, linked := range map[string]bool{
		"TERM=xterm-256color": true, "TERM=dumb": false, "TERM=linux": false, "TERM=": false, "TERM=xterm NO_COLOR=1": false, "TERM=xterm NO_COLOR=": true,
	} {
		out := onTerminal(t, append(settings, strings.Fields(environment)...), "webhook", "list")
		if strings.Contains(out, link) != linked || strings.Contains(out, "\x1b") != linked || linked == strings.Contains(out, "  https://") {
			t.Errorf("%s: printed %q", environment, out)
		}
	}
	if out := onTerminal(t, append(settings, "TERM=xterm"), "keys", "rotate"); !strings.HasPrefix(out, "encrypting the secrets… [0s]\r\n") || !strings.Contains(out, "\x1b[A\x1b[K1 rows") {
		t.Errorf("progress: %q", out)
	}
	if out := onTerminal(t, append(settings, "TERM=dumb"), "keys", "rotate"); strings.Contains(out, "\x1b") || strings.Contains(out, "…") {
		t.Errorf("progress at a terminal without escape sequences: %q", out)
	}
}

// onTerminal returns what a command line prints to a terminal.
func onTerminal(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	const end = "(the end)"
	keyboard, screen := newTerminal(t)
	p := newProgram(environ, strings.NewReader(""), screen, screen)
	go func() {
		err := p.Run(t.Context(), args)
		fmt.Fprintf(screen, "%v%s", err, end)
	}()
	var out strings.Builder
	for in := bufio.NewReader(keyboard); !strings.HasSuffix(out.String(), end); {
		b, err := in.ReadByte()
		if err != nil {
			t.Fatal(err)
		}
		out.WriteByte(b)
	}
	return out.String()
}
