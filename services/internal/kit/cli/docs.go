package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"backend.example/services/internal/kit/build"
)

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND…]", Short: "Print the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(found, rest[0])
			}
			return found.Help()
		},
	}
}

func completionCommand(root *cobra.Command) *cobra.Command {
	name := root.Name()
	shells := map[string]func() error{
		"bash": func() error { return root.GenBashCompletionV2(root.OutOrStdout(), true) },
		"zsh":  func() error { return root.GenZshCompletion(root.OutOrStdout()) },
		"fish": func() error { return root.GenFishCompletion(root.OutOrStdout(), true) },
	}
	names := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print a script that completes commands, flags and values: bash, zsh, fish",
		Long: "Print a script that completes commands, flags and values. bash needs the package bash-completion, zsh compinit.",
		Example: fmt.Sprintf("  source <(%[1]s completion bash)\n"+
			"  %[1]s completion zsh >\"${fpath[1]}/_%[1]s\"\n"+
			"  %[1]s completion fish >~/.config/fish/completions/%[1]s.fish", name),
		ValidArgsFunction: First(names...),
		RunE: func(_ *cobra.Command, args []string) error {
			shell, err := Choose("shell", args[0], names)
			if err != nil {
				return err
			}
			return shells[shell]()
		},
	}
}

// First completes the first argument of a command from a list of words.
func First(words ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

func docsCommand(root *cobra.Command, info build.Info) *cobra.Command {
	writer := func(use, short string, write func(dir string) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short,
			ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveFilterDirs
			},
			RunE: func(_ *cobra.Command, args []string) error {
				err := os.MkdirAll(args[0], 0o755) // #nosec G301 -- for everybody to read
				if err != nil {
					return err
				}
				return write(args[0])
			},
		}
	}
	return Group("docs", "Write the manual of all commands into a folder",
		writer("man DIR", "Write manual pages", func(dir string) error {
			header := &doc.GenManHeader{Section: "1", Source: root.Name() + " " + info.Version, Manual: root.Name() + " manual"}
			if built, err := time.Parse(time.RFC3339, info.Date); err == nil {
				header.Date = &built
			}
			return doc.GenManTreeFromOpts(root, doc.GenManTreeOptions{Header: header, Path: dir, CommandSeparator: "-"})
		}),
		writer("markdown DIR", "Write Markdown", func(dir string) error { return doc.GenMarkdownTree(root, dir) }))
}
