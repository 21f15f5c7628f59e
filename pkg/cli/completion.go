package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/inspect"
)

// completeTree adds completion to every flag and argument without its own, by name or type: no candidates,
// unless it takes files. It runs on the complete command tree, so that a new command has completion without
// further code.
func completeTree(a *cmdutil.Factory, cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if own, ok := cmd.GetFlagCompletionFunc(f.Name); ok && own != nil || takesFiles(f) {
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, completionFor(a, cmd, f))
	})
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && cmd.Runnable() && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = completeArguments(a, cmd)
	}
	for _, sub := range cmd.Commands() {
		completeTree(a, sub)
	}
}

// takesFiles reports whether a flag takes a file or directory, by its annotation or its type.
func takesFiles(f *pflag.Flag) bool {
	_, file := f.Annotations[cobra.BashCompFilenameExt]
	_, directory := f.Annotations[cobra.BashCompSubdirsInDir]
	return file || directory || f.Value.Type() == "file"
}

// completionFor returns the completion of a flag's values.
func completionFor(a *cmdutil.Factory, cmd *cobra.Command, f *pflag.Flag) cobra.CompletionFunc {
	switch {
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
	case f.Name == "release-image", f.Name == "force-to":
		return completeLive(a, releaseImages)
	case f.Name == "to" && cmd.Name() == "management":
		return completeVersions(a, updates)
	case f.Name == "version" && isBelow(cmd, "upgrade") && strings.HasPrefix(cmd.Name(), "nodepool"):
		return completeVersions(a, poolVersions(a))
	case f.Name == "version" && isBelow(cmd, "upgrade"):
		return completeVersions(a, clusterVersions(a))
	case f.Name == "version":
		return completeVersions(a, newVersions)
	case f.Name == "channel":
		return completeLive(a, releaseChannels)
	}
	return fixedValues()
}

// completeArguments completes arguments by their names in the usage line. NAME is a hosted cluster, or a node
// pool for commands about node pools.
func completeArguments(a *cmdutil.Factory, cmd *cobra.Command) cobra.CompletionFunc {
	_, line, _ := strings.Cut(cmd.Use, " ")
	line, _, _ = strings.Cut(line, " | ") // the alternatives
	words := strings.Fields(line)
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		n := len(args)
		if n >= len(words) {
			if n == 0 || !strings.HasSuffix(words[len(words)-1], "...") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			n = len(words) - 1
		}
		several := strings.Contains(words[n], "...")
		switch word := strings.Trim(words[n], "[].-"); {
		case slices.Contains([]string{"FILE", "DIR", "SOURCE", "TARGET"}, word):
			return nil, cobra.ShellCompDirectiveDefault
		case word == "NODE" && len(args) > 0: // a node of the hosted cluster in the argument before
			return completeOf(a, machines)(cmd, args, begun)
		case word == "COMPONENT":
			return completeOf(a, inspect.Components)(cmd, args, begun)
		case word == "NODE":
			return completeLive(a, nodes)(cmd, args, begun)
		case word == "POOL", word == "NAME" && strings.HasPrefix(cmd.Name(), "nodepool"):
			return withoutGiven(args, several)(completeLive(a, pools)(cmd, args, begun))
		case word == "CLUSTER", word == "NAME" && !isBelow(cmd, "create"):
			return withoutGiven(args, several)(completeClusters(a, cmd, args, begun))
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// withoutGiven removes the names that are already among the arguments, if the command takes several.
func withoutGiven(
	args []string, several bool) func([]string, cobra.ShellCompDirective) ([]string, cobra.ShellCompDirective) {
	return func(names []string, how cobra.ShellCompDirective) ([]string, cobra.ShellCompDirective) {
		return slices.DeleteFunc(names, func(name string) bool { return several && slices.Contains(args, name) }), how
	}
}

func completeClusters(a *cmdutil.Factory, cmd *cobra.Command, args []string,
	begun string) ([]string, cobra.ShellCompDirective) {
	return completeLive(a, clusters)(cmd, args, begun)
}

// completeKubeconfig completes the names of contexts, clusters or users in the user's kubeconfig.
func completeKubeconfig(a *cmdutil.Factory, what string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		if a.Connection.CheckKubeconfigs() != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		raw, err := a.Call.KubeFlags.Loader().RawConfig()
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
