package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
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
			"first and restart them again; then run this. Afterwards the old key can go.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.changing(cmd.Context(), func(ctx context.Context, s *Services) error { return p.rotate(ctx, s) })
		},
	}
	return cli.Group("keys", "Make and change keys", generate, rotate)
}

func (p *Program) rotate(ctx context.Context, s *Services) error {
	p.Progress.Show("encrypting the secrets…")
	rows, err := s.RotateSecrets(ctx)
	p.Progress.Clear()
	var unreadable *fault.Error
	if errors.As(err, &unreadable) { // of a row's secrets, the first one says enough
		return fmt.Errorf("DIRECTORY_ENCRYPTION_KEYS: %w", unreadable)
	}
	if err != nil {
		return err
	}
	return p.Out.Printf("%d rows looked through; all secrets use the first key\n", rows)
}
