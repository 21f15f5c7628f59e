package cmdutil

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// PrintDenied prints which role a user needs after a refused request.
func (a *Factory) PrintDenied(err error, cmd *cobra.Command) {
	purposes := rbac.Serving(OwnPath(cmd))
	if len(purposes) == 0 || !denied(err) {
		return
	}
	all := cmd.Flags().Changed("all-namespaces")
	cluster := cmd.Flags().Arg(0)
	if name := cmd.Flags().Lookup("name"); name != nil { // the argument of restore is a file
		cluster = name.Value.String()
	}
	Tell(a.Streams.Err, "A role for what this command needs: %s --user USER\n",
		a.AsCalled(a.roleCommand(purposes, all, cluster)))
}

// roleCommand returns the command that prints the role for a command: for its namespace, and for its cluster if a
// namespace is not enough.
func (a *Factory) roleCommand(purposes []rbac.Purpose, all bool, cluster string) string {
	names := make([]string, 0, len(purposes))
	for _, p := range purposes {
		names = append(names, string(p))
	}
	command := "hcctl rbac --for " + strings.Join(names, ",")
	o := rbac.Options{Purposes: purposes}
	if !o.AboutClusters() {
		return command
	}
	if all {
		if o.Unlimited() == nil {
			return command
		}
		return command + " --all-namespaces"
	}
	o.Namespace = a.concerned()
	command += " --namespace " + sanitize.Word(o.Namespace)
	var unlimited *rbac.UnlimitedError
	if errors.As(o.Unlimited(), &unlimited) && slices.Contains(unlimited.Missing, rbac.ByName) {
		command += " --cluster-name " + sanitize.Word(orName(cluster))
	}
	return command
}

// concerned returns the namespace of the call: --namespace, else that of its file, else the default of HostedClusters.
func (a *Factory) concerned() string {
	if a.FromFile != "" && a.KubeFlags.Overrides.Context.Namespace == "" {
		return a.FromFile
	}
	return ClustersNamespace(a)
}

// orName returns NAME for an unknown name.
func orName(name string) string {
	if name == "" {
		return "NAME"
	}
	return name
}

// denied reports whether a missing permission is part of the error. Findings contain it only as text.
func denied(err error) bool {
	return kube.IsNotPermitted(err) || strings.Contains(err.Error(), kube.NotAllowed)
}
