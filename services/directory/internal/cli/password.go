package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"backend.example/services/directory/internal/account"
	"backend.example/services/internal/kit/cli"
)

func addPasswordFlag(cmd *cobra.Command, password *string) {
	cmd.Flags().StringVar(
		password,
		"password",
		"",
		"the password, for demonstrations only: others on this machine can see it",
	)
}

// newPassword returns the hash of the password that was given, or is now read.
// The faults are those of Hasher.Hash.
func (p *Program) newPassword(ctx context.Context, u account.User, password string) (string, error) {
	if password == "" {
		var err error
		if password, err = p.readPassword(ctx); err != nil {
			return "", err
		}
	}
	return account.NewHasher(1).Hash(ctx, "", u, password)
}

// readPassword asks twice at a terminal; elsewhere it takes the first line.
func (p *Program) readPassword(ctx context.Context) (string, error) {
	screen, ok := cli.Terminal(p.Stdin)
	if !ok {
		line, err := await(ctx, func() (string, error) { return bufio.NewReader(p.Stdin).ReadString('\n') })
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	first, err := p.ask(ctx, screen, "Password: ")
	if err != nil {
		return "", err
	}
	second, err := p.ask(ctx, screen, "Once more: ")
	if err != nil {
		return first, err
	}
	if first != second {
		return first, errors.New("the two differ")
	}
	return first, nil
}

// ask reads a line that the terminal does not show. A terminal is left as it was
// when ctx ends meanwhile.
func (p *Program) ask(ctx context.Context, screen *os.File, prompt string) (string, error) {
	fd := int(screen.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(p.Stderr, prompt)
	defer fmt.Fprintln(p.Stderr)
	entry, err := await(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	if ctx.Err() != nil {
		err = errors.Join(err, term.Restore(fd, before))
	}
	return string(entry), err
}

// await returns what read does, or the error of ctx when that ends before: a read that
// waits for a person goes on by itself.
func await[T any](ctx context.Context, read func() (T, error)) (value T, err error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}
