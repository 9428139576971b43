package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/term"
)

// newTerminal returns both ends of a pseudo-terminal (pty(7)): what is written to
// keyboard is what a person types at screen.
func newTerminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	var number, unlock uint32
	control := func(request uintptr, value *uint32) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, keyboard.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	control(syscall.TIOCSPTLCK, &unlock)
	control(syscall.TIOCGPTN, &number)
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return keyboard, screen
}

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
	tests := []struct {
		name  string
		lines []string
		want  string // of the error; empty: success
	}{
		{"twice the same", []string{password, password}, ""},
		{"another one", []string{password, password + "x"}, "password: the two differ"},
		{"nothing", []string{"", ""}, "password: 12 characters at least"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			keyboard, screen := newTerminal(t)
			person := &typist{keyboard: keyboard, lines: test.lines}
			var out bytes.Buffer
			p := newProgram(withFile(t, environ(t)), screen, &out, person)
			err := p.Run(t.Context(), []string{"user", "add", "anna@firma.pl"})
			if test.want != "" {
				refused(t, test.name, out.String(), err, test.want)
			} else if err != nil || out.String() != "user 1 anna@firma.pl added\n" {
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
	_, screen := newTerminal(t)
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
	p := newProgram(withFile(t, environ(t)), screen, io.Discard, io.Discard)
	if err := p.Run(ctx, []string{"user", "add", "anna@firma.pl"}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if after := state(); after != before {
		t.Errorf("the terminal was %s and is %s", before, after)
	}
}
