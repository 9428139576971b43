package cli

import (
	"context"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
)

// workOnUser is what a command does with a user.
type workOnUser func(ctx context.Context, s *Services, u account.User) error

// withUser runs do on the user with that address, on a database that open opens.
func (p *Program) withUser(
	ctx context.Context,
	open func(context.Context, work) error,
	email string,
	do workOnUser,
) error {
	return open(ctx, func(ctx context.Context, s *Services) error {
		u, err := s.Users.ByEmail(ctx, account.NormalEmail(email))
		if err != nil {
			return explain("user "+email, err)
		}
		return do(ctx, s, u)
	})
}

// changeUser runs change on the user with that address.
func (p *Program) changeUser(ctx context.Context, email string, change workOnUser) error {
	return p.withUser(ctx, p.changing, email, func(ctx context.Context, s *Services, u account.User) error {
		if err := change(ctx, s, u); err != nil {
			return err
		}
		return p.Out.Printf("user %d %s changed\n", u.ID, u.Email)
	})
}

// editUser changes a user like the API does.
func (p *Program) editUser(ctx context.Context, email string, change account.UserChange) error {
	return p.changeUser(ctx, email, func(ctx context.Context, s *Services, u account.User) error {
		_, err := s.Users.Edit(ctx, u.ID, change, operator())
		return explain("user "+u.Email, err)
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
			return p.editUser(cmd.Context(), args[0], account.UserChange{Disabled: &disable})
		},
	}
}

func (p *Program) userMoveCommand() *cobra.Command {
	var slug string
	cmd := &cobra.Command{
		Use:               "move EMAIL",
		Short:             "Move a user to another company; what the user connected stays with the company before",
		ValidArgsFunction: p.emails,
		Example:           "  directory user move anna@firma.example --company piekarnia-kowalski",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeUser(cmd.Context(), args[0], func(ctx context.Context, s *Services, u account.User) error {
				id, err := activeCompany(ctx, s, slug)
				if err != nil {
					return err
				}
				if id == nil {
					id = new(int64) // none
				}
				_, err = s.Users.Edit(ctx, u.ID, account.UserChange{CompanyID: id}, operator())
				return explain("user "+u.Email, err)
			})
		},
	}
	p.companyFlag(cmd, &slug, "slug of the company; empty: none")
	_ = cmd.MarkFlagRequired("company") // it exists
	return cmd
}
