package creation

import (
	"context"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// expectedPod is a pod that an existing object will get.
type expectedPod struct {
	fit.Pod
	owner string
}

// expectedPods returns the pods that other objects will get and that have no node yet: unscheduled pods, new control
// planes, and the missing VMs of pools.
func (d *demand) expectedPods(ctx context.Context, r kube.Reader, usage *fit.Usage,
	h placement.Hypervisor) ([]expectedPod, error) {
	out := slices.Clone(d.earlier)
	for _, w := range usage.Waiting {
		if (w.Namespace != d.namespace || !d.hasRules()) && d.hasPriority(w.Created, "") {
			out = append(out, expectedPod{w.Pod, "namespace " + w.Namespace})
		}
	}
	var pools hyperv1.NodePoolList
	clusters, err := kube.HostedClusters(ctx, r)
	if err == nil {
		err = r.List(ctx, &pools)
	}
	if err != nil {
		if kube.IsNotPermitted(err) || kube.IsKindMissing(err) {
			return out, nil
		}
		return nil, fmt.Errorf("HostedClusters and NodePools: %w", err)
	}
	patches := map[types.NamespacedName]string{}
	for _, hc := range clusters {
		patches[hc.NamespacedName] = hc.VMPatch
		_, runs := usage.Namespaces[hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name)]
		own := d.self != nil && hc.String() == kube.Name(d.self)
		if runs || own || !hc.Begins || !d.hasPriority(hc.Created, hc.String()) {
			continue
		}
		all, copies := fit.ControlPlane(hc.HighlyAvailable)
		for range copies {
			out = append(out, expectedPod{fit.Pod{Requests: all.Part(copies)}, "HostedCluster " + hc.String()})
		}
	}
	for i := range pools.Items {
		np := &pools.Items[i]
		namespace := hostedcluster.ControlPlaneNamespace(np.Namespace, np.Spec.ClusterName)
		there := max(usage.Launchers[types.NamespacedName{Namespace: namespace, Name: np.Name}], int(np.Status.Replicas))
		missing := hostedcluster.SizeOf(np).Min - there
		if missing <= 0 || np.DeletionTimestamp != nil || d.owns(np) || !hostedcluster.PlatformOfPool(np).HasVMs() ||
			!d.hasPriority(np.CreationTimestamp.Time, np.Namespace+"/"+np.Spec.ClusterName) {
			continue
		}
		of := types.NamespacedName{Namespace: np.Namespace, Name: np.Spec.ClusterName}
		l, err := placement.LauncherOf(np, patches[of], h)
		if err != nil {
			continue // HyperShift creates no VMs for it either
		}
		for range missing {
			out = append(out, expectedPod{l.Pod, "NodePool " + kube.Name(np)})
		}
	}
	return out, nil
}

// owns reports whether the pool is one of those to be placed.
func (d *demand) owns(np *hyperv1.NodePool) bool {
	return slices.ContainsFunc(d.pools, func(p PlacedPool) bool {
		return !p.unchanged && p.Name == np.Name && p.Namespace == np.Namespace
	})
}

// reserve reserves the promised resources, each on the suitable node with the most free memory, and returns the number
// of reserved pods by owner. A pod without a suitable node reserves nothing.
func reserve(nodes []fit.Node, promised []expectedPod) map[string]int {
	taken := map[string]int{}
	for _, p := range promised {
		if n := emptiest(nodes, p.Pod, nil); n != nil {
			n.Free = n.Free.Minus(p.Requests)
			taken[p.owner]++
		}
	}
	return taken
}

// emptiest returns the suitable node for a pod with the most free memory, except the nodes in but; nil if there is
// none.
func emptiest(nodes []fit.Node, p fit.Pod, excluded map[string]bool) *fit.Node {
	var best *fit.Node
	for i := range nodes {
		n := &nodes[i]
		if !excluded[n.Name] && n.Refuses(p).Kind == fit.Takes && (best == nil ||
			n.Free[corev1.ResourceMemory] > best.Free[corev1.ResourceMemory]) {
			best = n
		}
	}
	return best
}

// reservedText describes the owners of the reserved pods.
func reservedText(taken map[string]int) string {
	var of []string
	n := 0
	for name, k := range taken {
		of, n = append(of, name), n+k
	}
	if n == 0 {
		return ""
	}
	slices.Sort(of)
	return fmt.Sprintf("; counted with %s that %s to come first (%s)", plural.Count(n, "pod"),
		map[bool]string{true: "is", false: "are"}[n == 1], plural.Few(of, 3))
}
