package cli

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) sessionCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list EMAIL", Short: "List a user's sessions, the last used first", ValidArgsFunction: p.emails,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSessions(cmd.Context(), p.reading, args[0], func(_ context.Context, _ *Services, _ account.User, sessions []account.Session) error {
				var lines []sessionLine
				for _, session := range sessions {
					lines = append(lines, sessionLine{sessionID(session), session.CreatedAt.UTC(), session.LastSeenAt.UTC()})
				}
				return cli.List(p.Out, lines, []string{"ID", "BEGAN", "LAST USED"}, func(s sessionLine) []any {
					return []any{s.ID, s.CreatedAt, s.LastSeenAt}
				})
			})
		},
	}
	end := &cobra.Command{
		Use: "end EMAIL [ID]", Short: "End a user's sessions, or the one with that ID", ValidArgsFunction: p.emails,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := strings.Join(args[1:], "")
			return p.withSessions(cmd.Context(), p.changing, args[0], func(ctx context.Context, s *Services, u account.User, sessions []account.Session) error {
				return p.endSessions(ctx, s, u, sessions, id)
			})
		},
	}
	return cli.Group("session", "See and end who is logged in", p.Out.JSONFlag(list), end)
}

// sessionID returns enough of the hash to distinguish a user's sessions.
func sessionID(session account.Session) string { return hex.EncodeToString(session.IDHash[:6]) }

// sessionLine is a session of a list.
type sessionLine struct {
	ID         string    `json:"id"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
}

func (p *Program) withSessions(ctx context.Context, open func(context.Context, work) error, email string,
	do func(context.Context, *Services, account.User, []account.Session) error,
) error {
	return open(ctx, func(ctx context.Context, s *Services) error {
		u, err := s.Users.ByEmail(ctx, account.NormalEmail(email))
		if err != nil {
			return explain("user "+email, err)
		}
		sessions, err := s.Sessions.Of(ctx, u.ID)
		if err != nil {
			return err
		}
		return do(ctx, s, u, sessions)
	})
}

// endSessions ends those of the sessions that have the id, or all when it is empty.
func (p *Program) endSessions(ctx context.Context, s *Services, u account.User, sessions []account.Session, id string) error {
	ended := 0
	for _, session := range sessions {
		if id != "" && id != sessionID(session) {
			continue
		}
		if err := s.Sessions.Delete(ctx, session.IDHash); err != nil {
			return err
		}
		ended++
	}
	if id != "" && ended == 0 {
		return cli.NotFoundf("user %s has no session %q; directory session list %s has them", u.Email, id, u.Email)
	}
	if err := trail.Record(s.Write(ctx), aboutUser(u, "session end", fmt.Sprintf("%d ended", ended))); err != nil {
		return err
	}
	return p.Out.Printf("%d sessions ended\n", ended)
}
