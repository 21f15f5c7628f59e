package cmdutil

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// FlagError returns pflag's error in hcctl's words, as wrong usage of cmd. args are all arguments of the call: a
// mistyped command is reported before a flag that only the right command has.
func FlagError(cmd *cobra.Command, args []string, err error) error {
	if _, rest, found := cmd.Root().Find(args); found == nil && cmd.HasSubCommands() && len(rest) > 0 &&
		!strings.HasPrefix(rest[0], "-") {
		return UnknownCommand(cmd, rest)
	}
	if cmd.HasSubCommands() && cmd.HasParent() {
		return cmd.RunE(cmd, nil)
	}
	return Misuse(cmd, flagError(cmd, err))
}

func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var lacks *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &value) && value.GetFlag().Name == "dry-run" && value.GetFlag().Value.Type() == "bool" &&
		slices.Contains([]string{"client", "server"}, value.GetValue()): // kubectl's values
		alone := "give --dry-run alone"
		if value.GetValue() == "client" && cmd.Flags().Lookup("render") != nil {
			alone += ", or --render for manifests"
		}
		return fmt.Errorf("--dry-run %q: a dry run of this command always asks the cluster: %s", value.GetValue(), alone)
	case errors.As(err, &value) && isFormat(value.GetFlag()):
		return value.Unwrap()
	case errors.As(err, &value):
		return fmt.Errorf("--%s %q: %s", value.GetFlag().Name, value.GetValue(),
			valueProblem(value.GetFlag().Value.Type(), errors.Unwrap(value)))
	case errors.As(err, &lacks):
		return fmt.Errorf("--%s: a value is missing", lacks.GetFlag().Name)
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &syntax):
		return fmt.Errorf("%q is not a flag", syntax.GetSpecifiedFlag())
	}
	return errors.New(strings.ReplaceAll(err.Error(), "\n", " "))
}

// valueProblem returns why a flag of this type does not take a value.
func valueProblem(kind string, cause error) string {
	if errors.Is(cause, strconv.ErrRange) {
		return "the number is too large"
	}
	if want := expected(kind); want != "" {
		return want
	}
	return strings.ReplaceAll(cause.Error(), "\n", " ")
}

// expected describes the valid values of a flag's type. It returns "" for types without such a description.
func expected(kind string) string {
	switch kind {
	case "duration":
		return "give a time with its unit, such as 30s, 90m or 1h30m"
	case "age":
		return "give an age above zero, such as 90m, 24h or 7d"
	case "int", "int32", "count":
		return "give a whole number, such as 3"
	case "bool":
		return "give true or false"
	case "stringSlice":
		return "give a list with commas in between"
	case "stringToString":
		return "give KEY=VALUE, several with commas in between"
	}
	return ""
}

// unknownFlag suggests similar flags.
func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	if unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag: -%s", unknown.GetSpecifiedName())
	}
	name := unknown.GetSpecifiedName()
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	near := suggest.Words(name, known)
	if own := options.ClusterFlag(name); own != name && cmd.Flags().Lookup(own) != nil {
		near = []string{own}
	}
	if own := strings.TrimPrefix(name, "node-pool-"); own != name && cmd.Flags().Lookup(own) != nil {
		near = []string{own}
	}
	if len(near) == 0 {
		return fmt.Errorf("unknown flag: --%s", name)
	}
	return fmt.Errorf("unknown flag: --%s; did you mean --%s?", name, strings.Join(near, " or --"))
}

// insteadPrefix begins the annotation that names the command to use in place of a word.
const insteadPrefix = "instead-of-"

// Instead makes a command with subcommands suggest another command for word, which is not one of them.
func Instead(cmd *cobra.Command, word, command string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[insteadPrefix+word] = command
}

// UnknownCommand returns the error for args[0], which is not a subcommand of cmd.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	word := args[0]
	if kind, name, both := strings.Cut(word, "/"); both && len(validation.IsDNS1123Subdomain(name)) == 0 {
		for _, sub := range cmd.Commands() {
			if isKind(sub, kind) {
				return Misuse(cmd, WithHint(fmt.Errorf("%q: %s takes the kind and the name as two words", word,
					cmd.CommandPath()), "%s", CallOf(sub).With(name)))
			}
		}
	}
	err := fmt.Errorf("unknown command %q for %s", word, cmd.CommandPath())
	if command := cmd.Annotations[insteadPrefix+word]; command != "" {
		next := hint.Run(command).Text()
		if cmd.HasParent() && len(args) > 1 && IsName(args[1]) {
			next = next.Replace("NAME", args[1])
		}
		return Misuse(cmd, WithHint(err, "%s", next))
	}
	near := suggest.Words(word, commandNames(cmd))
	switch {
	case len(near) > 0:
		err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
	case cmd.HasParent():
		err = fmt.Errorf("%w: use %s", err, oneOf(commandNames(cmd)))
		if call, ok := withNoun(cmd, args); ok {
			err = WithHint(err, "%s", call)
		}
	}
	return Misuse(cmd, err)
}

// withNoun returns the call that was meant by a verb followed by the name of a hosted cluster, or of a node pool
// if the verb takes only these. It prefers clusters. It takes neither a kind nor a word before another name for
// a name.
func withNoun(cmd *cobra.Command, args []string) (hint.Command, bool) {
	if !IsName(args[0]) || len(args) > 1 && IsName(args[1]) || slices.Contains(kindWords, args[0]) ||
		slices.Contains([]string{"all", "node", "nodes", "pod", "pods"}, args[0]) {
		return hint.Command{}, false
	}
	for _, noun := range []string{"cluster", "clusters", "nodepool"} {
		at := slices.IndexFunc(cmd.Commands(), func(sub *cobra.Command) bool { return sub.Name() == noun })
		if at < 0 {
			continue
		}
		call := CallOf(cmd.Commands()[at])
		if cmd.Commands()[at].Flags().Lookup("name") != nil {
			call = call.With(hint.Flag("name"))
		}
		for _, arg := range args {
			call = call.With(arg)
		}
		if namespace := cmd.Flag("namespace"); namespace != nil && namespace.Changed {
			call = call.Flag("namespace", namespace.Value)
		}
		return call, true
	}
	return hint.Command{}, false
}

// isKind reports whether a command handles a kind as kubectl writes it before a slash, with or without its
// group.
func isKind(cmd *cobra.Command, kind string) bool {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ".")
	kind = strings.TrimSuffix(strings.TrimPrefix(kind, "hosted"), "s")
	return kind == strings.TrimSuffix(cmd.Name(), "s") || cmd.HasAlias(kind)
}

// oneOf joins words as "a, b or c".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// commandNames returns the names of the subcommands that a user can call.
func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}
