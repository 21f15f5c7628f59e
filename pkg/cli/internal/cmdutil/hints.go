package cmdutil

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/rbac"
	"github.com/hcctl/hcctl/pkg/step"
)

// withoutCluster are the commands that talk to no cluster.
var withoutCluster = []string{"completion", "config", "docs", "environment", "exit-codes", "explain", "help", "man",
	"options", "rbac", "version"}

// Render returns a hint as the user of this call reads it: commands get the name that hcctl was called by, and
// the connection flags of this call. A copied command then uses the same management cluster; the environment
// applies to it anyway.
func (a *Call) Render(t hint.Text) string { return t.Render(a.renderCommand) }

func (a *Call) renderCommand(c hint.Command) string {
	var given hint.Args
	if !slices.Contains(withoutCluster, c.Name()) && !c.Has("help") {
		given = connectionGiven(a)
	}
	return c.As(cmp.Or(a.Name, program), given)
}

// connectionGiven returns the flags of a call that select cluster and user. It leaves out credentials, because
// they must not appear on a screen.
func connectionGiven(a *Call) hint.Args {
	var all hint.Args
	given := a.KubeFlags.Overrides
	for _, flag := range []struct {
		name  hint.Flag
		value string
	}{
		{"kubeconfig", a.KubeFlags.Kubeconfig}, {"context", given.CurrentContext}, {"cluster", given.Context.Cluster},
		{"user", given.Context.AuthInfo}, {"server", given.ClusterInfo.Server}, {"as", given.AuthInfo.Impersonate},
	} {
		if flag.value != "" {
			all = append(all, flag.name, flag.value)
		}
	}
	return all
}

// RenderReport returns the report with its hints rendered for the user. It changes the report's own results.
func (a *Call) RenderReport(r step.Report) step.Report {
	for i := range r.Results {
		renderIn(a, &r.Results[i].Finding)
	}
	return r
}

// RenderEvents passes events to observe with their hints rendered for the user.
func (a *Call) RenderEvents(observe func(step.Event)) func(step.Event) {
	return func(e step.Event) {
		renderIn(a, &e.Finding)
		if e.Result != nil {
			result := *e.Result
			renderIn(a, &result.Finding)
			e.Result = &result
		}
		observe(e)
	}
}

func renderIn(a *Call, f *step.Finding) { f.Hint = hint.Plain(a.Render(f.Hint)) }

// EnterCommand suggests a first command inside a hosted cluster.
func EnterCommand(namespace, name string) hint.Text {
	return hint.Run("exec", hostedcluster.Argument(namespace, name), "--", "oc", "get", "nodes").Text()
}

// program is hcctl's name when it does not run as a plugin.
const program = "hcctl"

// ProgramName returns how a user calls the program with this path. kubectl runs kubectl-hcctl for "kubectl
// hcctl"; oc runs oc-hcctl, or kubectl-hcctl if there is none. Any other name is hcctl.
func ProgramName(path string) string {
	// Windows paths have backslashes, whatever this program was built for.
	name := filepath.Base(strings.ReplaceAll(path, `\`, "/"))
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	for _, host := range []string{"kubectl", "oc"} {
		if name == host+"-"+program {
			return host + " " + program
		}
	}
	return program
}

// AsCalled gives the hcctl commands in a help text the name that hcctl was called by. The name of the product
// stays.
func AsCalled(a *Call, cmd *cobra.Command, help string) string {
	if a.Name == "" || a.Name == program {
		return help
	}
	known := []string{"completion", "help", "COMMAND"}
	for _, sub := range cmd.Root().Commands() {
		known = append(known, sub.Name())
	}
	parts := strings.Split(help, program+" ")
	out := parts[0]
	for _, rest := range parts[1:] {
		word := rest
		if end := strings.IndexFunc(rest, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) }); end >= 0 {
			word = rest[:end]
		}
		name := program
		if strings.HasPrefix(rest, "-") || slices.Contains(known, word) {
			out, name = strings.TrimSuffix(strings.TrimSuffix(out, "kubectl "), "oc "), a.Name
		}
		out += name + " " + rest
	}
	return out
}

// OwnPath returns the path of a command, beginning with hcctl whatever name hcctl was called by.
func OwnPath(cmd *cobra.Command) string {
	return program + strings.TrimPrefix(cmd.CommandPath(), cmd.Root().DisplayName())
}

// CallOf returns a call of a command.
func CallOf(cmd *cobra.Command) hint.Command {
	return hint.Run(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().DisplayName()))
}

// PrintDenied prints which role the user needs after the API server refused a request.
func (a *Call) PrintDenied(err error, cmd *cobra.Command) {
	purposes := rbac.Serving(OwnPath(cmd))
	if len(purposes) == 0 || !denied(err) {
		return
	}
	all := cmd.Flags().Changed("all-namespaces")
	cluster := cmd.Flags().Arg(0)
	if name := cmd.Flags().Lookup("name"); name != nil { // the argument of restore is a file
		cluster = name.Value.String()
	}
	Tell(a.Streams.Err, "A role for what this command needs: %s\n",
		a.renderCommand(a.roleCommand(purposes, all, cluster).Flag("user", "USER")))
}

// roleCommand returns the hcctl rbac command that prints the role for a command. It limits the role to the
// namespace, and to the cluster if some rights can only be limited by name.
func (a *Call) roleCommand(purposes []rbac.Purpose, all bool, cluster string) hint.Command {
	names := make([]string, 0, len(purposes))
	for _, p := range purposes {
		names = append(names, string(p))
	}
	command := hint.Run("rbac").Flag("for", strings.Join(names, ","))
	o := rbac.Options{Purposes: purposes}
	if !o.AboutClusters() {
		return command
	}
	if all {
		if o.Unlimited() == nil {
			return command
		}
		return command.Flag("all-namespaces")
	}
	o.Namespace = a.callNamespace()
	command = command.Flag("namespace", o.Namespace)
	var unlimited *rbac.UnlimitedError
	if errors.As(o.Unlimited(), &unlimited) && slices.Contains(unlimited.Missing, rbac.ByName) {
		command = command.Flag("cluster-name", cmp.Or(cluster, "NAME"))
	}
	return command
}

// callNamespace returns the namespace of the call: --namespace, else that of its file, else the default of
// HostedClusters.
func (a *Call) callNamespace() string {
	if a.FromFile != "" && a.KubeFlags.Overrides.Context.Namespace == "" {
		return a.FromFile
	}
	return ClustersNamespace(a)
}

// denied reports whether a missing permission is part of the error; findings contain it only as text. A refusal
// on an infrastructure cluster does not count, because no role of this cluster would help.
func denied(err error) bool {
	notReached := (*infrastructure.NotReachedError)(nil)
	if errors.As(err, &notReached) && notReached.Consoles {
		return false
	}
	return kube.IsNotPermitted(err) || strings.Contains(err.Error(), kube.NotAllowed)
}
