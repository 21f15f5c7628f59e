package cmdutil

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// PrintDenied tells a user whom the API server has refused something which role would do.
func (a *Factory) PrintDenied(err error, cmd *cobra.Command) {
	purposes := rbac.Serving(cmd.CommandPath())
	if len(purposes) == 0 || !denied(err) {
		return
	}
	all := cmd.Flags().Changed("all-namespaces")
	Tell(a.Streams.Err, "A role for what this command needs: %s --user USER\n",
		a.roleCommand(purposes, all, cmd.Flags().Arg(0)))
}

// roleCommand prints the role that a command needed: for its namespace, and for its cluster where a namespace does not
// limit it.
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

// concerned is the namespace that the call is about: --namespace, else that of its file, else where HostedClusters are
// by default.
func (a *Factory) concerned() string {
	if a.FromFile != "" && a.KubeFlags.Overrides.Context.Namespace == "" {
		return a.FromFile
	}
	return ClustersNamespace(a)
}

// orName stands for a name that is not known.
func orName(name string) string {
	if name == "" {
		return "NAME"
	}
	return name
}

// denied tells whether a missing permission is a part of what went wrong. Findings carry it as text only.
func denied(err error) bool {
	return apierrors.IsForbidden(err) || strings.Contains(err.Error(), kube.NotAllowed)
}
