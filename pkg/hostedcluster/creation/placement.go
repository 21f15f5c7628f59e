package creation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// PlacedPool is a pool whose worker VMs have to find places.
type PlacedPool struct {
	Name string
	// VMs is the largest number it may have.
	VMs          int
	NodeSelector map[string]string
	// Patch is its JSON patch of the VirtualMachines.
	Patch string
}

// PlacedPoolOf is a NodePool that exists.
func PlacedPoolOf(np *hyperv1.NodePool, most int) PlacedPool {
	p := PlacedPool{Name: np.Name, VMs: most, Patch: np.Annotations[hyperv1.JSONPatchAnnotation]}
	if kv := np.Spec.Platform.Kubevirt; kv != nil {
		p.NodeSelector = kv.NodeSelector
	}
	return p
}

// CountPlacement counts whether the worker VMs of these pools find places as their patches require. inside is the
// namespace of those that stand already; empty if there are none. asked is false, and nothing is read, if no patch
// requires anything. It fails with the error of a read, or if a patch cannot be read.
func CountPlacement(
	ctx context.Context, r kube.Reader, inside string, pools []PlacedPool,
) (count placement.Count, asked bool, err error) {
	written := make([]placement.Written, len(pools))
	var rules []placement.Rule
	var avoided []string
	for i, pool := range pools {
		if written[i], err = placement.Read(pool.Patch); err != nil {
			return count, false, fmt.Errorf("annotation %s of NodePool %s: %w", hyperv1.JSONPatchAnnotation, pool.Name, err)
		}
		for _, rule := range written[i].Rules {
			if !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
		avoided = append(avoided, written[i].Avoid...)
	}
	if len(rules)+len(avoided) == 0 {
		return count, false, nil
	}
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes); err != nil {
		return count, true, fmt.Errorf("nodes: %w", err)
	}
	taken := map[string]bool{}
	slices.Sort(avoided)
	for _, namespace := range slices.Compact(avoided) {
		on, err := standing(ctx, r, namespace)
		if err != nil {
			return count, true, err
		}
		for _, hosts := range on {
			for host := range hosts {
				taken[host] = true
			}
		}
	}
	on := map[string]map[string]int{}
	if inside != "" {
		if on, err = standing(ctx, r, inside); err != nil {
			return count, true, err
		}
	}
	var placed []placement.Pool
	for _, pool := range pools {
		placed = append(placed, placement.Pool{Name: pool.Name, VMs: pool.VMs, Standing: on[pool.Name]})
	}
	return placement.Place(hostsFor(nodes.Items, pools, written, taken), rules, placed), true, nil
}

// standing is how many worker VMs of each pool stand on each host.
func standing(ctx context.Context, r kube.Reader, namespace string) (map[string]map[string]int, error) {
	var list kubevirtv1.VirtualMachineInstanceList
	if err := r.List(ctx, &list, client.InNamespace(namespace)); err != nil && !kube.IsKindMissing(err) {
		return nil, fmt.Errorf("VirtualMachineInstances in namespace %s: %w", namespace, err)
	}
	on := map[string]map[string]int{}
	for i := range list.Items {
		pool, host := list.Items[i].Labels[hyperv1.NodePoolNameLabel], list.Items[i].Status.NodeName
		if pool == "" || host == "" {
			continue
		}
		if on[pool] == nil {
			on[pool] = map[string]int{}
		}
		on[pool][host]++
	}
	return on, nil
}

// CountPool counts whether a pool of this size finds places beside the cluster's other pools, and says in numbers why
// it does not; empty if it does, or if its patch requires nothing. It fails as CountPlacement does.
func CountPool(ctx context.Context, r kube.Reader, pool *hyperv1.NodePool, size hostedcluster.Size) (string, error) {
	one := PlacedPoolOf(pool, size.Max)
	if one.Patch == "" {
		return "", nil
	}
	return CountPools(ctx, r, pool.Namespace, pool.Spec.ClusterName, one)
}

// CountPools counts whether all pools of a cluster find places once these have their sizes; the others keep theirs. It
// says in numbers why they do not; empty if they do, or if nothing is required. It fails as CountPlacement does.
func CountPools(ctx context.Context, r kube.Reader, namespace, cluster string, changed ...PlacedPool) (string, error) {
	pools, err := hostedcluster.Pools(ctx, r, namespace, cluster)
	if err != nil {
		return "", err
	}
	var all []PlacedPool
	for i := range pools {
		if !slices.ContainsFunc(changed, func(p PlacedPool) bool { return p.Name == pools[i].Name }) {
			all = append(all, PlacedPoolOf(&pools[i], hostedcluster.SizeOf(&pools[i]).Max))
		}
	}
	count, _, err := CountPlacement(ctx, r, hostedcluster.ControlPlaneNamespace(namespace, cluster),
		append(all, changed...))
	return count.Impossible, err
}

// CountSurge counts whether one VM more than a pool has now finds a place, which an upgrade by replacing makes before
// it takes one away. It says in numbers why not; empty if it does, or if the pool needs none: it upgrades in place, may
// take one away first, waits for a user to delete VMs, or has none. It fails as CountPlacement does.
func CountSurge(ctx context.Context, r kube.Reader, pool *hyperv1.NodePool) (string, error) {
	now := hostedcluster.SizeOf(pool)
	if now.Auto {
		now.Max = max(now.Min, int(pool.Status.Replicas))
	}
	if now.Max == 0 || !surges(pool) {
		return "", nil
	}
	now.Max++
	return CountPool(ctx, r, pool, now)
}

// NotCounted is what a user is told where an error kept placing from being counted. It is empty, and the error
// counts, unless rights are missing: a change that is allowed needs no view of all hosts.
func NotCounted(err error) string {
	if err == nil || !kube.IsNotPermitted(err) {
		return ""
	}
	return "whether the worker VMs find places was not counted: " + kube.Explain(err)
}

// surges reports whether an upgrade of the pool makes a VM before it takes one away, as HyperShift's default does
// (maxUnavailable 0, maxSurge 1).
func surges(pool *hyperv1.NodePool) bool {
	m := pool.Spec.Management
	switch {
	case m.UpgradeType == hyperv1.UpgradeTypeInPlace,
		m.Replace != nil && m.Replace.Strategy == hyperv1.UpgradeStrategyOnDelete:
		return false
	case m.Replace == nil || m.Replace.RollingUpdate == nil || m.Replace.RollingUpdate.MaxUnavailable == nil:
		return true
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(m.Replace.RollingUpdate.MaxUnavailable,
		hostedcluster.SizeOf(pool).Max, false)
	return err != nil || n == 0
}

// growthFits fails if a pool that is there already finds no places for the VMs that it is to get.
func (p *Plan) growthFits(ctx context.Context, have, want *hyperv1.NodePool) error {
	to := hostedcluster.SizeOf(want)
	_, stopped := have.Annotations[hostedcluster.StoppedAnnotation]
	if stopped || to.Max <= hostedcluster.SizeOf(have).Max || p.Options.InfraNamespace != "" {
		return nil
	}
	impossible, err := CountPool(ctx, p.client, have, to)
	if err == nil && impossible != "" {
		err = fmt.Errorf("NodePool %s: %s", kube.Name(have), impossible)
	}
	return err
}

// schedulableLabel is KubeVirt's word on whether it places VMs on a node; their pods select it.
const schedulableLabel = "kubevirt.io/schedulable"

// hostsFor are the nodes that may run VMs of one of the pools.
func hostsFor(
	nodes []corev1.Node, pools []PlacedPool, written []placement.Written, taken map[string]bool,
) []placement.Host {
	var hosts []placement.Host
	for i := range nodes {
		n := &nodes[i]
		h := placement.Host{Name: n.Name, Labels: n.Labels, Pools: map[string]bool{}, Taken: taken[n.Name]}
		for k, pool := range pools {
			if takesVMs(n, pool.NodeSelector, written[k]) {
				h.Pools[pool.Name] = true
			}
		}
		if len(h.Pools) > 0 {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// takesVMs reports whether labels, taints and the VMs' node affinity let VMs of a pool run on the node.
func takesVMs(n *corev1.Node, selector map[string]string, w placement.Written) bool {
	return !n.Spec.Unschedulable && n.Labels[schedulableLabel] == "true" &&
		kube.MayRun(n, selector, w.Affinity, w.Tolerations)
}

// placed are the pools of the options.
func (p *Plan) placed() []PlacedPool {
	var pools []PlacedPool
	for _, pool := range p.Options.NodePools {
		pools = append(pools, PlacedPool{Name: pool.Name, VMs: int(pool.Replicas),
			NodeSelector: pool.VMNodeSelector, Patch: p.Options.VMPatch(pool, p.Inputs.InfraID)})
		if pool.MaxReplicas > 0 {
			pools[len(pools)-1].VMs = int(pool.MaxReplicas)
		}
	}
	return pools
}

// placesMatter reports whether the options require something of where VMs stand.
func (p *Plan) placesMatter() bool {
	return slices.ContainsFunc(p.placed(), func(pool PlacedPool) bool {
		w, err := placement.Read(pool.Patch)
		return err == nil && len(w.Rules)+len(w.Avoid) > 0
	})
}

// placesThere counts the places of the worker VMs.
func (p *Plan) placesThere(ctx context.Context, r kube.Reader) step.Finding {
	count, _, err := CountPlacement(ctx, r, "", p.placed())
	var unknown []string
	for _, c := range p.Options.Avoid {
		hc := &hyperv1.HostedCluster{}
		if err := r.Get(ctx, c, hc); apierrors.IsNotFound(err) {
			unknown = append(unknown, c.String())
		}
	}
	switch {
	case err != nil:
		return kube.Unknown(err).On("places of worker VMs")
	case count.Impossible != "":
		return step.Missing("%s", count.Impossible).On("Nodes").WithHint("fewer workers (%s), more hosts, or a weaker %s "+
			"(KEY=preferred, a larger max=N); the labels: oc "+
			"get nodes --show-labels", hint.Flag("node-pool-replicas"), hint.Flag("spread"))
	}
	words := count.Words
	if count.Tight {
		words += fmt.Sprintf("; no place for one more, which an upgrade by replacing makes: %s InPlace needs none",
			hint.Flag("node-upgrade-type"))
	}
	if len(unknown) > 0 {
		words += fmt.Sprintf("; %s to avoid not there yet: %s", plural.Count(len(unknown), "cluster"),
			strings.Join(unknown, ", "))
	}
	return step.OK("%s", words).On("Nodes")
}
