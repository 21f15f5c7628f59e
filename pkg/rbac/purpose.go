package rbac

import (
	"fmt"
	"slices"
	"strings"
)

// Purpose is what somebody is to be able to do with hcctl.
type Purpose string

// The purposes, a contract with scripts.
const (
	Check     Purpose = "check"
	Bootstrap Purpose = "bootstrap"
	Uninstall Purpose = "uninstall"
	Viewer    Purpose = "viewer"
	Editor    Purpose = "editor"
	Login     Purpose = "login"
	Dump      Purpose = "dump"
	Density   Purpose = "density"
)

// About is a purpose for a person.
type About struct {
	Purpose Purpose
	// Short is what a user with its role may do.
	Short string
	// Commands are those that need nothing else.
	Commands []string
	// Includes are purposes whose rules it has as well.
	Includes []Purpose
	// Mind is what a role like this opens beyond the words of its rules; empty if nothing.
	Mind string
}

// Purposes returns every purpose, in the order in which help and documentation tell them.
func Purposes() []About {
	return []About{
		{
			Purpose: Check, Short: "look at the management cluster, and change nothing",
			Commands: []string{"hcctl check"},
			Mind:     "Besides kinds that tell of the cluster it reads one Secret, pull-secret, which opens the registries of the whole cluster.",
		},
		{
			Purpose: Bootstrap, Short: "install what hosted clusters need", Commands: []string{"hcctl check", "hcctl bootstrap"}, Includes: []Purpose{Check},
			Mind: "Who may create Subscriptions has operators installed: OLM does that with rights of its own, and operators have many. hcctl itself needs neither escalate nor bind," +
				" and grants nobody anything, except with --virtualization-manifests.",
		},
		{
			Purpose: Uninstall, Short: "remove what bootstrap installed", Commands: []string{"hcctl uninstall"},
			Mind: "A namespace is removed only if nothing is left in it, and to know that every kind in it has to be listed: hence list of all resources, which shows Secrets too." +
				" Give it for the time of an uninstall.",
		},
		{
			Purpose: Viewer, Short: "see hosted clusters and node pools", Commands: []string{"hcctl get", "hcctl status", "hcctl wait"},
			Mind: "hcctl wait for nodes or complete asks the hosted cluster itself, and needs login.",
		},
		{
			Purpose: Editor, Short: "create, change and delete hosted clusters and node pools", Includes: []Purpose{Viewer, Login},
			Commands: []string{
				"hcctl create", "hcctl apply", "hcctl scale", "hcctl update", "hcctl upgrade", "hcctl pause", "hcctl resume", "hcctl stop", "hcctl start", "hcctl delete",
			},
			Mind: "Without --pull-secret a new cluster gets a copy of the management cluster's pull secret: hence get of that one Secret.",
		},
		{
			Purpose: Login, Short: "reach hosted clusters as their administrator", Commands: []string{"hcctl kubeconfig", "hcctl exec", "hcctl password", "hcctl wait"},
			Mind: "The names of these Secrets follow from those of the clusters, so that a role for clusters to come cannot name them: get of all Secrets." +
				" With --namespace it is those of that namespace; with --cluster-name those of these clusters.",
		},
		{
			Purpose: Dump, Short: "gather what there is to know of a hosted cluster that has trouble", Commands: []string{"hcctl dump"},
			Mind: "It lists every kind in the control plane's namespace, and the content of Secrets, to take that out of all it writes: limit it by --namespace and --cluster-name." +
				" Less is possible: what may not be read is told in the dump, and the exit code is 1.",
		},
		{
			Purpose: Density, Short: "measure how many hosted clusters the management cluster carries", Commands: []string{"hcctl density"},
			Mind: "It creates and deletes hosted clusters as an editor does, and reads the kubeconfigs of those it made; limit it by --namespace. It counts neither Secrets nor" +
				" ConfigMaps, since that would take list of all of them: those two are missing in what it tells of etcd.",
		},
	}
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
			return nil, fmt.Errorf("%q is no purpose: there are %s", name, strings.Join(Names(), ", "))
		}
		if !slices.Contains(out, Purpose(name)) {
			out = append(out, Purpose(name))
		}
	}
	return out, nil
}

// within tells whether a role for these purposes has the rules of p.
func within(purposes []Purpose, p Purpose) bool {
	if slices.Contains(purposes, p) {
		return true
	}
	for _, a := range Purposes() {
		if slices.Contains(purposes, a.Purpose) && slices.Contains(a.Includes, p) {
			return true
		}
	}
	return false
}

// Serving are the purposes whose role a command needs, such as "hcctl wait cluster": the least that have it.
func Serving(command string) []Purpose {
	var out []Purpose
	for _, a := range Purposes() {
		named := slices.ContainsFunc(a.Commands, func(c string) bool { return command == c || strings.HasPrefix(command, c+" ") })
		if named && !slices.ContainsFunc(a.Includes, func(p Purpose) bool { return slices.Contains(out, p) }) {
			out = append(out, a.Purpose)
		}
	}
	return out
}
