package databasetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// The settings of a further process of a test binary.
const (
	programName     = "DATABASETEST_PROGRAM"
	programURL      = "DATABASETEST_URL"
	programArgument = "DATABASETEST_ARGUMENT"
)

// Programs are what a further process of a test binary can run in place of the tests.
type Programs map[string]func(ctx context.Context, url, argument string) error

// Run runs a program and ends the process if Start has started it. TestMain calls it first.
func (p Programs) Run() {
	name := os.Getenv(programName)
	if name == "" {
		return
	}
	if err := p[name](context.Background(), os.Getenv(programURL), os.Getenv(programArgument)); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// AwaitInput makes a program wait until its input is closed.
func AwaitInput() { _, _ = io.Copy(io.Discard, os.Stdin) }

// Process is a program that runs in a process of its own.
type Process struct {
	Input  io.WriteCloser
	Output *bufio.Scanner
	cmd    *exec.Cmd
}

// Start starts one of the Programs.
func Start(t *testing.T, program, url, argument string) *Process {
	t.Helper()
	cmd := exec.Command(os.Args[0]) // #nosec G204 G702 -- this test binary
	cmd.Env = append(os.Environ(), programName+"="+program, programURL+"="+url, programArgument+"="+argument)
	cmd.Stderr = os.Stderr
	p := &Process{cmd: cmd}
	output, err := cmd.StdoutPipe()
	if err == nil {
		p.Output = bufio.NewScanner(output)
		p.Input, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p
}

// Expect waits for the next line of output.
func (p *Process) Expect(t *testing.T, want string) {
	t.Helper()
	if p.Output.Scan(); p.Output.Text() != want {
		t.Fatalf("the other process printed %q, want %q", p.Output.Text(), want)
	}
}

// Rest waits until the process ends, and returns the rest of its output.
func (p *Process) Rest() (lines []string, err error) {
	for p.Output.Scan() {
		lines = append(lines, p.Output.Text())
	}
	return lines, p.cmd.Wait()
}

// Kill ends the process as "kill -9" does, and waits for that.
func (p *Process) Kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = p.Rest()
}
