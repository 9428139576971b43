package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
)

// DemoPassword is the password of every demonstration user.
const DemoPassword = "demo-haslo-2026" // #nosec G101 -- published on purpose

func demoCompanies() []company.Company {
	return []company.Company{
		{
			Name: "Piekarnia Kowalski", Slug: "piekarnia-kowalski", Status: company.StatusActive,
			Address: "ul. Floriańska 12, 31-021 Kraków", Phone: "+48 12 000 10 01",
			Website: "https://piekarnia-kowalski.example", LogoURL: "https://piekarnia-kowalski.example/logo.png",
			Description: "Rodzinna piekarnia w centrum Krakowa. Pieczemy na zakwasie od 1978 roku.",
			Categories:  []string{"Piekarnia", "Cukiernia"},
			Services:    []string{"Chleb na zakwasie", "Torty na zamówienie"},
		},
		{
			Name: "Warsztat Nowak", Slug: "warsztat-nowak", Status: company.StatusActive,
			Address: "ul. Głogowska 200, 60-104 Poznań", Phone: "+48 61 000 20 17",
			Categories: []string{"Warsztat samochodowy"},
		},
		{Name: "Studio Fotografii Wiśniewska", Slug: "studio-wisniewska", Status: company.StatusActive,
			Address: "Gdańsk"},
		{Name: "Dawna Księgarnia", Slug: "dawna-ksiegarnia", Status: company.StatusArchived,
			Address: "ul. Piotrkowska 1, 90-001 Łódź"},
	}
}

type demoUser struct {
	email, name, company string
	role                 account.Role
}

func demoUsers() []demoUser {
	return []demoUser{
		{"admin@demo.example", "Alicja Administrator", "", account.Admin},
		{"biuro@demo.example", "Bartosz Biuro", "piekarnia-kowalski", account.OfficeManager},
		{"kierownik@demo.example", "Karolina Kierownik", "piekarnia-kowalski", account.Manager},
		{"pracownik@demo.example", "Piotr Pracownik", "warsztat-nowak", account.Employee},
		{"czlonek@demo.example", "Celina Członek", "studio-wisniewska", account.Member},
		{"gosc@demo.example", "Grzegorz Gość", "", account.Unaffiliated},
	}
}

func (p *Program) seedCommand() *cobra.Command {
	return p.Out.JSONFlag(&cobra.Command{
		Use: "seed", Short: "Add demonstration companies and users with a known password; never in production",
		RunE: p.open(Create, func(ctx context.Context, s *Services, _ []string) error {
			if err := s.Migrate(ctx); err != nil {
				return err
			}
			if err := s.checkDemonstration(ctx); err != nil {
				return err
			}
			if err := Seed(ctx, s.DB); err != nil {
				return err
			}
			return p.printDemoUsers()
		}),
	})
}

// checkDemonstration returns an error for a directory that others use.
func (s *Services) checkDemonstration(ctx context.Context) error {
	if s.PublicURL.Scheme == "https" {
		return cli.Usagef("seed is for demonstrations: DIRECTORY_PUBLIC_URL is %s", s.PublicURL)
	}
	users, err := s.Users.List(ctx)
	if err != nil {
		return err
	}
	for _, u := range users {
		if !account.IsDemo(u.Email) {
			return cli.Usagef("seed is for demonstrations: the database has other users")
		}
	}
	return nil
}

// Seed adds the demonstration companies and users that do not exist yet.
func Seed(ctx context.Context, db *database.DB) error {
	for _, c := range demoCompanies() {
		if err := company.New(db).Create(ctx, &c); err != nil && !fault.Is(err, company.CodeSlugTaken) {
			return err
		}
	}
	hash, err := account.NewHasher(1).Hash(ctx, "", account.User{}, DemoPassword)
	if err != nil {
		return err
	}
	for _, d := range demoUsers() {
		if err := d.add(ctx, db, hash); err != nil && !fault.Is(err, account.CodeEmailTaken) {
			return fmt.Errorf("user %s: %w", d.email, err)
		}
	}
	return nil
}

func (d *demoUser) add(ctx context.Context, db *database.DB, hash string) error {
	u := account.User{Email: d.email, Name: d.name, Role: d.role, PasswordHash: hash}
	if d.company != "" {
		c, err := company.New(db).BySlug(ctx, d.company)
		if err != nil {
			return err
		}
		u.CompanyID = &c.ID
	}
	return account.NewUsers(db).Create(ctx, &u)
}

type demoLine struct {
	Email    string       `json:"email"`
	Password string       `json:"password"`
	Role     account.Role `json:"role"`
	Company  *string      `json:"company"`
}

func (p *Program) printDemoUsers() error {
	var lines []demoLine
	for _, d := range demoUsers() {
		lines = append(lines, demoLine{d.email, DemoPassword, d.role, orNull(d.company)})
	}
	return cli.List(p.Out, lines, []string{"E-MAIL", "PASSWORD", "ROLE", "COMPANY"}, func(d demoLine) []any {
		return []any{d.Email, d.Password, d.Role, d.Company}
	})
}
