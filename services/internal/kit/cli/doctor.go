package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

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

// Check adds the result of a check, with what to do about an error, and returns whether there is none.
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
