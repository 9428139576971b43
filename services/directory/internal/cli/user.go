package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"backend.example/services/directory/internal/account"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
)

func (p *Program) userCommand() *cobra.Command {
	return cli.Group("user", "Manage the people who can log in",
		p.userAddCommand(), p.userListCommand(), p.userRoleCommand(), p.userPasswordCommand(), p.userLinkCommand(),
		p.userDisableCommand(true), p.userDisableCommand(false), p.userMoveCommand(), p.userDeleteCommand())
}

var roleNames = []string{"UNAFFILIATED", "MEMBER", "EMPLOYEE", "MANAGER", "OFFICE_MANAGER", "ADMIN"}

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
			return p.changing(func(ctx context.Context, s *Services, _ []string) error {
				return p.addUser(ctx, s, n, role)
			})(cmd, args)
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
	if u.CompanyID, err = companyOf(ctx, s, n.company, true); err != nil {
		return err
	}
	if n.password != "" {
		if u.PasswordHash, err = account.NewHasher(1).Hash(ctx, "", u, n.password); err != nil {
			return explain("password", err)
		}
	}
	if err := s.Users.Add(ctx, &u, operator().Did("user add")); err != nil {
		return explain("user "+n.email, err)
	}
	if err := p.Out.Printf("user %d %s added\n", u.ID, u.Email); err != nil || n.password != "" {
		return err
	}
	return p.printLink(ctx, s, u)
}

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
		RunE: p.changing(onUser(func(ctx context.Context, s *Services, u account.User, _ []string) error {
			return p.printLink(ctx, s, u)
		})),
	}
}

func (p *Program) userListCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the users"}
	return list(p, cmd, []string{"ID", "E-MAIL", "NAME", "ROLE", "COMPANY", "STATE"},
		func(u account.User) []any {
			state := "active"
			if u.DisabledAt != nil {
				state = "disabled"
			}
			return []any{u.ID, u.Email, u.Name, u.Role, u.CompanyID, state}
		},
		func(ctx context.Context, s *Services, _ []string) ([]account.User, error) { return s.Users.List(ctx) })
}

func (p *Program) userRoleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "set-role EMAIL ROLE", Short: "Change a user's role",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return roleNames, cobra.ShellCompDirectiveNoFileComp
			}
			return p.emails(cmd, args, start)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := cli.Choose("role", args[1], roleNames)
			if err != nil {
				return err
			}
			role, err := account.ParseRole(name)
			if err != nil {
				return err
			}
			return p.editUser(account.UserChange{Role: &role})(cmd, args)
		},
	}
}

func (p *Program) userPasswordCommand() *cobra.Command {
	var password string
	cmd := &cobra.Command{
		Use: "set-password EMAIL", Short: "Change a user's password and end the user's sessions",
		ValidArgsFunction: p.emails,
		RunE: p.changeUser(func(ctx context.Context, s *Services, u account.User) error {
			hash, err := p.newPassword(ctx, u, password)
			if err != nil {
				return explain("password", err)
			}
			return s.Users.SetPasswordHash(ctx, u.ID, hash, operator().About(u, "user set-password", ""))
		}),
	}
	addPasswordFlag(cmd, &password)
	return cmd
}

// onUser is the work of do on the user whose e-mail address is the first argument.
func onUser(do func(ctx context.Context, s *Services, u account.User, args []string) error) work {
	return func(ctx context.Context, s *Services, args []string) error {
		u, err := s.Users.ByEmail(ctx, account.NormalEmail(args[0]))
		if err != nil {
			return explain("user "+args[0], err)
		}
		return do(ctx, s, u, args[1:])
	}
}

func (p *Program) changeUser(change func(ctx context.Context, s *Services, u account.User) error) runE {
	return p.changing(onUser(func(ctx context.Context, s *Services, u account.User, _ []string) error {
		if err := change(ctx, s, u); err != nil {
			return err
		}
		return p.Out.Printf("user %d %s changed\n", u.ID, u.Email)
	}))
}

func (p *Program) editUser(change account.UserChange) runE {
	return p.changeUser(func(ctx context.Context, s *Services, u account.User) error {
		_, err := s.Users.Edit(ctx, u.ID, change, operator())
		return explain("user "+u.Email, err)
	})
}

func (p *Program) userDisableCommand(disable bool) *cobra.Command {
	name, short := "disable", "Keep a user from logging in, and end the user's sessions; nothing is deleted"
	if !disable {
		name, short = "enable", "Let a disabled user log in again"
	}
	return &cobra.Command{
		Use: name + " EMAIL", Short: short, ValidArgsFunction: p.emails,
		RunE: p.editUser(account.UserChange{Disabled: &disable}),
	}
}

func (p *Program) userMoveCommand() *cobra.Command {
	var slug string
	cmd := &cobra.Command{
		Use:               "move EMAIL",
		Short:             "Move a user to another company; what the user connected stays with the company before",
		ValidArgsFunction: p.emails,
		Example:           "  directory user move anna@firma.example --company piekarnia-kowalski",
		RunE: p.changeUser(func(ctx context.Context, s *Services, u account.User) error {
			id, err := companyOf(ctx, s, slug, true)
			if err != nil {
				return err
			}
			if id == nil {
				id = new(int64) // none
			}
			_, err = s.Users.Edit(ctx, u.ID, account.UserChange{CompanyID: id}, operator())
			return explain("user "+u.Email, err)
		}),
	}
	p.companyFlag(cmd, &slug, "slug of the company; empty: none")
	_ = cmd.MarkFlagRequired("company") // it exists
	return cmd
}

func addPasswordFlag(cmd *cobra.Command, password *string) {
	cmd.Flags().StringVar(password, "password", "",
		"the password, for demonstrations only: others on this machine can see it")
}

// newPassword returns the hash of the password that was given, or is now read.
func (p *Program) newPassword(ctx context.Context, u account.User, password string) (string, error) {
	if password == "" {
		var err error
		if password, err = p.readPassword(ctx); err != nil {
			return "", err
		}
	}
	return account.NewHasher(1).Hash(ctx, "", u, password)
}

// readPassword asks twice at a terminal; elsewhere it takes the first line.
func (p *Program) readPassword(ctx context.Context) (string, error) {
	screen, ok := cli.Terminal(p.Stdin)
	if !ok {
		line, err := await(ctx, func() (string, error) { return bufio.NewReader(p.Stdin).ReadString('\n') })
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	first, err := p.ask(ctx, screen, "Password: ")
	if err != nil {
		return "", err
	}
	second, err := p.ask(ctx, screen, "Once more: ")
	if err != nil {
		return first, err
	}
	if first != second {
		return first, errors.New("the two differ")
	}
	return first, nil
}

// ask reads a line that the terminal does not show, and leaves it as it was also when ctx ends.
func (p *Program) ask(ctx context.Context, screen *os.File, prompt string) (string, error) {
	fd := int(screen.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(p.Stderr, prompt)
	defer fmt.Fprintln(p.Stderr)
	entry, err := await(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	if ctx.Err() != nil {
		err = errors.Join(err, term.Restore(fd, before))
	}
	return string(entry), err
}

// await returns what read does, or the error of ctx when that ends before.
func await[T any](ctx context.Context, read func() (T, error)) (value T, err error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

func (p *Program) sessionCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list EMAIL", Short: "List a user's sessions, the last used first", ValidArgsFunction: p.emails,
		RunE: p.reading(onUser(p.listSessions)),
	}
	end := &cobra.Command{
		Use: "end EMAIL [ID]", Short: "End a user's sessions, or the one with that ID", ValidArgsFunction: p.emails,
		RunE: p.changing(onUser(p.endSessions)),
	}
	return cli.Group("session", "See and end who is logged in", p.Out.JSONFlag(list), end)
}

func (p *Program) listSessions(ctx context.Context, s *Services, u account.User, _ []string) error {
	sessions, err := s.Sessions.Of(ctx, u.ID)
	if err != nil {
		return err
	}
	return cli.List(p.Out, account.Listed(sessions, ""), []string{"ID", "BEGAN", "LAST USED"},
		func(s account.ListedSession) []any { return []any{s.ID, s.CreatedAt, s.LastSeenAt} })
}

func (p *Program) endSessions(ctx context.Context, s *Services, u account.User, args []string) error {
	id := strings.Join(args, "")
	ended, err := s.Sessions.EndOf(ctx, operator(), u, id, "")
	if fault.Is(err, account.CodeUnknownSession) {
		return cli.NotFoundf("user %s has no session %q; directory session list %s has them", u.Email, id, u.Email)
	}
	if err != nil {
		return err
	}
	return p.Out.Printf("%d sessions ended\n", ended)
}
