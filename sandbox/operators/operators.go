// Package operators holds the simulated operators of the sandbox: what each one does to the cluster, in the order and
// with the words of the real one, at a pace the sandbox chooses.
//
// They are written from the vendors' documents, from the operators' source as reference, and from API types. They know
// nothing of hcctl. Where something rests on a guess, the comment says so.
package operators

import "github.com/hcctl/hcctl/sandbox/operator"

// All lists the simulated operators. Each lives only while its Deployment is Available; those without one always.
func All() []operator.Operator {
	return []operator.Operator{
		Ingress(),
		LocalStorage(),
		DataFoundation(),
		LVMStorage("openshift-storage"),
		LVMStorage("openshift-lvm-storage"),
		Virtualization("openshift-cnv", "hco-operator"),
		Virtualization("kubevirt-hyperconverged", "hco-operator"),
		Virtualization("kubevirt-hyperconverged", "hyperconverged-cluster-operator"),
		MetalLB(),
		MultiClusterEngine(),
		AdvancedClusterManagement(),
	}
}
