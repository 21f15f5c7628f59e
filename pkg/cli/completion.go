package cli

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// completeTree gives every flag and argument without its own completion one by its name, type or help. It runs on the
// whole tree of commands, so that new commands have completion without further code.
func completeTree(a *cmdutil.Factory, cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if own, ok := cmd.GetFlagCompletionFunc(f.Name); ok && own != nil || hasFileCompletion(f) {
			return
		}
		if by := completionFor(a, cmd, f); by != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, by)
		}
	})
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && cmd.Runnable() && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = completeArguments(a, cmd)
	}
	for _, sub := range cmd.Commands() {
		completeTree(a, sub)
	}
}

// hasFileCompletion reports whether a flag already says which files it takes.
func hasFileCompletion(f *pflag.Flag) bool {
	return f.Annotations[cobra.BashCompFilenameExt] != nil || f.Annotations[cobra.BashCompSubdirsInDir] != nil
}

// completionFor returns the completion of a flag's values; nil means files.
func completionFor(a *cmdutil.Factory, cmd *cobra.Command, f *pflag.Flag) cobra.CompletionFunc {
	switch {
	case f.Name == "output":
		return fixedValues(formatsIn(f.Usage)...)
	case f.Name == "namespace":
		return completeLive(a, namespaces)
	case f.Name == "context", f.Name == "cluster", f.Name == "user":
		return completeKubeconfig(a, f.Name)
	case f.Name == "context-name":
		return completeKubeconfig(a, "context")
	case f.Name == "cluster-name", f.Name == "name" && !isBelow(cmd, "create"):
		return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return completeClusters(a, cmd, args, begun)
		}
	case strings.HasSuffix(f.Name, "storage-class"):
		return completeLive(a, storageClasses)
	case f.Name == "release-image":
		return completeLive(a, releaseImages)
	case f.Name == "version", f.Name == "force-to":
		return completeLive(a, releaseVersions)
	case f.Name == "channel":
		return completeLive(a, releaseChannels)
	}
	if values := valuesIn(f.Usage); values != nil {
		return fixedValues(values...)
	}
	if namesFile(f) {
		return nil
	}
	return fixedValues()
}

// completeArguments completes arguments by their names in the usage line: NAME is a hosted cluster or, for commands
// about node pools, a pool.
func completeArguments(a *cmdutil.Factory, cmd *cobra.Command) cobra.CompletionFunc {
	_, line, _ := strings.Cut(cmd.Use, " ")
	words := strings.Fields(line)
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		n := len(args)
		if n >= len(words) {
			if n == 0 || !strings.HasSuffix(words[len(words)-1], "...") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			n = len(words) - 1
		}
		switch word := strings.Trim(words[n], "[].-"); {
		case word == "FILE" || word == "DIR":
			return nil, cobra.ShellCompDirectiveDefault
		case word == "POOL", word == "NAME" && strings.HasPrefix(cmd.Name(), "nodepool"):
			return completeLive(a, pools)(cmd, args, begun)
		case word == "CLUSTER", word == "NAME" && !isBelow(cmd, "create"):
			return completeClusters(a, cmd, args, begun)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

func completeClusters(a *cmdutil.Factory, cmd *cobra.Command, args []string,
	begun string) ([]string, cobra.ShellCompDirective) {
	return completeLive(a, clusters)(cmd, args, begun)
}

// completeKubeconfig completes the names of contexts, clusters or users in the user's kubeconfig.
func completeKubeconfig(a *cmdutil.Factory, what string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		if a.CheckKubeconfigs() != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		raw, err := a.KubeFlags.Loader().RawConfig()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		switch what {
		case "context":
			names = slices.Sorted(maps.Keys(raw.Contexts))
		case "cluster":
			names = slices.Sorted(maps.Keys(raw.Clusters))
		default:
			names = slices.Sorted(maps.Keys(raw.AuthInfos))
		}
		return slices.DeleteFunc(names, func(s string) bool {
			return !isSafeCandidate(s)
		}), cobra.ShellCompDirectiveNoFileComp
	}
}

func fixedValues(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// isBelow reports whether a command is below the one with this name.
func isBelow(cmd *cobra.Command, name string) bool {
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.Name() == name {
			return true
		}
	}
	return false
}

// formatsIn returns the formats in the help of --output.
func formatsIn(usage string) []string {
	var found []string
	for _, word := range strings.FieldsFunc(usage, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') }) {
		if slices.Contains([]string{"json", "yaml", "name", "wide", "junit", "jsonl", "table"}, word) &&
			!slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	return found
}

// valuesPattern matches lists such as "what to wait for: none, api, nodes or complete" and "kind of disks (hdd, ssd)".
var valuesPattern = regexp.MustCompile(
	`: ((?:[a-z0-9-]+, )*[a-z0-9-]+ or [a-z0-9-]+)(?:$|[;,.(]| \()|\(((?:[A-Za-z0-9-]+, )+[A-Za-z0-9-]+)\)$`)

// valuesIn returns the allowed values in a flag's help, nil if it has no closed list.
func valuesIn(usage string) []string {
	m := valuesPattern.FindStringSubmatch(strings.TrimSuffix(usage, " (repeatable)"))
	if m == nil {
		return nil
	}
	return strings.Split(strings.ReplaceAll(m[1]+m[2], " or ", ", "), ", ")
}

// filePattern matches "file with the pull secret", "Path to a cert file" and "write it to this file".
var filePattern = regexp.MustCompile(
	`(?i)^(files?|folders?|path to)\b|\bthis (file|folder)\b|\binto (a|this) (file|folder)\b`)

// namesFile reports whether a flag takes a file or folder.
func namesFile(f *pflag.Flag) bool {
	return f.Value.Type() == "file" || filePattern.MatchString(f.Usage)
}
