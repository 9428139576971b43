package storetest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/storetest"
)

// The settings of a further process of the test binary.
const (
	programName     = "STORE_TEST_PROGRAM"
	programURL      = "STORE_TEST_URL"
	programArgument = "STORE_TEST_ARGUMENT"
)

// programs are what a further process does in place of the tests. They say on
// their output how far they are.
var programs = map[string]func(ctx context.Context, url, argument string) error{
	"refresh": refreshAtOnce, "die": dieInRefresh,
}

func runProgram(name string) int {
	if err := programs[name](context.Background(), os.Getenv(programURL), os.Getenv(programArgument)); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

func openStore(ctx context.Context, url string) (*storetest.Store, error) {
	keys, err := database.ParseKeys(databasetest.Keys)
	if err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, url, keys)
	if err != nil {
		return nil, err
	}
	return storetest.New(db), nil
}

// listen waits for the end of the input.
func listen() { _, _ = io.Copy(io.Discard, os.Stdin) }

// process runs one of programs.
type process struct {
	cmd    *exec.Cmd
	input  io.WriteCloser
	output *bufio.Scanner
}

func start(t *testing.T, program, url, argument string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programName+"="+program, programURL+"="+url, programArgument+"="+argument)
	cmd.Stderr = os.Stderr
	p := &process{cmd: cmd, input: must(cmd.StdinPipe())(t), output: bufio.NewScanner(must(cmd.StdoutPipe())(t))}
	ok(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p
}

// rest waits until the process ends, and returns what else it said.
func (p *process) rest() (lines []string, err error) {
	for p.output.Scan() {
		lines = append(lines, p.output.Text())
	}
	return lines, p.cmd.Wait()
}
