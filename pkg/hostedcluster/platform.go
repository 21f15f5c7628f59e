package hostedcluster

import (
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Platform is the platform of a hosted cluster's machines. Commands check it before they count VMs or wait for them.
// The zero value is KubeVirt with VMs on the management cluster.
type Platform struct {
	// Type is HyperShift's name of the platform.
	Type hyperv1.PlatformType
	// elsewhere is true if the VMs run on another cluster than the control plane.
	elsewhere bool
}

// PlatformOf returns the platform of a hosted cluster.
func PlatformOf(hc *hyperv1.HostedCluster) Platform {
	p := hc.Spec.Platform
	return Platform{Type: p.Type, elsewhere: p.Kubevirt != nil && p.Kubevirt.Credentials != nil}
}

// PlatformOfPool returns the platform of a NodePool. It does not know whether the VMs run on another cluster.
func PlatformOfPool(np *hyperv1.NodePool) Platform { return Platform{Type: np.Spec.Platform.Type} }

// KubeVirt reports whether the machines are KubeVirt VMs, on any cluster.
func (p Platform) KubeVirt() bool { return p.Type == "" || p.Type == hyperv1.KubevirtPlatform }

// Elsewhere reports whether the machines are KubeVirt VMs on another cluster, which pkg/hostedcluster/infrastructure
// reads.
func (p Platform) Elsewhere() bool { return p.KubeVirt() && p.elsewhere }

// Reached returns the platform for the case that the other cluster was read, so that its VMs are judged.
func (p Platform) Reached() Platform {
	p.elsewhere = false
	return p
}

// HasVMs reports whether the machines are KubeVirt VMs that hcctl can judge.
func (p Platform) HasVMs() bool { return p.NotJudged() == "" }

// MakesNodes reports whether HyperShift creates the nodes of NodePools and counts them. On platform None users create
// the nodes, and a NodePool reports none (hypershift-operator, nodepool_controller.go, isAutomatedMachineManagement,
// 4.12 to 4.23).
func (p Platform) MakesNodes() bool { return p.Type != hyperv1.NonePlatform }

// NotJudged returns why the machines are not judged; empty if they are.
func (p Platform) NotJudged() string {
	switch {
	case !p.KubeVirt():
		return fmt.Sprintf("platform %s: its machines are not judged", p.Type)
	case p.elsewhere:
		return "its VMs run on another cluster: they are not judged"
	}
	return ""
}

// CheckVMs returns an error for a hosted cluster whose machines are not KubeVirt VMs.
func CheckVMs(hc *hyperv1.HostedCluster) error {
	if p := PlatformOf(hc); !p.KubeVirt() {
		return fmt.Errorf("hosted cluster %s is of platform %s: it has no worker VMs, and hcctl looks at no other machines",
			kube.Name(hc), p.Type)
	}
	return nil
}

// CheckSizes returns an error for a hosted cluster on which the size of a NodePool has no effect.
func CheckSizes(hc *hyperv1.HostedCluster) error {
	if p := PlatformOf(hc); !p.MakesNodes() {
		return fmt.Errorf("HostedCluster %s is on platform %s: HyperShift makes no machines for its NodePools, so that "+
			"their size changes nothing", kube.Name(hc), p.Type)
	}
	return nil
}
