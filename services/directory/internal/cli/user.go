package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) userCommand() *cobra.Command {
	return cli.Group("user", "Manage the people who can log in",
		p.userAddCommand(), p.userListCommand(), p.userRoleCommand(), p.userPasswordCommand(), p.userLinkCommand(),
		p.userDisableCommand(true), p.userDisableCommand(false), p.userMoveCommand(), p.userDeleteCommand())
}

// roleNames are what ParseRole takes.
var roleNames = []string{"UNAFFILIATED", "MEMBER", "EMPLOYEE", "MANAGER", "OFFICE_MANAGER", "ADMIN"}

// newUser is what the command line says of a user.
type newUser struct{ email, name, role, company, password string }

func (p *Program) userAddCommand() *cobra.Command {
	n := newUser{role: "MEMBER"}
	cmd := &cobra.Command{
		Use: "add EMAIL", Short: "Add a user, and print a link by which the person chooses a password",
		Example: "  directory user add anna@firma.example --name 'Anna Kowalska' --role MANAGER --company " +
			"piekarnia-kowalski",
		RunE: func(cmd *cobra.Command, args []string) error {
			if n.email = account.NormalEmail(args[0]); !account.IsEmail(n.email) {
				return cli.Usagef("%q is not an e-mail address", args[0])
			}
			role, err := account.ParseRole(n.role)
			if err != nil {
				return err
			}
			return p.changing(cmd.Context(), func(ctx context.Context, s *Services) error {
				return p.addUser(ctx, s, n, role)
			})
		},
	}
	cmd.Flags().StringVar(&n.name, "name", "", "the person's name")
	cli.ChoiceVar(cmd, &n.role, "role", roleNames, "what the person may do")
	p.companyFlag(cmd, &n.company, "slug of the person's company")
	addPasswordFlag(cmd, &n.password)
	return cmd
}

func (p *Program) addUser(ctx context.Context, s *Services, n newUser, role account.Role) (err error) {
	u := account.User{Email: n.email, Name: n.name, Role: role}
	if u.CompanyID, err = activeCompany(ctx, s, n.company); err != nil {
		return err
	}
	if n.password != "" {
		if u.PasswordHash, err = account.NewHasher(1).Hash(ctx, "", u, n.password); err != nil {
			return explain("password", err)
		}
	}
	if err := s.Users.Add(ctx, &u, byOperator("user add")); err != nil {
		return explain("user "+n.email, err)
	}
	if err := p.Out.Printf("user %d %s added\n", u.ID, u.Email); err != nil || n.password != "" {
		return err
	}
	return p.printLink(ctx, s, u)
}

// printLink prints a new link. It is shown only here.
func (p *Program) printLink(ctx context.Context, s *Services, u account.User) error {
	link, err := s.Passwords.NewLink(ctx, operator(), u)
	if err != nil {
		return explain("user "+u.Email, err)
	}
	return p.Out.Printf("%s\nThe link can be used once, until %s.\n", link.URL, link.ExpiresAt.Format(time.RFC3339))
}

func (p *Program) userLinkCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "reset-link EMAIL",
		Short:             "Print a link by which a user chooses a new password; valid for an hour, once",
		ValidArgsFunction: p.emails,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withUser(cmd.Context(), p.changing, args[0], p.printLink)
		},
	}
}

// activeCompany is the company that a user joins; an empty slug is none.
func activeCompany(ctx context.Context, s *Services, slug string) (*int64, error) {
	if slug == "" {
		return nil, nil
	}
	c, err := s.Companies.BySlug(ctx, slug)
	if err == nil && !c.Active() {
		err = errors.New(c.Status)
	}
	return &c.ID, explain(fmt.Sprintf("--company %q", slug), err)
}

// userLine is a user of a list.
type userLine struct {
	ID         int64      `json:"id"`
	Email      string     `json:"email"`
	Name       string     `json:"name"`
	Role       string     `json:"role"`
	CompanyID  *int64     `json:"company_id"`
	DisabledAt *time.Time `json:"disabled_at"`
}

func (p *Program) userListCommand() *cobra.Command {
	return p.Out.JSONFlag(&cobra.Command{
		Use: "list", Short: "List the users",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.reading(cmd.Context(), func(ctx context.Context, s *Services) error {
				users, err := s.Users.List(ctx)
				if err != nil {
					return err
				}
				var lines []userLine
				for _, u := range users {
					lines = append(lines, userLine{u.ID, u.Email, u.Name, u.Role.String(), u.CompanyID, u.DisabledAt})
				}
				return cli.List(p.Out, lines, []string{"ID", "E-MAIL", "NAME", "ROLE", "COMPANY", "STATE"},
					userLine.cells)
			})
		},
	})
}

func (u userLine) cells() []any {
	state := "active"
	if u.DisabledAt != nil {
		state = "disabled"
	}
	return []any{u.ID, u.Email, u.Name, u.Role, u.CompanyID, state}
}

func (p *Program) userRoleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "set-role EMAIL ROLE", Short: "Change a user's role", ValidArgsFunction: p.emailsAndRoles,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := cli.Choose("role", args[1], roleNames)
			if err != nil {
				return err
			}
			role, err := account.ParseRole(name)
			if err != nil {
				return err
			}
			return p.editUser(cmd.Context(), args[0], account.UserChange{Role: &role})
		},
	}
}

func (p *Program) userPasswordCommand() *cobra.Command {
	var password string
	cmd := &cobra.Command{
		Use: "set-password EMAIL", Short: "Change a user's password and end the user's sessions",
		ValidArgsFunction: p.emails,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeUser(cmd.Context(), args[0], func(ctx context.Context, s *Services, u account.User) error {
				hash, err := p.newPassword(ctx, u, password)
				if err != nil {
					return explain("password", err)
				}
				return s.Users.SetPasswordHash(ctx, u.ID, hash, operator().About(u, "user set-password", ""))
			})
		},
	}
	addPasswordFlag(cmd, &password)
	return cmd
}
