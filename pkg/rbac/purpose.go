package rbac

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hcctl/hcctl/pkg/kube/access"
)

// Purpose is the purpose of a role.
type Purpose = access.Purpose

// The purposes. Scripts use their names, so they must not change.
const (
	Check     Purpose = "check"
	Bootstrap Purpose = "bootstrap"
	Uninstall Purpose = "uninstall"
	Viewer    Purpose = "viewer"
	Editor    Purpose = "editor"
	// Tenant is Editor for one cluster including its services.
	Tenant Purpose = "tenant"
	Login  Purpose = "login"
	Dump   Purpose = "dump"
	// Gather is Dump without Secrets, for clusters that do not exist yet.
	Gather  Purpose = "gather"
	Density Purpose = "density"
	// Logs reads logs.
	Logs Purpose = "logs"
	// Tunnel connects to hosted API servers through the management cluster.
	Tunnel Purpose = "tunnel"
	// Nodes logs in to worker nodes.
	Nodes   Purpose = "nodes"
	Backup  Purpose = "backup"
	Restore Purpose = "restore"
	// Maintenance plans work on the management cluster itself.
	Maintenance Purpose = "maintenance"
	// Schedule is for the CronJobs of hcctl schedule.
	Schedule Purpose = "schedule"
	// Cleanup deletes hosted clusters that have expired.
	Cleanup Purpose = "cleanup"
	// Infra is for the kubeconfig of an infrastructure cluster, which runs the worker VMs of others.
	Infra Purpose = "infra"
	// Hub works on the hosted clusters of many management clusters, at their hub.
	Hub Purpose = "hub"
	// Publish reports the free capacity of a management cluster to its hub.
	Publish Purpose = "publish"
	// GitOpsStatus, GitOpsRegister and GitOpsApprove are for the commands of these names.
	GitOpsStatus   Purpose = "gitops-status"
	GitOpsRegister Purpose = "gitops-register"
	GitOpsApprove  Purpose = "gitops-approve"
	// Probe runs the probes of the requirements of hosted clusters.
	Probe Purpose = "probe"
	// Exporter is for the metrics of hcctl exporter.
	Exporter Purpose = "exporter"
	// Expiry reads the expiry of certificates and tokens.
	Expiry Purpose = "expiry"
)

// About describes a purpose for the user.
type About struct {
	Purpose Purpose
	// Short is what the role allows.
	Short string
	// Commands has the commands for which this role is enough.
	Commands []string
	// Includes has the purposes whose rules the role has, too.
	Includes []Purpose
	// Mind has the risks of the role beyond the text of its rules, in one or two sentences each.
	Mind []string
}

// Chosen returns the descriptions of these purposes, in the order of Purposes.
func Chosen(purposes []Purpose) []About {
	return slices.DeleteFunc(Purposes(), func(a About) bool { return !slices.Contains(purposes, a.Purpose) })
}

// Names returns the names of all purposes.
func Names() []string {
	var out []string
	for _, a := range Purposes() {
		out = append(out, string(a.Purpose))
	}
	return out
}

// ParsePurposes validates names of purposes. The error has the first invalid name.
func ParsePurposes(names []string) ([]Purpose, error) {
	var out []Purpose
	for _, name := range names {
		if !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("%q is not a purpose: there are %s", name, strings.Join(Names(), ", "))
		}
		if !slices.Contains(out, Purpose(name)) {
			out = append(out, Purpose(name))
		}
	}
	return out, nil
}

// included maps a purpose to the purposes whose rules it has, too. It is cached, because every rule of a role needs it.
var included = sync.OnceValue(func() map[Purpose][]Purpose {
	all := map[Purpose][]Purpose{}
	for _, a := range Purposes() {
		all[a.Purpose] = a.Includes
	}
	return all
})

// within reports whether a role for these purposes has the rules of p.
func within(purposes []Purpose, p Purpose) bool {
	return slices.ContainsFunc(purposes, func(has Purpose) bool { return has == p || slices.Contains(included()[has], p) })
}

// Serving returns the purposes with the fewest rules that are enough for a command, such as "hcctl wait cluster". A
// purpose that matches more words of the command takes precedence.
func Serving(command string) []Purpose {
	var out []Purpose
	best := 0
	for _, a := range Purposes() {
		named := 0
		for _, c := range a.Commands {
			if command == c || strings.HasPrefix(command, c+" ") {
				named = max(named, len(c))
			}
		}
		switch {
		case named < best || named == 0:
			continue
		case named > best:
			best, out = named, nil
		}
		if !slices.ContainsFunc(a.Includes, func(p Purpose) bool { return slices.Contains(out, p) }) {
			out = append(out, a.Purpose)
		}
	}
	return out
}
