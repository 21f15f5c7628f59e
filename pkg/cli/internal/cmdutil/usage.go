package cmdutil

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Misuse makes err a usage error of cmd. The hint is err's own, or else how to get help.
func Misuse(cmd *cobra.Command, err error) error {
	err = NameFlags(err)
	if own := failure.Hint(err); !own.IsZero() {
		return &UsageError{Err: err, Help: own}
	}
	return &UsageError{Err: err, Help: CallOf(cmd).Flag("help").Text()}
}

// NoArgs returns a usage error for any argument.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unexpected argument %q: %s takes flags only", args[0], cmd.CommandPath())
	name := cmd.Flags().Lookup("name")
	if name != nil && slices.Contains(platforms, args[0]) {
		err = fmt.Errorf("unexpected argument %q: leave it out, the platform is always KubeVirt", args[0])
	} else if name != nil && !name.Changed && len(args) == 1 && IsName(args[0]) {
		err = WithHint(err, "%s", CallOf(cmd).Flag("name", args[0]))
	} else if cmd.Flags().Lookup("file") != nil && len(args) == 1 && yamlFile.MatchString(args[0]) {
		err = WithHint(err, "%s", CallOf(cmd).Flag("f", args[0]))
	}
	return Misuse(cmd, err)
}

// platforms are the words that come after hcp create cluster. Hardly any cluster has such a name.
var platforms = []string{"agent", "aws", "azure", "kubevirt", "none", "openstack", "powervs"}

// yamlFile matches a file name that is safe in a hint.
var yamlFile = lazyregexp.New(`^[A-Za-z0-9_./-]+\.ya?ml$`)

// Selector parses --selector.
func Selector(text string) (labels.Selector, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("--selector %q: not a selector of labels; write it like env=lab,tier!=dev", text)
	}
	return selector, nil
}

// IsName reports whether a word can be the name of an object. Such a word is safe in a hint, too.
func IsName(word string) bool { return len(validation.IsDNS1123Subdomain(word)) == 0 }

// Noun returns a command that only groups subcommands, such as "create".
func Noun(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return UnknownCommand(cmd, args)
			}
			return Misuse(cmd, fmt.Errorf("%s what? Use %s", cmd.CommandPath(), oneOf(commandNames(cmd))))
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// optionalNouns is the annotation that lists the words that a command accepts before the names.
const optionalNouns = "optional-nouns"

// WithoutNoun removes the word for the kind that may precede the arguments of a command of OptionalNoun.
func WithoutNoun(cmd *cobra.Command, args []string) []string {
	if len(args) > 0 && slices.Contains(strings.Fields(cmd.Annotations[optionalNouns]), args[0]) {
		return args[1:]
	}
	return args
}

// OptionalNoun lets a command for one kind of object accept the word for the kind before the names: "stop
// cluster kv-00" is "stop kv-00". The first argument is the word for the kind wherever it can be one.
func OptionalNoun(cmd *cobra.Command, nouns ...string) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[optionalNouns] = strings.Join(nouns, " ")
	check, run, complete := cmd.Args, cmd.RunE, cmd.ValidArgsFunction
	cmd.Args = func(cmd *cobra.Command, args []string) error { return check(cmd, WithoutNoun(cmd, args)) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, WithoutNoun(cmd, args)) }
	if complete != nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return complete(cmd, WithoutNoun(cmd, args), begun)
		}
	}
	return cmd
}

// Words for the two kinds, as OptionalNoun takes them.
var (
	ClusterNouns  = []string{"cluster", "clusters", "hostedcluster", "hostedclusters", "hc"}
	NodePoolNouns = []string{"nodepool", "nodepools", "np"}
)

// OneName accepts exactly one argument, the name of a thing such as "hosted cluster".
func OneName(thing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Misuse(cmd, fmt.Errorf("which %s? %s takes one name", thing, cmd.CommandPath()))
		}
		if len(args) > 1 {
			return Misuse(cmd, tooManyNames(cmd, args))
		}
		return Named(cmd, thing, args)
	}
}

// tooManyNames suggests the command that takes several names, if there is one.
func tooManyNames(cmd *cobra.Command, args []string) error {
	err := fmt.Errorf("%s takes one name, not %d: %s", cmd.CommandPath(), len(args), strings.Join(args, ", "))
	for _, sibling := range cmd.Parent().Commands() {
		if sibling.Name() == cmd.Name()+"s" && !slices.ContainsFunc(args, func(s string) bool { return !IsName(s) }) {
			call := CallOf(sibling)
			for _, name := range args {
				call = call.With(name)
			}
			return WithHint(err, "%s", call)
		}
	}
	return WithHint(err, "call it once for each")
}

// kindNames maps kinds, as kubectl's -o name writes them, to the words for users.
var kindNames = map[string]string{
	"hostedcluster.hypershift.openshift.io": "hosted cluster", "nodepool.hypershift.openshift.io": "node pool",
	"node": "node",
}

// kindWords are the words for kinds that a user may write before a slash. They may be namespaces, too, so no
// command guesses; "clusters" is mostly a namespace.
var kindWords = []string{"cluster", "hostedcluster", "hostedclusters", "hc", "nodepool", "nodepools", "np"}

// Named replaces words by the names that they stand for: a plain name, the output of get -o name
// (hostedcluster.hypershift.openshift.io/NAME), or NAMESPACE/NAME, which sets --namespace. Invalid names, other
// kinds and different namespaces are wrong usage of cmd.
func Named(cmd *cobra.Command, thing string, words []string) error {
	if err := named(cmd, thing, words); err != nil {
		return Misuse(cmd, err)
	}
	return nil
}

func named(cmd *cobra.Command, thing string, words []string) error {
	spaces := namespaces{flag: cmd.Flags().Lookup("namespace")}
	for i, word := range words {
		namespace, name, err := parseName(thing, word)
		if err == nil {
			err = spaces.add(word, namespace)
		}
		if err != nil {
			return err
		}
		words[i] = name
	}
	return spaces.set()
}

// IsFullName reports whether a word has the form that get -o name prints.
func IsFullName(word string) bool {
	kind, _, both := strings.Cut(word, "/")
	return both && kindNames[kind] != ""
}

// NamedFlag is Named for the value of a flag that takes one name.
func NamedFlag(cmd *cobra.Command, flag, thing string, value *string) error {
	words := []string{*value}
	err := NamedFlags(cmd, flag, thing, words)
	*value = words[0]
	return err
}

// NamedFlags is Named for the values of a flag.
func NamedFlags(cmd *cobra.Command, flag, thing string, values []string) error {
	if err := named(cmd, thing, values); err != nil {
		return Misuse(cmd, fmt.Errorf("--%s: %w", flag, err))
	}
	return nil
}

// parseName splits a word into namespace and name. The namespace is empty if the word has none.
func parseName(thing, word string) (namespace, name string, err error) {
	before, name, both := strings.Cut(word, "/")
	if !both {
		before, name = "", word
	}
	wellFormed := IsName(name) && (!both || IsName(strings.ToLower(before)))
	switch {
	case !wellFormed:
		return "", "", fmt.Errorf("%q cannot be the name of a %s: names have lower case letters, digits, dashes and dots",
			word, thing)
	case !both, kindNames[before] == thing:
		return "", name, nil
	case strings.Contains(before, ".") && kindNames[before] != "":
		return "", "", fmt.Errorf("%q is a %s, not a %s", word, kindNames[before], thing)
	case thing == "node", slices.Contains(kindWords, before), len(validation.IsDNS1123Label(before)) > 0:
		return "", "", fmt.Errorf("%q is not the name of a %s: give the name without its kind, %s", word, thing, name)
	}
	return before, name, nil
}

// namespaces collects the namespaces of a command's words. They must be equal, and equal to --namespace.
type namespaces struct {
	flag *pflag.Flag
	// first is the first word, named its namespace. Without words, first is empty.
	first, named string
}

func (n *namespaces) add(word, namespace string) error {
	given := ""
	if n.flag != nil && n.flag.Changed {
		given = n.flag.Value.String()
	}
	switch {
	case namespace != "" && n.flag == nil:
		return fmt.Errorf("%q: this command takes no namespace", word)
	case namespace != "" && given != "" && namespace != given:
		return fmt.Errorf("--namespace %q: the name %s says %q", given, word, namespace)
	case n.first == "":
		n.first, n.named = word, namespace
	case n.named != namespace && given == "":
		return fmt.Errorf("%s and %s: give all names in one namespace, with --namespace", n.first, word)
	}
	return nil
}

func (n *namespaces) set() error {
	if n.named == "" || n.flag.Changed {
		return nil
	}
	n.flag.Changed = true
	return n.flag.Value.Set(n.named)
}

// Times returns an error for values that the engine would take for no limit.
func Times(timeout, trouble time.Duration) error {
	switch {
	case timeout <= 0:
		return fmt.Errorf("--timeout %s: give a time above zero, such as 1h or 90m", timeout)
	case trouble < 0:
		return fmt.Errorf("--trouble-timeout %s: it cannot be negative; 0 means no limit of its own", trouble)
	}
	return nil
}

// Namespace returns a usage error for a --namespace that is not a valid name.
func Namespace(cmd *cobra.Command, call *Call) error {
	ns := call.KubeFlags.Overrides.Context.Namespace
	if ns == "" || len(validation.IsDNS1123Label(ns)) == 0 {
		return nil
	}
	return Misuse(cmd, fmt.Errorf("--namespace %q: names of namespaces have at most %d lower case letters, digits and "+
		"dashes", ns, validation.DNS1123LabelMaxLength))
}

// RequestTimeout returns a usage error for a --request-timeout that client-go cannot parse, or would take for no
// time at all.
func RequestTimeout(cmd *cobra.Command, call *Call) error {
	given := call.KubeFlags.Overrides.Timeout
	if given == "" {
		return nil
	}
	if t, err := clientcmd.ParseTimeout(given); err == nil && t >= 0 {
		return nil
	}
	return Misuse(cmd, fmt.Errorf("--request-timeout %q: give a time, such as 30s or 2m, or 0 for no limit", given))
}

// NamespaceFlag returns --namespace as words of a command line, if it was given.
func NamespaceFlag(call *Call) hint.Args {
	if ns := call.KubeFlags.Overrides.Context.Namespace; ns != "" {
		return hint.Args{hint.Flag("namespace"), ns}
	}
	return nil
}

// ClustersNamespace returns --namespace, else the default namespace of HostedClusters.
func ClustersNamespace(call *Call) string {
	if ns := call.KubeFlags.Overrides.Context.Namespace; ns != "" {
		return ns
	}
	return options.Defaults().Namespace
}

// deprecated is the annotation of deprecated commands and flags. Its value is what to use instead.
const deprecated = "hcctl.dev/deprecated"

// Deprecate marks a command as deprecated. It still works, but help and completion hide it. cobra's own warning
// would go to stdout, which programs read.
func Deprecate(cmd *cobra.Command, instead string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[deprecated], cmd.Hidden = instead, true
}

// DeprecateFlag marks a flag as Deprecate marks a command.
func DeprecateFlag(f *pflag.Flag, instead string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[deprecated], f.Hidden = []string{instead}, true
}

// Deprecation returns what to use instead of a command with these annotations, or "" if it is not deprecated.
func Deprecation(annotations map[string]string) string { return annotations[deprecated] }

// FlagDeprecation returns what to use instead of a flag, or "" if it is not deprecated.
func FlagDeprecation(f *pflag.Flag) string { return strings.Join(f.Annotations[deprecated], "") }
