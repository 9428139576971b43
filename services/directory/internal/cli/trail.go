package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/cli"
)

// trailQuery is what the command line says of the wanted lines.
type trailQuery struct {
	company, user, since string
	limit                int
	from                 time.Time // what since means
}

func (p *Program) trailCommand() *cobra.Command {
	var q trailQuery
	cmd := &cobra.Command{
		Use: "trail", Short: "Print the audit trail, newest first",
		Example: "  directory trail --company piekarnia-kowalski --since 2026-11-01",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := q.check(time.Now()); err != nil {
				return err
			}
			return p.reading(cmd.Context(), func(ctx context.Context, s *Services) error {
				search, err := q.search(ctx, s)
				if err != nil {
					return err
				}
				entries, err := trail.Find(ctx, s.DB, search)
				if err != nil {
					return err
				}
				var lines []trailLine
				for _, e := range entries {
					lines = append(lines, trailLineOf(e))
				}
				return cli.List(
					p.Out,
					lines,
					[]string{"AT", "WHO", "ACTION", "COMPANY", "USER", "SERVICE", "DETAIL"},
					trailLine.cells,
				)
			})
		},
	}
	flags := cmd.Flags()
	p.companyFlag(cmd, &q.company, "slug of a company; the number of one that was deleted")
	flags.StringVar(
		&q.user,
		"user",
		"",
		"by or about the user with that e-mail address; the number of one who was deleted",
	)
	flags.StringVar(&q.since, "since", "", "since a day, as 2026-11-22, or for a time, as 48h")
	flags.IntVar(&q.limit, "limit", 100, "how many lines")
	_ = cmd.RegisterFlagCompletionFunc("user", p.emails) // it exists
	return p.Out.JSONFlag(cmd)
}

func (q *trailQuery) search(ctx context.Context, s *Services) (search trail.Search, err error) {
	search.Limit, search.Since = q.limit, q.from
	search.CompanyID, err = numberOf(
		q.company,
		func() (int64, error) { c, err := s.Companies.BySlug(ctx, q.company); return c.ID, err },
	)
	if err != nil {
		return search, explain(fmt.Sprintf("--company %q", q.company), err)
	}
	search.UserID, err = numberOf(q.user, func() (int64, error) {
		u, err := s.Users.ByEmail(ctx, account.NormalEmail(q.user))
		return u.ID, err
	})
	if err != nil {
		return search, explain("--user "+q.user, err)
	}
	return search, nil
}

// check returns what is wrong without a database.
func (q *trailQuery) check(now time.Time) (err error) {
	if q.limit < 1 {
		return cli.Usagef("--limit %d: want 1 or more", q.limit)
	}
	if q.from, err = parseSince(q.since, now); err != nil {
		return cli.Usagef("--since %q: want a day, as 2026-11-22, or a time, as 48h", q.since)
	}
	return nil
}

// numberOf finds what text names, or takes it for the number of what was deleted.
func numberOf(text string, find func() (int64, error)) (int64, error) {
	if text == "" {
		return 0, nil
	}
	id, err := find()
	if n, numberErr := strconv.ParseInt(text, 10, 64); err != nil && numberErr == nil {
		return n, nil
	}
	return id, err
}

func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	return time.ParseInLocation(time.DateOnly, text, time.Local)
}

// trailLine is a line of the trail; numbers that are 0 are null.
type trailLine struct {
	At          time.Time        `json:"at"`
	CompanyID   *int64           `json:"company_id"`
	UserID      *int64           `json:"user_id"`
	Actor       string           `json:"actor"`
	AboutUserID *int64           `json:"about_user_id"`
	Action      string           `json:"action"`
	Provider    provider.Name    `json:"provider"`
	Service     provider.Service `json:"service"`
	Detail      string           `json:"detail"`
	RequestID   string           `json:"request_id"`
}

func trailLineOf(e trail.Entry) trailLine {
	line := trailLine{
		At: e.At, UserID: e.UserID, Actor: e.Actor, Action: e.Action, Provider: e.Pair.Provider,
		Service: e.Pair.Service,
		Detail:  e.Detail, RequestID: e.RequestID,
	}
	if e.CompanyID != 0 {
		line.CompanyID = &e.CompanyID
	}
	if e.AboutUserID != 0 {
		line.AboutUserID = &e.AboutUserID
	}
	return line
}

func (l trailLine) cells() []any {
	return []any{l.At, l.who(), l.Action, l.CompanyID, l.AboutUserID, l.Service, l.Detail}
}

// who is a user by number: the trail is read where names do not belong, too.
func (l trailLine) who() string {
	switch {
	case l.Actor != "":
		return l.Actor
	case l.UserID != nil:
		return fmt.Sprintf("user %d", *l.UserID)
	}
	return "service"
}
