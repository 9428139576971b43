package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) trailCommand() *cobra.Command {
	var company, user, since string
	var search trail.Search
	cmd := &cobra.Command{
		Use: "trail", Short: "Print the audit trail, newest first",
		Example: "  directory trail --company piekarnia-kowalski --since 2026-11-01",
		PreRunE: func(*cobra.Command, []string) (err error) {
			if search.Limit < 1 {
				return cli.Usagef("--limit %d: want 1 or more", search.Limit)
			}
			if search.Since, err = parseSince(since); err != nil {
				return cli.Usagef("--since %q: want a day, as 2026-11-22, or a time, as 48h", since)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	p.companyFlag(cmd, &company, "slug of a company; the number of one that was deleted")
	flags.StringVar(&user, "user", "",
		"by or about the user with that e-mail address; the number of one who was deleted")
	flags.StringVar(&since, "since", "", "since a day, as 2026-11-22, or for a time, as 48h")
	flags.IntVar(&search.Limit, "limit", 100, "how many lines")
	_ = cmd.RegisterFlagCompletionFunc("user", p.emails) // it exists
	head := []string{"AT", "WHO", "ACTION", "COMPANY", "USER", "SERVICE", "DETAIL"}
	return list(p, cmd, head, trailLine.cells,
		func(ctx context.Context, s *Services, _ []string) (lines []trailLine, err error) {
			search.CompanyID, err = numberOf(company, func() (int64, error) {
				c, err := s.Companies.BySlug(ctx, company)
				return c.ID, err
			})
			if err != nil {
				return nil, explain(fmt.Sprintf("--company %q", company), err)
			}
			search.UserID, err = numberOf(user, func() (int64, error) {
				u, err := s.Users.ByEmail(ctx, user)
				return u.ID, err
			})
			if err != nil {
				return nil, explain("--user "+user, err)
			}
			entries, err := trail.Find(ctx, s.DB, search)
			for _, e := range entries {
				lines = append(lines, trailLine{e.At, orNull(e.CompanyID), e.UserID, e.Actor, orNull(e.AboutUserID),
					e.Action, e.Pair.Provider, e.Pair.Service, e.Detail, e.RequestID})
			}
			return lines, err
		})
}

// numberOf returns the number of what text names. If find does not find it, text may be the number
// itself, of something that was deleted. The empty text has the number 0.
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

func (l trailLine) cells() []any {
	return []any{l.At, l.who(), l.Action, l.CompanyID, l.AboutUserID, l.Service, l.Detail}
}

// who returns the number of a user, and no name: the trail may be shown where names are not wanted.
func (l trailLine) who() string {
	switch {
	case l.Actor != "":
		return l.Actor
	case l.UserID != nil:
		return fmt.Sprintf("user %d", *l.UserID)
	}
	return "service"
}
