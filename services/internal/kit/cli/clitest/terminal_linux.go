package clitest

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// NewTerminal returns both ends of a pseudo-terminal (pty(7)): what is written to
// keyboard is what a person types at screen.
func NewTerminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil { // unlocks it
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return keyboard, screen
}

// OnTerminal returns what run prints to a terminal, and its error behind that.
func OnTerminal(t *testing.T, run func(screen *os.File) error) string {
	t.Helper()
	const end = "(the end)"
	keyboard, screen := NewTerminal(t)
	go func() {
		err := run(screen)
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
	return strings.TrimSuffix(out.String(), end)
}
