package cli

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/riverqueue/river/rivertype"
	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/jobs"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) jobsCommand() *cobra.Command {
	return cli.Group("jobs", "Background work that waits, runs or was given up",
		p.jobsListCommand(),
		p.jobsShowCommand(),
		p.jobCommand("retry", "Make a job due at once", (*jobs.Queue).Retry),
		p.jobCommand("cancel", "End a job without doing it", (*jobs.Queue).Cancel),
	)
}

type jobLine struct {
	ID        int64           `json:"id"`
	Kind      string          `json:"kind"`
	State     string          `json:"state"`
	Arguments json.RawMessage `json:"arguments"`
	Attempt   int             `json:"attempt"`
	DueAt     time.Time       `json:"due_at"`
	LastError *string         `json:"last_error"` // nil if no attempt failed
}

func jobLineOf(job *rivertype.JobRow) jobLine {
	line := jobLine{
		ID: job.ID, Kind: job.Kind, State: string(job.State), Arguments: job.EncodedArgs,
		Attempt: job.Attempt, DueAt: job.ScheduledAt.UTC(),
	}
	if n := len(job.Errors); n > 0 {
		line.LastError = &job.Errors[n-1].Error
	}
	return line
}

func (l jobLine) cells() []any {
	return []any{l.ID, l.Kind, l.State, string(l.Arguments), l.Attempt, l.DueAt, l.LastError}
}

func (p *Program) jobsListCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the jobs that wait, run or were given up, the oldest first"}
	return list(p, cmd, []string{"ID", "KIND", "STATE", "ARGUMENTS", "ATTEMPT", "DUE", "LAST ERROR"}, jobLine.cells,
		func(ctx context.Context, s *Services, _ []string) (lines []jobLine, err error) {
			found, err := jobs.New(s.DB).List(ctx)
			for _, job := range found {
				lines = append(lines, jobLineOf(job))
			}
			return lines, err
		})
}

func (p *Program) jobsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a job with the errors of its attempts, as JSON",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := jobID(args[0])
			if err != nil {
				return err
			}
			return p.reading(func(ctx context.Context, s *Services, _ []string) error {
				job, err := jobs.New(s.DB).Get(ctx, id)
				if err != nil {
					return explain("job "+args[0], err)
				}
				text, err := json.MarshalIndent(struct {
					jobLine
					Errors []rivertype.AttemptError `json:"errors"`
				}{jobLineOf(job), job.Errors}, "", "  ")
				if err != nil {
					return err
				}
				return p.Out.Printf("%s\n", text)
			})(cmd, args)
		},
	}
}

func (p *Program) jobCommand(verb, short string,
	change func(*jobs.Queue, context.Context, int64) error) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := jobID(args[0])
			if err != nil {
				return err
			}
			return p.changing(func(ctx context.Context, s *Services, _ []string) error {
				return explain("job "+args[0], change(jobs.New(s.DB), ctx, id))
			})(cmd, args)
		},
	}
}

func jobID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, cli.Usagef("%q is not the number of a job; directory jobs list has them", text)
	}
	return id, nil
}
