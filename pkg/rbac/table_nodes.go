package rbac

import (
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
)

// tunnelRules returns the rules for connecting to a hosted API server through the management cluster.
func tunnelRules() []Rule {
	return rulesFor(Tunnel, []Rule{
		{Verbs: "list", Resources: "pods", At: ControlPlane, Why: "which pod of kube-apiserver is ready"},
		{Verbs: "get create", Resources: "pods/portforward", Only: "kube-apiserver-*", At: ControlPlane,
			Why: "the way to its port"},
	})
}

// nodesRules returns the rules for ssh, scp and the serial console.
func nodesRules() []Rule {
	return rulesFor(Nodes, []Rule{
		{Verbs: "get", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters, Why: "the hosted clusters"},
		{Verbs: "list", Resources: "virtualmachineinstances.kubevirt.io", At: ControlPlane,
			Why: "which worker VMs there are, and which run"},
		{Verbs: "get", Resources: "virtualmachineinstances/portforward.subresources.kubevirt.io", At: ControlPlane,
			Why: "the way to their SSH servers"},
		{Verbs: "get", Resources: "virtualmachineinstances/console.subresources.kubevirt.io", At: ControlPlane,
			Why: "their serial consoles"},
		{Verbs: "get", Resources: "secrets", Names: cluster + "-ssh-key", At: Clusters,
			Why: fmt.Sprintf("the private key that %s has made", hint.Flag("generate-ssh"))},
	})
}
