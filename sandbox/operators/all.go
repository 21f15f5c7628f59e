// Package operators lists the simulated operators. Each one writes what the real operator writes, in its order and with
// its messages, at the sandbox's speed.
//
// They follow the vendors' documents, the operators' source, and API types. They do not know hcctl. A comment
// says what is assumed or made up, and why.
//
// A new operator is a package with a function Operator, and a line in All. internal/framework has their shared code.
package operators

import (
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/acm"
	"github.com/hcctl/hcctl/sandbox/operators/datafoundation"
	"github.com/hcctl/hcctl/sandbox/operators/gitops"
	"github.com/hcctl/hcctl/sandbox/operators/hostpath"
	"github.com/hcctl/hcctl/sandbox/operators/ingress"
	"github.com/hcctl/hcctl/sandbox/operators/localstorage"
	"github.com/hcctl/hcctl/sandbox/operators/lvms"
	"github.com/hcctl/hcctl/sandbox/operators/machineconfig"
	"github.com/hcctl/hcctl/sandbox/operators/mce"
	"github.com/hcctl/hcctl/sandbox/operators/metallb"
	"github.com/hcctl/hcctl/sandbox/operators/network"
	"github.com/hcctl/hcctl/sandbox/operators/virtualization"
)

// All lists the simulated operators. One with a Deployment runs only while that is Available.
func All() []operator.Operator {
	return []operator.Operator{
		ingress.Operator(),
		network.Operator(),
		machineconfig.Operator(),
		localstorage.Operator(),
		datafoundation.Operator(),
		datafoundation.Client(),
		datafoundation.Scaler(),
		lvms.Operator("openshift-storage"),
		lvms.Operator("openshift-lvm-storage"),
		virtualization.Operator("openshift-cnv", "hco-operator"),
		virtualization.Operator("kubevirt-hyperconverged", "hco-operator"),
		virtualization.Operator("kubevirt-hyperconverged", "hyperconverged-cluster-operator"),
		hostpath.Operator("openshift-cnv"),
		hostpath.Operator("kubevirt-hyperconverged"),
		metallb.Operator(),
		mce.Operator(),
		acm.Operator(),
		gitops.Operator(),
	}
}
