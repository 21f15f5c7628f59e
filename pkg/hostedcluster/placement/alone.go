package placement

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// Alone returns why no node can run even a single VM of the pool. Impossible is empty if a node can. Full is set if a
// node could if less were requested there.
func Alone(nodes []fit.Node, l Launcher, pool string, h Hypervisor) Count {
	if l.Wrong != "" {
		return Count{Impossible: fmt.Sprintf("the worker VMs of pool %s: %s", pool, l.Wrong),
			Next: hint.Run("create nodepool").Flag("help").Text()}
	}
	for _, name := range l.Devices.Names() {
		_, has := fit.Largest(allocatable(nodes), name)
		switch permitted := h.Permitted[string(name)]; {
		case has == 0 && !permitted:
			return noDevice("no node offers %s, and HyperConverged permits no such device", name)
		case has == 0:
			return noDevice("no node offers %s", name)
		case h.Permitted != nil && !permitted:
			return noDevice("HyperConverged permits no device %s", name)
		}
	}
	tally := fit.Count(nodes, l.Pod)
	if len(tally.Suitable) == 0 {
		// A cordon or an outage of a node is temporary.
		c := Count{Impossible: fmt.Sprintf("no node may run the worker VMs of pool %s", pool), Next: Opening(tally),
			Full: tally.Passing()}
		if why := tally.String(); why != "" {
			c.Impossible += ": " + why
		}
		return c
	}
	if len(tally.Taking) > 0 {
		return Count{}
	}
	return tooLarge(tally, l, pool)
}

func noDevice(format string, name corev1.ResourceName) Count {
	return Count{Impossible: fmt.Sprintf(format, name), Next: hint.New("oc get hyperconverged -A -o " +
		"jsonpath='{.items[*].spec.permittedHostDevices}' shows those that are permitted, oc get nodes -o " +
		"jsonpath='{.items[*].status.allocatable}' those that nodes offer")}
}

// Opening returns how to make a node available for pods, for the reason that excludes most nodes.
func Opening(t fit.Tally) hint.Text {
	if len(t.Cordoned) > 0 {
		return hint.New("oc adm uncordon %s", strings.Join(t.Cordoned, " "))
	}
	switch kind, detail := t.Most(); kind {
	case fit.Labels:
		if label, _, _ := strings.Cut(detail, "="); label == kubevirtv1.DeprecatedCPUManager {
			return hint.New("KubeVirt writes that label where the kubelet has a CPU manager: oc explain "+
				"kubeletconfig.spec.kubeletConfig, cpuManagerPolicy static; oc get nodes -L %s", label)
		} else if strings.Contains(label, "kubevirt.io/") || strings.HasPrefix(label, "kubernetes.io/") {
			return hint.New("the node itself writes that label: oc get nodes -L %s", label)
		}
		if strings.Contains(detail, "=") {
			return hint.New("oc label node NAME %s", detail)
		}
	case fit.Taint:
		return hint.New("%s %s, or oc describe nodes", hint.Flag("vm-toleration"), detail)
	}
	return hint.New("oc get nodes --show-labels")
}

// tooLarge returns the count for a VM that is larger than the free resources of each node.
func tooLarge(t fit.Tally, l Launcher, pool string) Count {
	c := Count{Full: true, Next: hint.New("smaller worker VMs (%s, %s), a larger node, or move other work off one: oc "+
		"adm top nodes", hint.Flag("memory"), hint.Flag("cores"))}
	left := ""
	if why := withoutShort(t); why != "" {
		left = "; " + why
	}
	for _, name := range l.Requests.Names() {
		need := l.Requests[name]
		node, free := fit.Largest(t.Suitable, name)
		_, has := fit.Largest(allocatable(t.Suitable), name)
		spare := "nothing"
		if free > 0 {
			spare = fit.Bare(name, free)
		}
		overhead := ""
		if name == corev1.ResourceMemory {
			overhead = " with KubeVirt's overhead"
		}
		switch {
		case need <= free:
			continue
		case has == 0:
			c.Full = false
			c.Impossible = fmt.Sprintf("no worker offers %s, and a VM of pool %s needs %s", name, pool, fit.Amount(name, need))
		case has < need:
			c.Full = false
			c.Impossible = fmt.Sprintf("a VM of pool %s needs %s%s: the largest worker has %s free of %s in all", pool,
				fit.Amount(name, need), overhead, spare, fit.Bare(name, has))
		default:
			c.Impossible = fmt.Sprintf("a VM of pool %s needs %s%s: the largest worker has %s free (%s)", pool,
				fit.Amount(name, need), overhead, spare, node)
		}
		c.Full = c.Full || t.Passing()
		c.Impossible += left
		return c
	}
	c.Impossible = fmt.Sprintf("no worker has all that a VM of pool %s needs at once: %s%s", pool,
		fit.Describe(l.Requests), left)
	return c
}

// withoutShort returns why nodes are left out for other reasons than a shortage.
func withoutShort(t fit.Tally) string { return t.Without(fit.Resource).String() }

// allocatable returns the nodes as if no pod ran on them.
func allocatable(nodes []fit.Node) []fit.Node {
	out := slices.Clone(nodes)
	for i := range out {
		out[i].Free = fit.Allocatable(out[i].Node)
	}
	return out
}
