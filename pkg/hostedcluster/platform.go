package hostedcluster

import (
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Platform is what the machines of a hosted cluster are, and whether hcctl can look at them. Every command asks it
// before it counts VMs or waits for them. The zero value is KubeVirt with VMs on the management cluster.
type Platform struct {
	// Type is the platform as HyperShift calls it.
	Type hyperv1.PlatformType
	// elsewhere is whether the VMs run on another cluster than the control plane.
	elsewhere bool
}

// PlatformOf is the platform of a hosted cluster.
func PlatformOf(hc *hyperv1.HostedCluster) Platform {
	p := hc.Spec.Platform
	return Platform{Type: p.Type, elsewhere: p.Kubevirt != nil && p.Kubevirt.Credentials != nil}
}

// PlatformOfPool is the platform of a NodePool.
func PlatformOfPool(np *hyperv1.NodePool) Platform { return Platform{Type: np.Spec.Platform.Type} }

// KubeVirt reports whether the machines are VMs of KubeVirt, on whichever cluster.
func (p Platform) KubeVirt() bool { return p.Type == "" || p.Type == hyperv1.KubevirtPlatform }

// Elsewhere reports whether the machines are VMs of KubeVirt on another cluster, which pkg/hostedcluster/infrastructure
// reaches.
func (p Platform) Elsewhere() bool { return p.KubeVirt() && p.elsewhere }

// Reached is the platform where that other cluster has been asked, so that its VMs are judged.
func (p Platform) Reached() Platform {
	p.elsewhere = false
	return p
}

// HasVMs reports whether the machines are VMs on the management cluster, which hcctl judges.
func (p Platform) HasVMs() bool { return p.NotJudged() == "" }

// MakesNodes reports whether HyperShift makes the nodes of NodePools, and counts them. On platform None people do, and
// a NodePool reports none (hypershift-operator, nodepool_controller.go, isAutomatedMachineManagement, 4.12 to 4.23).
func (p Platform) MakesNodes() bool { return p.Type != hyperv1.NonePlatform }

// NotJudged says why the machines are not judged; empty where they are.
func (p Platform) NotJudged() string {
	switch {
	case !p.KubeVirt():
		return fmt.Sprintf("platform %s: its machines are not judged", p.Type)
	case p.elsewhere:
		return "its VMs run on another cluster: they are not judged"
	}
	return ""
}

// CheckVMs returns an error for a hosted cluster whose machines are no VMs of KubeVirt.
func CheckVMs(hc *hyperv1.HostedCluster) error {
	if p := PlatformOf(hc); !p.KubeVirt() {
		return fmt.Errorf("hosted cluster %s is of platform %s: it has no worker VMs, and hcctl looks at no other machines",
			kube.Name(hc), p.Type)
	}
	return nil
}

// CheckSizes returns an error for a hosted cluster whose NodePools have a size that changes nothing.
func CheckSizes(hc *hyperv1.HostedCluster) error {
	if p := PlatformOf(hc); !p.MakesNodes() {
		return fmt.Errorf("HostedCluster %s is on platform %s: HyperShift makes no machines for its NodePools, so that "+
			"their size changes nothing", kube.Name(hc), p.Type)
	}
	return nil
}
