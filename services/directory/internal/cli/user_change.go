package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/trail"
)

// aboutUser is the line of the audit trail for what a command does to a user.
func aboutUser(u account.User, action, detail string) trail.Entry {
	e := trail.Entry{Actor: operator().Name, AboutUserID: u.ID, Action: action, Detail: detail}
	if u.CompanyID != nil {
		e.CompanyID = *u.CompanyID
	}
	return e
}

// changeUser runs change on the user with that address.
func (p *Program) changeUser(ctx context.Context, email string, change func(context.Context, *Services, account.User) error) error {
	return p.changing(ctx, func(ctx context.Context, s *Services) error {
		u, err := s.Users.ByEmail(ctx, account.NormalEmail(email))
		if err != nil {
			return explain("user "+email, err)
		}
		if err := change(ctx, s, u); err != nil {
			return err
		}
		return p.Out.Printf("user %d %s changed\n", u.ID, u.Email)
	})
}

// userDisableCommand is "disable", or "enable".
func (p *Program) userDisableCommand(disable bool) *cobra.Command {
	name, short := "disable", "Keep a user from logging in, and end the user's sessions; nothing is deleted"
	if !disable {
		name, short = "enable", "Let a disabled user log in again"
	}
	return &cobra.Command{
		Use: name + " EMAIL", Short: short, ValidArgsFunction: p.emails,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeUser(cmd.Context(), args[0], func(ctx context.Context, s *Services, u account.User) error {
				return s.Users.SetDisabled(ctx, u.ID, disable, aboutUser(u, "user "+name, ""))
			})
		},
	}
}

func (p *Program) userMoveCommand() *cobra.Command {
	var slug string
	cmd := &cobra.Command{
		Use: "move EMAIL", Short: "Move a user to another company; what the user connected stays with the company before", ValidArgsFunction: p.emails,
		Example: "  directory user move anna@firma.example --company piekarnia-kowalski",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeUser(cmd.Context(), args[0], func(ctx context.Context, s *Services, u account.User) error {
				id, err := activeCompany(ctx, s, slug)
				if err != nil {
					return err
				}
				return s.Users.SetCompany(ctx, u.ID, id, aboutUser(u, "user move", companyNumber(u.CompanyID)+" → "+companyNumber(id)))
			})
		},
	}
	p.companyFlag(cmd, &slug, "slug of the company; empty: none")
	_ = cmd.MarkFlagRequired("company") // it exists
	return cmd
}

func companyNumber(id *int64) string {
	if id == nil {
		return "no company"
	}
	return fmt.Sprintf("company %d", *id)
}
