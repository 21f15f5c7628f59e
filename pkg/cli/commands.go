package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/apply"
	backupcmd "github.com/hcctl/hcctl/pkg/cli/backup"
	"github.com/hcctl/hcctl/pkg/cli/bootstrap"
	"github.com/hcctl/hcctl/pkg/cli/check"
	"github.com/hcctl/hcctl/pkg/cli/config"
	"github.com/hcctl/hcctl/pkg/cli/console"
	"github.com/hcctl/hcctl/pkg/cli/create"
	"github.com/hcctl/hcctl/pkg/cli/delete"
	"github.com/hcctl/hcctl/pkg/cli/density"
	"github.com/hcctl/hcctl/pkg/cli/describe"
	"github.com/hcctl/hcctl/pkg/cli/disks"
	"github.com/hcctl/hcctl/pkg/cli/docs"
	"github.com/hcctl/hcctl/pkg/cli/dump"
	"github.com/hcctl/hcctl/pkg/cli/events"
	"github.com/hcctl/hcctl/pkg/cli/exec"
	"github.com/hcctl/hcctl/pkg/cli/explain"
	exportercmd "github.com/hcctl/hcctl/pkg/cli/exporter"
	"github.com/hcctl/hcctl/pkg/cli/get"
	gitopscmd "github.com/hcctl/hcctl/pkg/cli/gitops"
	"github.com/hcctl/hcctl/pkg/cli/graph"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/kubeconfig"
	"github.com/hcctl/hcctl/pkg/cli/lint"
	"github.com/hcctl/hcctl/pkg/cli/logs"
	"github.com/hcctl/hcctl/pkg/cli/maintenance"
	"github.com/hcctl/hcctl/pkg/cli/password"
	"github.com/hcctl/hcctl/pkg/cli/pause"
	proxycmd "github.com/hcctl/hcctl/pkg/cli/proxy"
	"github.com/hcctl/hcctl/pkg/cli/rbac"
	"github.com/hcctl/hcctl/pkg/cli/restore"
	"github.com/hcctl/hcctl/pkg/cli/resume"
	"github.com/hcctl/hcctl/pkg/cli/scale"
	schedulecmd "github.com/hcctl/hcctl/pkg/cli/schedule"
	"github.com/hcctl/hcctl/pkg/cli/scp"
	sshcmd "github.com/hcctl/hcctl/pkg/cli/ssh"
	"github.com/hcctl/hcctl/pkg/cli/start"
	"github.com/hcctl/hcctl/pkg/cli/status"
	"github.com/hcctl/hcctl/pkg/cli/stop"
	supportcmd "github.com/hcctl/hcctl/pkg/cli/support"
	"github.com/hcctl/hcctl/pkg/cli/timeline"
	"github.com/hcctl/hcctl/pkg/cli/uninstall"
	"github.com/hcctl/hcctl/pkg/cli/update"
	"github.com/hcctl/hcctl/pkg/cli/upgrade"
	"github.com/hcctl/hcctl/pkg/cli/wait"
)

// command is a subcommand of hcctl.
type command struct {
	word  string
	build func(*cmdutil.Factory) *cobra.Command
}

// commands are all subcommands of hcctl. Only the called one is built.
var commands = []command{
	{"check", check.New}, {"disks", disks.New}, {"bootstrap", bootstrap.New},
	{"uninstall", uninstall.New},
	{"config", config.New}, {"lint", lint.New},
	{"rbac", rbac.New},
	{"maintenance", maintenance.New},
	{"graph", graph.New}, {"timeline", timeline.New},
	{"create", create.New},
	{"apply", apply.New},
	{"density", density.New},
	{"get", get.New},
	{"status", status.New},
	{"kubeconfig", kubeconfig.New},
	{"scale", scale.New}, {"update", update.New},
	{"upgrade", func(a *cmdutil.Factory) *cobra.Command { return upgrade.New(a, upgrade.NewManagement(a)) }},
	{"pause", pause.New}, {"resume", resume.New},
	{"stop", stop.New}, {"start", start.New}, {"schedule", schedulecmd.New},
	{"gitops", gitopscmd.New},
	{"exec", exec.New}, {"proxy", proxycmd.New},
	{"password", password.New}, {"console", console.New},
	{"ssh", sshcmd.New}, {"scp", scp.New}, {"ssh-proxy", sshcmd.NewProxy},
	{"delete", delete.New},
	{"dump", dump.New},
	{"describe", describe.New}, {"events", events.New}, {"logs", logs.New}, {"explain", explain.New},
	{"docs", func(a *cmdutil.Factory) *cobra.Command { return docs.New(a, reference) }}, {"support", supportcmd.New},
	{"backup", backupcmd.New}, {"restore", restore.New},
	{"wait", wait.New}, {"exporter", exportercmd.New},
	{"version", newVersion},
	{"man", newMan}, {"options", newOptions},
	{"exit-codes", func(*cmdutil.Factory) *cobra.Command { return cmdutil.NewExitCodes() }},
	{"environment", func(a *cmdutil.Factory) *cobra.Command { return NewEnvironment(check.New(a), bootstrap.New(a)) }},
}

// single returns the only command that a call needs, or "" if it needs the whole tree. One command takes a tenth
// of the memory of the tree. The tree is needed for flags before the command, a program name other than hcctl,
// the completion of the command word, and docs and man.
func single(name string, args []string) string {
	if isCompletion(args) && len(args) > 2 {
		args = args[1:]
	}
	if len(args) == 0 || name != "hcctl" || slices.Contains([]string{"docs", "man"}, args[0]) {
		return ""
	}
	if slices.ContainsFunc(commands, func(c command) bool { return c.word == args[0] }) {
		return args[0]
	}
	return ""
}
