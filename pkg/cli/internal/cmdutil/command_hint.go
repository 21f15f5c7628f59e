package cmdutil

import (
	"regexp"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

// OwnCommand finds hcctl's commands that talk to a cluster in a text.
var OwnCommand = regexp.MustCompile(`\bhcctl (` + strings.Join([]string{
	"apply", "bootstrap", "check", "create", "delete", "density", "dump", "exec", "get", "kubeconfig", "password", "pause",
	"resume", "scale", "start", "status",
	"stop", "uninstall", "update", "upgrade", "wait",
}, "|") + `)\b`)

// Here gives the hcctl commands in a text the connection that this call was given by flags: a command that is copied
// from a hint has to be about the same management cluster. What comes from the environment holds for the copy anyway.
func (a *Factory) Here(text string) string {
	flags := a.connectionGiven()
	if flags == "" || strings.HasSuffix(text, " --help") {
		return text
	}
	return OwnCommand.ReplaceAllStringFunc(text, func(command string) string {
		return strings.Replace(command, "hcctl", "hcctl"+flags, 1)
	})
}

// connectionGiven are the flags of this call that say which cluster, and as whom, as they stand in a command line.
// Credentials are left out: they do not belong on a screen.
func (a *Factory) connectionGiven() string {
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

// ReportHere is a report whose hints name commands for this connection. It changes the report's own results.
func (a *Factory) ReportHere(r step.Report) step.Report {
	for i := range r.Results {
		r.Results[i].Finding.Hint = a.Here(r.Results[i].Finding.Hint)
	}
	return r
}

// ObserveHere passes events on with such hints.
func (a *Factory) ObserveHere(observe func(step.Event)) func(step.Event) {
	return func(e step.Event) {
		e.Finding.Hint = a.Here(e.Finding.Hint)
		if e.Result != nil {
			result := *e.Result
			result.Finding.Hint = a.Here(result.Finding.Hint)
			e.Result = &result
		}
		observe(e)
	}
}

// EnterCommand is a first look into a hosted cluster.
func EnterCommand(namespace, name string) string {
	return "hcctl exec " + hostedcluster.Argument(namespace, name) + " -- oc get nodes"
}
