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

// Group is a command that only holds other commands.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	g.AddCommand(commands...)
	return g
}

// Prepare completes the commands of a program. What follows a command's name in its
// Use line is what it takes: NAME, [NAME] when it may be left out, NAME… for one or
// more. Everything that is wrong with a command line ends with StatusUsage.
func Prepare(root *cobra.Command, info build.Info) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version = info.String()
	root.Long = root.Short + ".\n\n" + root.Long + "\n\n" + statusHelp
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(completionCommand(root), docsCommand(root, info))
	root.SetHelpCommand(helpCommand(root))
	prepareEach(root)
}

// Walk calls visit for every command that does something itself, in the order of the
// help.
func Walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	if !cmd.HasAvailableSubCommands() {
		visit(cmd)
	}
	for _, c := range cmd.Commands() {
		Walk(c, visit)
	}
}

func prepareEach(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = checkArguments
	cmd.DisableAutoGenTag = true // the manual is the same on every day
	for _, c := range cmd.Commands() {
		prepareEach(c)
	}
}

// checkArguments compares args with the Use line, and looks for flags that have to be
// there.
func checkArguments(cmd *cobra.Command, args []string) error {
	names := strings.Fields(cmd.Use)[1:]
	most := len(names)
	if most > 0 && strings.Contains(names[most-1], "…") {
		most = len(args)
	}
	switch {
	case len(args) > most && cmd.HasAvailableSubCommands():
		return unknownCommand(cmd, args[0])
	case len(args) > most:
		return Usagef("%q is one argument too many; usage: %s", args[most], cmd.UseLine())
	}
	missing := slices.DeleteFunc(names[min(len(args), len(names)):], func(name string) bool { return strings.HasPrefix(name, "[") })
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

// flagError says in its own words what is wrong with a flag: the library's show the
// names of Go functions.
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

// wanted describes the values that a flag takes.
func wanted(value pflag.Value) string {
	if c, ok := value.(*choice); ok {
		return oneOf(c.allowed)
	}
	switch value.Type() {
	case "int", "int64":
		return "a whole number"
	case "bool":
		return "true or false"
	}
	return "a " + value.Type()
}

// Choose finds the one of the allowed words that text is, in any letter case. what
// names text in the error.
func Choose(what, text string, allowed []string) (string, error) {
	if i := slices.IndexFunc(allowed, func(word string) bool { return strings.EqualFold(word, text) }); i >= 0 {
		return allowed[i], nil
	}
	return "", Usagef("%s %q: want %s", what, text, oneOf(allowed))
}

// oneOf is, for example, "one of cpu, gpu, ssd".
func oneOf(words []string) string { return "one of " + strings.Join(words, ", ") }

// ChoiceVar defines a flag that takes one of the allowed words in any letter case, and
// completes them. *p is its default.
func ChoiceVar(cmd *cobra.Command, p *string, name string, allowed []string, usage string) {
	cmd.Flags().Var(&choice{p, allowed}, name, fmt.Sprintf("%s: %s", usage, strings.Join(allowed, ", ")))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp)) // it is new
}

type choice struct {
	value   *string
	allowed []string
}

func (c *choice) Set(text string) (err error) {
	word, err := Choose("", text, c.allowed)
	if err == nil {
		*c.value = word
	}
	return err
}

func (c *choice) String() string { return *c.value }

func (c *choice) Type() string { return "word" }
