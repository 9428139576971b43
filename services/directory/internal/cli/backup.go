package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (p *Program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the embedded database to a new file while the service works",
		Long: "Copy the embedded database to a new file while the service works.\n\n" +
			"The keys are not in it; without them no secret in it can be read.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.open(cmd.Context(), Read, func(ctx context.Context, s *Services) error {
				p.Progress.Show("copying the database…")
				if err := s.Backup(ctx, args[0]); err != nil {
					return err
				}
				return p.Out.Printf("%s written; keep the encryption keys, too\n", args[0])
			})
		},
	}
}
