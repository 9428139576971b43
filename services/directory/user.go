package main

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
)

func (p *program) userCommand() *cobra.Command {
	return group("user", "Manage the people who can log in",
		p.userAddCommand(), p.userListCommand(), p.userRoleCommand(), p.userPasswordCommand(),
		p.userDisableCommand(true), p.userDisableCommand(false), p.userMoveCommand(), p.userDeleteCommand())
}

// roleNames are what ParseRole takes, for the help.
const roleNames = "UNAFFILIATED, MEMBER, EMPLOYEE, MANAGER, OFFICE_MANAGER or ADMIN"

func parseRole(name string) (directory.Role, error) {
	role, err := directory.ParseRole(name)
	if err != nil {
		err = fmt.Errorf("%w: want %s", err, roleNames)
	}
	return role, err
}

// newUser is what the command line says of a user.
type newUser struct{ email, name, role, company, password string }

func (p *program) userAddCommand() *cobra.Command {
	var n newUser
	cmd := &cobra.Command{
		Use: "add EMAIL", Short: "Add a user; the password is asked for, or read from standard input", Args: cobra.ExactArgs(1),
		Example: "  directory user add anna@firma.example --name 'Anna Kowalska' --role MANAGER --company piekarnia-kowalski",
		RunE: func(cmd *cobra.Command, args []string) error {
			n.email = directory.NormalEmail(args[0])
			if address, err := mail.ParseAddress(n.email); err != nil || address.Address != n.email {
				return fmt.Errorf("%q is not an e-mail address", args[0])
			}
			role, err := parseRole(n.role)
			if err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(ctx context.Context, _ config, s *store.Store) error {
				return p.addUser(ctx, s, n, role)
			})
		},
	}
	cmd.Flags().StringVar(&n.name, "name", "", "the person's name")
	cmd.Flags().StringVar(&n.role, "role", "MEMBER", roleNames)
	cmd.Flags().StringVar(&n.company, "company", "", "slug of the person's company")
	addPasswordFlag(cmd, &n.password)
	return cmd
}

func (p *program) addUser(ctx context.Context, s *store.Store, n newUser, role directory.Role) (err error) {
	u := directory.User{Email: n.email, Name: n.name, Role: role}
	if u.CompanyID, err = activeCompany(ctx, s, n.company); err != nil {
		return err
	}
	if u.PasswordHash, err = p.newPassword(ctx, n.password); err != nil {
		return explain("password", err)
	}
	if err := s.CreateUser(ctx, &u); err != nil {
		return explain("user "+u.Email, err)
	}
	if err := s.Record(ctx, aboutUser(u, "user add", u.Role.String())); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "user %d %s added\n", u.ID, u.Email)
	return err
}

// activeCompany is the company that a user joins; an empty slug is none.
func activeCompany(ctx context.Context, s *store.Store, slug string) (*int64, error) {
	if slug == "" {
		return nil, nil
	}
	c, err := s.CompanyBySlug(ctx, slug)
	if err == nil && !c.Active() {
		err = errors.New(c.Status)
	}
	return &c.ID, explain(fmt.Sprintf("--company %q", slug), err)
}

func (p *program) userListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the users", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, _ config, s *store.Store) error {
				users, err := s.Users(ctx)
				if err != nil {
					return err
				}
				w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "ID\tE-MAIL\tNAME\tROLE\tCOMPANY\tSTATE")
				for _, u := range users {
					company := "-"
					if u.CompanyID != nil {
						company = fmt.Sprint(*u.CompanyID)
					}
					state := "active"
					if u.DisabledAt != nil {
						state = "disabled"
					}
					fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", u.ID, u.Email, u.Name, u.Role, company, state)
				}
				return w.Flush()
			})
		},
	}
}

func (p *program) userRoleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "set-role EMAIL ROLE", Short: "Change a user's role", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			role, err := parseRole(args[1])
			if err != nil {
				return err
			}
			return p.changeUser(cmd.Context(), args[0], func(ctx context.Context, s *store.Store, u directory.User) error {
				return s.SetRole(ctx, u.ID, role, aboutUser(u, "user set-role", fmt.Sprintf("%s → %s", u.Role, role)))
			})
		},
	}
}

func (p *program) userPasswordCommand() *cobra.Command {
	var password string
	cmd := &cobra.Command{
		Use: "set-password EMAIL", Short: "Change a user's password and end the user's sessions", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeUser(cmd.Context(), args[0], func(ctx context.Context, s *store.Store, u directory.User) error {
				hash, err := p.newPassword(ctx, password)
				if err != nil {
					return explain("password", err)
				}
				return s.SetPasswordHash(ctx, u.ID, hash, aboutUser(u, "user set-password", ""))
			})
		},
	}
	addPasswordFlag(cmd, &password)
	return cmd
}
