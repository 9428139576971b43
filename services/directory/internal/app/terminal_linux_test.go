package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/term"

	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/internal/kit/cli/clitest"
)

// typist types the next line at each prompt.
type typist struct {
	bytes.Buffer
	keyboard io.Writer
	lines    []string
}

func (p *typist) Write(text []byte) (int, error) {
	if strings.HasSuffix(string(text), ": ") && len(p.lines) > 0 {
		if _, err := io.WriteString(p.keyboard, p.lines[0]+"\n"); err != nil {
			return 0, err
		}
		p.lines = p.lines[1:]
	}
	return p.Buffer.Write(text)
}

func TestPasswordAtATerminal(t *testing.T) {
	for name, test := range map[string]struct {
		lines []string
		want  string // of the error; empty: success
	}{
		"twice the same": {[]string{password, password}, ""},
		"another one":    {[]string{password, password + "x"}, "password: the two differ"},
		"nothing":        {[]string{"", ""}, "password: 12 characters at least"},
	} {
		t.Run(name, func(t *testing.T) {
			settings, _ := newDirectory(t)
			requireLines(t, settings, "user add anna@firma.pl")
			keyboard, screen := clitest.NewTerminal(t)
			person := &typist{keyboard: keyboard, lines: test.lines}
			var out bytes.Buffer
			err := newProgram(settings, screen, &out, person).Run(t.Context(), []string{"user", "set-password", "anna@firma.pl"})
			if test.want != "" {
				refused(t, name, out.String(), err, test.want)
			} else if err != nil || out.String() != "user 1 anna@firma.pl changed\n" {
				t.Errorf("printed %q, %v", &out, err)
			}
			if prompts := person.String(); prompts != "Password: \nOnce more: \n" {
				t.Errorf("prompts %q", prompts)
			}
		})
	}
}

// TestPasswordInterrupted ends the command, as Ctrl-C does, once the terminal
// hides what is typed.
func TestPasswordInterrupted(t *testing.T) {
	settings, _ := newDirectory(t)
	requireLines(t, settings, "user add anna@firma.pl")
	_, screen := clitest.NewTerminal(t)
	state := func() string {
		s, err := term.GetState(int(screen.Fd()))
		if err != nil {
			t.Error(err)
		}
		return fmt.Sprint(s)
	}
	before := state()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for state() == before && ctx.Err() == nil {
			runtime.Gosched()
		}
		stop()
	}()
	p := newProgram(settings, screen, io.Discard, io.Discard)
	if err := p.Run(ctx, []string{"user", "set-password", "anna@firma.pl"}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if after := state(); after != before {
		t.Errorf("the terminal was %s and is %s", before, after)
	}
}

// TestTerminalShowsLinksAndProgress: at a terminal, addresses are links unless the environment disables them, and progress
// is shown and removed.
func TestTerminalShowsLinksAndProgress(t *testing.T) {
	t.Parallel()
	settings, _ := newDirectory(t)
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
	require(t, settings, "seed")
	addExpired(t, directorytest.NewStore(openApp(t, settings).db))
	backup := filepath.Join(t.TempDir(), "backup.db")
	for line, want := range map[string][2]string{ // the progress, and the output after it
		"audit warsztat-nowak":                {"auditing… [0s]\r\n", "Warsztat Nowak: "},
		"backup " + backup:                    {"copying the database… [0s]\r\n", backup + " written"},
		"user delete gosc@demo.example --yes": {"erasing… [0s]\r\n", "user 6 deleted"},
		"scan":                                {" of 1 connections, ", "1 connections: "},
	} {
		out := onTerminal(t, append(settings, "TERM=xterm"), strings.Fields(line)...)
		steps := strings.Split(out, "\x1b[A\x1b[K")
		if after := steps[len(steps)-1]; !strings.Contains(steps[0], want[0]) || !strings.HasPrefix(after, want[1]) {
			t.Errorf("%s: printed %q", line, out)
		}
	}
	if out := onTerminal(t, append(settings, "TERM=dumb"), "keys", "rotate"); strings.Contains(out, "\x1b") || strings.Contains(out, "…") {
		t.Errorf("progress at a terminal without escape sequences: %q", out)
	}
}

// onTerminal returns what a command line prints to a terminal.
func onTerminal(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	return clitest.OnTerminal(t, func(screen *os.File) error {
		return newProgram(environ, strings.NewReader(""), screen, screen).Run(t.Context(), args)
	})
}
