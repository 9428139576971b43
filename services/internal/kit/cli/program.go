package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/build"
)

// Service is what the commands run of a service.
type Service interface {
	// Serve runs the service until ctx ends.
	Serve(ctx context.Context) error
	// Probe returns an error unless the running service is ready.
	Probe(ctx context.Context) error
	// Doctor checks what the service needs, and changes nothing.
	Doctor(ctx context.Context) *Diagnosis
}

// Program is what the commands of a service need from the process and from package app.
type Program struct {
	Service        Service
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Build          build.Info
	Settings       string    // a line for each setting, with its default
	Out            *Output   // set by NewRoot
	Progress       *Progress // set by NewRoot
}

// NewRoot returns the root command, which serves, with the commands of every service. long describes what the
// others have in common.
func (p *Program) NewRoot(name, short, long string) *cobra.Command {
	p.Out, p.Progress = NewOutput(p.Stdout, p.Environ), NewProgress(p.Stderr, p.Environ)
	p.Out.progress = p.Progress
	serve := func(cmd *cobra.Command, _ []string) error { return p.Service.Serve(cmd.Context()) }
	root := &cobra.Command{
		Use: name, Short: short,
		Long: fmt.Sprintf("%s\n\nSettings come from environment variables; deploy/env/%s.env.example describes "+
			"them:\n\n%s", long, name, p.Settings),
		RunE: serve,
	}
	root.AddCommand(
		&cobra.Command{Use: "serve", Short: "Answer HTTP requests (the default)", RunE: serve},
		// healthcheck is for container engines, whose images have no curl.
		&cobra.Command{
			Use: "healthcheck", Short: "Exit 0 when the service on " + strings.ToUpper(name) + "_ADMIN_ADDR is ready",
			RunE: func(cmd *cobra.Command, _ []string) error { return p.Service.Probe(cmd.Context()) },
		},
		p.doctorCommand(),
	)
	return root
}

// Execute runs one command line.
func (p *Program) Execute(ctx context.Context, root *cobra.Command, args []string) error {
	root.SetArgs(append([]string{}, args...)) // nil would be those of the process
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	defer p.Progress.Clear()
	return root.ExecuteContext(ctx)
}

const (
	findingOK      = "ok"
	findingProblem = "problem"
	findingOff     = "off"
)

// Finding is a line of doctor.
type Finding struct {
	Check  string  `json:"check"`
	State  string  `json:"state"`  // ok, problem or off
	Detail *string `json:"detail"` // the problem, or what is off
	ToDo   *string `json:"to_do"`  // only of a problem
}

// Diagnosis is the result of doctor.
type Diagnosis struct {
	Findings []Finding
}

// Check adds the result of a check, with what to do about err, and reports whether err is nil.
func (d *Diagnosis) Check(name string, err error, toDo string) bool {
	if err != nil {
		d.Findings = append(d.Findings, Finding{name, findingProblem, new(err.Error()), &toDo})
		return false
	}
	d.Findings = append(d.Findings, Finding{Check: name, State: findingOK})
	return true
}

// Off adds a part that is not configured, which is no problem.
func (d *Diagnosis) Off(name, detail string) {
	d.Findings = append(d.Findings, Finding{Check: name, State: findingOff, Detail: &detail})
}

func (d *Diagnosis) problems() error {
	n := 0
	for _, f := range d.Findings {
		if f.State == findingProblem {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("problems: %d of %d checks", n, len(d.Findings))
	}
	return nil
}

func (p *Program) doctorCommand() *cobra.Command {
	return p.Out.JSONFlag(&cobra.Command{
		Use: "doctor", Short: "Check settings, storage, paths and what is reached over the network; changes nothing",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := p.Service.Doctor(cmd.Context())
			head := []string{"CHECK", "STATE", "DETAIL", "WHAT TO DO"}
			err := List(p.Out, d.Findings, head, func(f Finding) []any {
				return []any{f.Check, f.State, f.Detail, f.ToDo}
			})
			return errors.Join(err, d.problems())
		},
	})
}
