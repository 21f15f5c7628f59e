// Package operators holds the simulated operators of the sandbox: what each one does to the cluster, in the order and
// with the words of the real one, at a pace the sandbox chooses.
//
// They are written from the vendors' documents, from the operators' source as reference, and from API types. They know
// nothing of hcctl. Where something rests on a guess, the comment says so.
//
// A new operator is a package with a function Operator, and a line in All. internal/framework has what they share.
package operators

import (
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/acm"
	"github.com/hcctl/hcctl/sandbox/operators/datafoundation"
	"github.com/hcctl/hcctl/sandbox/operators/ingress"
	"github.com/hcctl/hcctl/sandbox/operators/localstorage"
	"github.com/hcctl/hcctl/sandbox/operators/lvms"
	"github.com/hcctl/hcctl/sandbox/operators/mce"
	"github.com/hcctl/hcctl/sandbox/operators/metallb"
	"github.com/hcctl/hcctl/sandbox/operators/virtualization"
)

// All lists the simulated operators. Each lives only while its Deployment is Available; those without one always.
func All() []operator.Operator {
	return []operator.Operator{
		ingress.Operator(),
		localstorage.Operator(),
		datafoundation.Operator(),
		lvms.Operator("openshift-storage"),
		lvms.Operator("openshift-lvm-storage"),
		virtualization.Operator("openshift-cnv", "hco-operator"),
		virtualization.Operator("kubevirt-hyperconverged", "hco-operator"),
		virtualization.Operator("kubevirt-hyperconverged", "hyperconverged-cluster-operator"),
		metallb.Operator(),
		mce.Operator(),
		acm.Operator(),
	}
}
