package rbac

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hcctl/hcctl/pkg/kube/access"
)

// Purpose is what a role is for.
type Purpose = access.Purpose

// The purposes, a contract with scripts.
const (
	Check     Purpose = "check"
	Bootstrap Purpose = "bootstrap"
	Uninstall Purpose = "uninstall"
	Viewer    Purpose = "viewer"
	Editor    Purpose = "editor"
	// Tenant is Editor for a cluster with its services.
	Tenant Purpose = "tenant"
	Login  Purpose = "login"
	Dump   Purpose = "dump"
	// Gather is Dump without Secrets, for clusters to come.
	Gather  Purpose = "gather"
	Density Purpose = "density"
	// Logs reads logs.
	Logs Purpose = "logs"
	// Tunnel reaches hosted API servers through the management cluster.
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
	// Publish counts the room of a management cluster for its hub.
	Publish Purpose = "publish"
	// GitOpsStatus, GitOpsRegister and GitOpsApprove are for the commands of these names.
	GitOpsStatus   Purpose = "gitops-status"
	GitOpsRegister Purpose = "gitops-register"
	GitOpsApprove  Purpose = "gitops-approve"
	// Probe tries out what hosted clusters need.
	Probe Purpose = "probe"
	// Exporter is for the metrics of hcctl exporter.
	Exporter Purpose = "exporter"
	// Expiry reads when certificates and tokens end.
	Expiry Purpose = "expiry"
)

// About is a purpose for a user.
type About struct {
	Purpose Purpose
	// Short is what a user with its role may do.
	Short string
	// Commands are those that need nothing else.
	Commands []string
	// Includes are purposes whose rules it has as well.
	Includes []Purpose
	// Mind is what a role like this opens beyond the words of its rules, a sentence or two each.
	Mind []string
}

// Chosen are these purposes for a user, in the order of Purposes.
func Chosen(purposes []Purpose) []About {
	return slices.DeleteFunc(Purposes(), func(a About) bool { return !slices.Contains(purposes, a.Purpose) })
}

// Names are the purposes' names.
func Names() []string {
	var out []string
	for _, a := range Purposes() {
		out = append(out, string(a.Purpose))
	}
	return out
}

// ParsePurposes checks names of purposes; the error names the first that is none.
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

// included are the purposes whose rules a purpose has, too. The table is read once: roles ask for each of their rules.
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

// Serving are the purposes whose role a command needs, such as "hcctl wait cluster": the least that have it. A purpose
// that names more words of the command goes before one that names fewer.
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
