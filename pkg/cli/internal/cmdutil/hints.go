package cmdutil

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/rbac"
	"github.com/hcctl/hcctl/pkg/step"
)

// OwnCommand matches those hcctl commands in a text that talk to a cluster.
var OwnCommand = regexp.MustCompile(`\bhcctl (` + strings.Join([]string{
	"apply", "backup", "bootstrap", "check", "console", "create", "delete", "density", "describe",
	"disks", "dump", "events", "exec", "exporter", "get", "gitops", "graph", "kubeconfig", "logs",
	"maintenance", "password", "pause", "restore", "resume", "scale", "schedule", "scp", "ssh",
	"start", "status", "stop", "support", "timeline", "uninstall", "update", "upgrade", "wait",
}, "|") + `)\b`)

// WithConnection adds the connection flags of this call to the hcctl commands in a text, so that a copied command uses
// the same management cluster. The environment applies to the copy anyway. Commands get the name that hcctl was called
// by.
func (a *Call) WithConnection(text string) string {
	flags := a.connectionGiven()
	if flags == "" || strings.HasSuffix(text, " --help") {
		return a.AsCalled(text)
	}
	return a.AsCalled(OwnCommand.ReplaceAllStringFunc(text, func(command string) string {
		return strings.Replace(command, "hcctl", "hcctl"+flags, 1)
	}))
}

// connectionGiven returns the flags of this call that select cluster and user, as on a command line. It leaves out
// credentials, which do not belong on a screen.
func (a *Call) connectionGiven() string {
	var b strings.Builder
	given := a.KubeFlags.Overrides
	for _, flag := range []struct{ name, value string }{
		{"kubeconfig", a.KubeFlags.Kubeconfig}, {"context", given.CurrentContext}, {"cluster", given.Context.Cluster},
		{"user", given.Context.AuthInfo}, {"server", given.ClusterInfo.Server}, {"as", given.AuthInfo.Impersonate},
	} {
		if flag.value != "" {
			b.WriteString(" --" + flag.name + " " + sanitize.Word(flag.value))
		}
	}
	return b.String()
}

// ReportWithConnection returns the report with connection flags in its hints. It changes the report's own results.
func (a *Call) ReportWithConnection(r step.Report) step.Report {
	for i := range r.Results {
		r.Results[i].Finding.Hint = a.WithConnection(r.Results[i].Finding.Hint)
	}
	return r
}

// ObserveWithConnection passes events on with connection flags in their hints.
func (a *Call) ObserveWithConnection(observe func(step.Event)) func(step.Event) {
	return func(e step.Event) {
		e.Finding.Hint = a.WithConnection(e.Finding.Hint)
		if e.Result != nil {
			result := *e.Result
			result.Finding.Hint = a.WithConnection(result.Finding.Hint)
			e.Result = &result
		}
		observe(e)
	}
}

// EnterCommand returns a first command inside a hosted cluster.
func EnterCommand(namespace, name string) string {
	return "hcctl exec " + hostedcluster.Argument(namespace, name) + " -- oc get nodes"
}

// program is what hcctl is called by itself.
const program = "hcctl"

// ProgramName says how a user calls the program with this path. kubectl runs kubectl-hcctl for "kubectl hcctl"; oc runs
// oc-hcctl, and kubectl-hcctl if there is none. Any other name is hcctl.
func ProgramName(path string) string {
	// A path of Windows has backslashes, whatever this program was built for.
	name := filepath.Base(strings.ReplaceAll(path, `\`, "/"))
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	for _, host := range []string{"kubectl", "oc"} {
		if name == host+"-"+program {
			return host + " " + program
		}
	}
	return program
}

// calledCommand matches hcctl with what comes after it in a command. A name may already stand before it.
var calledCommand = lazyregexp.New(`\b(kubectl |oc )?hcctl( --?[a-z]| [a-z]+(?:-[a-z]+)*\b| COMMAND)`)

// AsCalled gives the hcctl commands in a text the name that hcctl was called by.
func (a *Call) AsCalled(text string) string {
	if a.Name == "" || a.Name == program {
		return text
	}
	return calledCommand().ReplaceAllStringFunc(text, func(found string) string {
		rest := found[strings.Index(found, program)+len(program):]
		if word := strings.TrimSpace(rest); rest[1] != '-' && word != "COMMAND" && !slices.Contains(a.Commands, word) {
			return found
		}
		return a.Name + rest
	})
}

// OwnPath is the path of a command that begins with hcctl, whatever name hcctl was called by.
func OwnPath(cmd *cobra.Command) string {
	return program + strings.TrimPrefix(cmd.CommandPath(), cmd.Root().DisplayName())
}

// PrintDenied prints which role a user needs after a refused request.
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
	Tell(a.Streams.Err, "A role for what this command needs: %s --user USER\n",
		a.AsCalled(a.roleCommand(purposes, all, cluster)))
}

// roleCommand returns the command that prints the role for a command: for its namespace, and for its cluster if a
// namespace is not enough.
func (a *Call) roleCommand(purposes []rbac.Purpose, all bool, cluster string) string {
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
func (a *Call) concerned() string {
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
