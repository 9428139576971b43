// Command sandbox fakes the outside world on loopback: a benchmark site, a price aggregator, the two OAuth
// providers and the public places, each on its own port, and a control address that steers them. It is for demos
// and black-box tests. The services only have its base URLs, and no production image contains it.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Set by the linker.
var version, commit, date string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0, 1 for a failure, 2 for wrong usage.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	if len(args) == 1 && args[0] == "--version" {
		fmt.Fprintf(stdout, "sandbox version %s (commit %s, built %s)\n",
			cmp.Or(version, "dev"), cmp.Or(commit, "unknown"), cmp.Or(date, "unknown"))
		return 0
	}
	command := "serve"
	if len(args) > 0 && (args[0] == "serve" || args[0] == "healthcheck") {
		command, args = args[0], args[1:]
	}
	config, err := parseConfig(args, getenv, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "sandbox:", err)
		return 2
	}
	if err := execute(ctx, command, config, stderr); err != nil {
		fmt.Fprintln(stderr, "sandbox:", err)
		return 1
	}
	return 0
}

func execute(ctx context.Context, command string, config Config, stderr io.Writer) error {
	if command == "healthcheck" {
		return checkHealth(ctx, config.ControlAddr)
	}
	c, err := open(config)
	if err != nil {
		return err
	}
	return c.serve(ctx, slog.New(slog.NewTextHandler(stderr, nil)))
}

func checkHealth(ctx context.Context, addr string) error {
	client := &http.Client{Timeout: 3 * time.Second}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/healthz", nil)
	if err != nil {
		return fmt.Errorf("health request: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("health request: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("health response: %s", response.Status)
	}
	return nil
}
