package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) keysCommand() *cobra.Command {
	generate := &cobra.Command{
		Use: "generate", Short: "Print a new key for DIRECTORY_SESSION_KEYS or DIRECTORY_ENCRYPTION_KEYS",
		RunE: func(*cobra.Command, []string) error {
			return p.Out.Printf("%s\n", database.GenerateKey())
		},
	}
	rotate := &cobra.Command{
		Use: "rotate", Short: "Encrypt all secrets again with the first key of DIRECTORY_ENCRYPTION_KEYS",
		Long: "Encrypt all secrets again with the first key of DIRECTORY_ENCRYPTION_KEYS.\n\n" +
			"Add the new key behind the old one and restart every replica, so that each can read it; put it\n" +
			"first and restart them again; then run this. Afterwards the old key can go.\n\n" +
			"Rows that no key opens are listed and stay as they are. The exit status is 1 then, although all others\n" +
			"are done, because a key may be missing in the list.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.changing(cmd.Context(), func(ctx context.Context, s *Services) error { return p.rotate(ctx, s) })
		},
	}
	return cli.Group("keys", "Make and change keys", generate, rotate)
}

// rotate returns an error if secrets are left that no key opens.
func (p *Program) rotate(ctx context.Context, s *Services) error {
	p.Progress.Show("encrypting the secrets…")
	r, err := s.RotateSecrets(ctx)
	if err != nil {
		return err
	}
	if len(r.Unreadable) == 0 {
		return p.Out.Printf("%d rows looked through; all secrets use the first key\n", r.Rows)
	}
	for _, row := range r.Unreadable {
		if err := p.Out.Printf("not readable: %s\n", row); err != nil {
			return err
		}
	}
	return fmt.Errorf("DIRECTORY_ENCRYPTION_KEYS: no key opens %d of %d rows; all others use the first key. "+
		"Add a missing key and repeat this, or connect these accounts again", len(r.Unreadable), r.Rows)
}
