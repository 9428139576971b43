package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
)

func (p *program) sessionCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list EMAIL", Short: "List a user's sessions, the last used first", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSessions(cmd.Context(), args[0], func(_ context.Context, _ *store.Store, _ directory.User, sessions []directory.Session) error {
				w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "ID\tBEGAN\tLAST USED")
				for _, session := range sessions {
					fmt.Fprintf(w, "%s\t%s\t%s\n", sessionID(session), printed(session.CreatedAt), printed(session.LastSeenAt))
				}
				return w.Flush()
			})
		},
	}
	end := &cobra.Command{
		Use: "end EMAIL [ID]", Short: "End a user's sessions, or the one with that ID", Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := strings.Join(args[1:], "")
			return p.withSessions(cmd.Context(), args[0], func(ctx context.Context, s *store.Store, u directory.User, sessions []directory.Session) error {
				return p.endSessions(ctx, s, u, sessions, id)
			})
		},
	}
	return group("session", "See and end who is logged in", list, end)
}

// sessionID is enough of the hash to tell a user's sessions apart.
func sessionID(session directory.Session) string { return hex.EncodeToString(session.IDHash[:6]) }

func printed(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

func (p *program) withSessions(ctx context.Context, email string,
	work func(context.Context, *store.Store, directory.User, []directory.Session) error,
) error {
	return p.withStore(ctx, func(ctx context.Context, _ config, s *store.Store) error {
		u, err := s.UserByEmail(ctx, directory.NormalEmail(email))
		if err != nil {
			return explain("user "+email, err)
		}
		sessions, err := s.SessionsOf(ctx, u.ID)
		if err != nil {
			return err
		}
		return work(ctx, s, u, sessions)
	})
}

// endSessions ends those of the sessions that have the id, or all when it is empty.
func (p *program) endSessions(ctx context.Context, s *store.Store, u directory.User, sessions []directory.Session, id string) error {
	ended := 0
	for _, session := range sessions {
		if id != "" && id != sessionID(session) {
			continue
		}
		if err := s.DeleteSession(ctx, session.IDHash); err != nil {
			return err
		}
		ended++
	}
	if id != "" && ended == 0 {
		return fmt.Errorf("user %s has no session %q", u.Email, id)
	}
	if err := s.Record(ctx, aboutUser(u, "session end", fmt.Sprintf("%d ended", ended))); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stdout, "%d sessions ended\n", ended)
	return err
}
