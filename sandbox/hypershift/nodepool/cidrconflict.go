package nodepool

import (
	"fmt"
	"net"
	"net/netip"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// maxConflictMessage is the length at which the operator cuts the message of ClusterNetworkCIDRConflict.
const maxConflictMessage = 256

// describeNetwork writes ClusterNetworkCIDRConflict if addresses of machines are in the guest's cluster network. With
// multicluster-engine 2.11 a machine also has the address of OVN-Kubernetes' port on its node, which is in that network
// by design; some operators report it as a conflict.
func (p *pool) describeNetwork(hc *hyperv1.HostedCluster) {
	alarm := p.Faults.Active(fault.CIDRFalseAlarm)
	var conflicts []string
	for _, n := range hc.Spec.Networking.ClusterNetwork {
		for i := range p.machines {
			m := &p.machines[i]
			inside, outside := split(m.node, net.IPNet(n.CIDR))
			if alarm && m.node != nil {
				inside = append(inside, managementPort(net.IPNet(n.CIDR), i))
			}
			if len(outside) > 0 && !alarm {
				continue // the fixed operator: these addresses belong to the network
			}
			for _, address := range inside {
				conflicts = append(conflicts, msgCIDRConflict(m.vm.Name, address, n.CIDR.String()))
			}
		}
	}
	if len(conflicts) == 0 {
		dropPool(p.np, hyperv1.NodePoolClusterNetworkCIDRConflictType)
		return
	}
	setPool(p.np, status.Condition{
		Kind: hyperv1.NodePoolClusterNetworkCIDRConflictType, Status: "True", Reason: hyperv1.InvalidConfigurationReason,
		Message: joinConflicts(conflicts),
	})
}

// split splits a node's own addresses into those inside and outside a network.
func split(node *corev1.Node, network net.IPNet) (inside, outside []string) {
	if node == nil {
		return nil, nil
	}
	for _, a := range node.Status.Addresses {
		ip := net.ParseIP(a.Address)
		if a.Type != corev1.NodeInternalIP || ip == nil || ip.IsLinkLocalUnicast() {
			continue
		}
		if network.Contains(ip) {
			inside = append(inside, a.Address)
		} else {
			outside = append(outside, a.Address)
		}
	}
	return inside, outside
}

// managementPort returns the address of ovn-k8s-mp0 on the n-th node: the second of its own /23.
func managementPort(network net.IPNet, n int) string {
	first, ok := netip.AddrFromSlice(network.IP.To4())
	if !ok {
		return network.IP.String()
	}
	a := first.As4()
	subnet := int(a[1])<<8 | int(a[2]) + 2*n
	return netip.AddrFrom4([4]byte{a[0], byte(subnet >> 8), byte(subnet), 2}).String()
}

// Source: the operator's own message and limit.
func msgCIDRConflict(machine, address, network string) string {
	return fmt.Sprintf("machine [%s] with ip [%s] collides with cluster-network cidr [%s]", machine, address, network)
}

func joinConflicts(conflicts []string) string {
	message := ""
	for _, c := range conflicts {
		switch {
		case message == "":
			message = c
		case len(c)+len(message) < maxConflictMessage:
			message += ", " + c
		default:
			message += ", too many similar errors..."
		}
	}
	return message
}
