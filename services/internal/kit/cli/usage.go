package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backend.example/services/internal/kit/build"
)

// Group returns a command that consists of other commands.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	g.AddCommand(commands...)
	return g
}

// Prepare completes the commands of a program. Arguments are those of the Use line: NAME, [NAME] if it is
// optional, NAME… for one or more. Errors of the command line have StatusUsage.
func Prepare(root *cobra.Command, info build.Info) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version = info.String()
	root.Long = root.Short + ".\n\n" + root.Long + "\n\n" + statusHelp
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(completionCommand(root))
	root.SetHelpCommand(helpCommand(root))
	prepareEach(root)
}

func prepareEach(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = checkArguments
	for _, c := range cmd.Commands() {
		prepareEach(c)
	}
}

func checkArguments(cmd *cobra.Command, args []string) error {
	names := strings.Fields(cmd.Use)[1:]
	most := len(names)
	if most > 0 && strings.Contains(names[most-1], "…") { // any number
		most = len(args)
	}
	switch {
	case len(args) > most && cmd.HasAvailableSubCommands():
		return unknownCommand(cmd, args[0])
	case len(args) > most:
		return Usagef("%q is one argument too many; usage: %s", args[most], cmd.UseLine())
	}
	missing := slices.DeleteFunc(names[min(len(args), len(names)):], func(name string) bool {
		return strings.HasPrefix(name, "[")
	})
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[cobra.BashCompOneRequiredFlag] != nil && !f.Changed {
			missing = append(missing, "--"+f.Name)
		}
	})
	if len(missing) > 0 {
		return Usagef("%s missing; usage: %s", strings.Join(missing, " and "), cmd.UseLine())
	}
	return nil
}

func unknownCommand(cmd *cobra.Command, name string) error {
	hint := cmd.CommandPath() + " --help lists the commands"
	if similar := cmd.SuggestionsFor(name); len(similar) > 0 {
		hint = "did you mean " + strings.Join(similar, " or ") + "?"
	}
	return Usagef("unknown command %q for %q; %s", name, cmd.CommandPath(), hint)
}

// flagError replaces the library's texts, which contain names of Go functions.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return Usagef("%w; %s --help lists the flags", err, cmd.CommandPath())
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return Usagef("--%s %q: want %s", f.Name, invalid.GetValue(), wanted(f.Value))
	}
	return Usagef("%w", err)
}

func wanted(value pflag.Value) string {
	if c, ok := value.(*choice); ok {
		return oneOf(c.allowed)
	}
	switch value.Type() {
	case "int", "int64":
		return "a whole number"
	case "bool":
		return "true or false"
	case "stringSlice":
		return "values separated by commas"
	}
	return "a " + value.Type()
}

// Choose returns the allowed word that equals text in any letter case. The error calls text what.
func Choose(what, text string, allowed []string) (string, error) {
	for _, word := range allowed {
		if strings.EqualFold(word, text) {
			return word, nil
		}
	}
	return "", Usagef("%s %q: want %s", what, text, oneOf(allowed))
}

func oneOf(words []string) string { return "one of " + strings.Join(words, ", ") }

// ChoiceVar defines a flag for one of the allowed words in any letter case, with completion. *p is its default.
func ChoiceVar(cmd *cobra.Command, p *string, name string, allowed []string, usage string) {
	cmd.Flags().Var(&choice{p, allowed}, name, fmt.Sprintf("%s: %s", usage, strings.Join(allowed, ", ")))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
}

type choice struct {
	value   *string
	allowed []string
}

func (c *choice) Set(text string) error {
	word, err := Choose("", text, c.allowed) // flagError writes the text of the error
	if err != nil {
		return err
	}
	*c.value = word
	return nil
}

func (c *choice) String() string { return *c.value }

func (c *choice) Type() string { return "word" }

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND…]", Short: "Print the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, _ := root.Find(args) // never fails, because all commands have Args
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
		Long: "Print a script that completes commands, flags and values. bash needs the package bash-completion, zsh " +
			"compinit.",
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

// First returns the completion of the first argument from a list of words.
func First[W ~string](words ...W) cobra.CompletionFunc {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return texts, cobra.ShellCompDirectiveNoFileComp
	}
}
