package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
)

func (p *Program) sessionCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list EMAIL", Short: "List a user's sessions, the last used first", ValidArgsFunction: p.emails,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withUser(cmd.Context(), p.reading, args[0], p.listSessions)
		},
	}
	end := &cobra.Command{
		Use: "end EMAIL [ID]", Short: "End a user's sessions, or the one with that ID", ValidArgsFunction: p.emails,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withUser(cmd.Context(), p.changing, args[0],
				func(ctx context.Context, s *Services, u account.User) error {
					return p.endSessions(ctx, s, u, strings.Join(args[1:], ""))
				})
		},
	}
	return cli.Group("session", "See and end who is logged in", p.Out.JSONFlag(list), end)
}

func (p *Program) listSessions(ctx context.Context, s *Services, u account.User) error {
	sessions, err := s.Sessions.Of(ctx, u.ID)
	if err != nil {
		return err
	}
	return cli.List(
		p.Out,
		account.Listed(sessions, ""),
		[]string{"ID", "BEGAN", "LAST USED"},
		func(s account.ListedSession) []any {
			return []any{s.ID, s.CreatedAt, s.LastSeenAt}
		},
	)
}

// endSessions ends the session that has the id, or all if it is empty.
func (p *Program) endSessions(ctx context.Context, s *Services, u account.User, id string) error {
	ended, err := s.Sessions.EndOf(ctx, operator(), u, id, "")
	if fault.Is(err, account.CodeUnknownSession) {
		return cli.NotFoundf("user %s has no session %q; directory session list %s has them", u.Email, id, u.Email)
	}
	if err != nil {
		return err
	}
	return p.Out.Printf("%d sessions ended\n", ended)
}
