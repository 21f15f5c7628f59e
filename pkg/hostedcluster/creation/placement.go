package creation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// PlacedPool is a pool whose worker VMs need room on nodes.
type PlacedPool struct {
	*hyperv1.NodePool
	// VMs is the maximum number of VMs, MinVMs the initial number.
	VMs, MinVMs int
	// ClusterPatch is the HostedCluster's JSON patch of the VirtualMachines.
	ClusterPatch string
	// unchanged means that the pool is not changed.
	unchanged bool
}

// PlacedPoolOf returns a NodePool with the given size.
func PlacedPoolOf(np *hyperv1.NodePool, size hostedcluster.Size) PlacedPool {
	return PlacedPool{NodePool: np, VMs: size.Max, MinVMs: size.Min}
}

// patch returns the pool's own JSON patch of the VirtualMachines.
func (p PlacedPool) patch() string { return p.Annotations[hyperv1.JSONPatchAnnotation] }

// runningVMs returns the number of worker VMs of each pool on each host.
func runningVMs(ctx context.Context, r kube.Reader, namespace string) (map[string]map[string]int, error) {
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

// CountPool simulates the placement of a pool with this size beside the cluster's other pools. It fails as CountPools
// does.
func CountPool(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, pool *hyperv1.NodePool,
	size hostedcluster.Size) (placement.Count, error) {
	return CountPools(ctx, r, hc, PlacedPoolOf(pool, size))
}

// CountPools simulates the placement of all pools of a cluster with new sizes for the changed ones. It respects the
// rules in their patches, the nodes that accept them, the free resources, and the room that is promised to others. The
// nodes are those of the cluster that runs the VMs. It fails with the error of a read, if a patch cannot be parsed, or
// with *infrastructure.NotReachedError.
func CountPools(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, changed ...PlacedPool) (placement.Count,
	error) {
	pools, err := hostedcluster.Pools(ctx, r, hc.Namespace, hc.Name)
	if err != nil {
		return placement.Count{}, err
	}
	site, err := infrastructure.SiteOf(ctx, r, hc)
	if err != nil {
		return placement.Count{}, err
	}
	var all []PlacedPool
	for i := range pools {
		if !slices.ContainsFunc(changed, func(p PlacedPool) bool { return p.Name == pools[i].Name }) {
			other := PlacedPoolOf(&pools[i], hostedcluster.SizeOf(&pools[i]))
			other.unchanged = true
			all = append(all, other)
		}
	}
	all = append(all, changed...)
	for i := range all {
		all[i].ClusterPatch = hc.Annotations[hyperv1.JSONPatchAnnotation]
	}
	return siteCount(ctx, site, all)
}

// CountSurge simulates the placement of one additional VM, which a replacing upgrade creates before it removes one.
// Some pools need none: they upgrade in place, may remove a VM first, wait until a user deletes VMs, or have no VMs. It
// fails as CountPools does.
func CountSurge(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, pool *hyperv1.NodePool) (placement.Count,
	error) {
	now := hostedcluster.SizeOf(pool)
	if now.Auto {
		now.Max = max(now.Min, int(pool.Status.Replicas))
	}
	if now.Max == 0 || !surges(pool) {
		return placement.Count{}, nil
	}
	now.Max++
	now.Min = now.Max
	return CountPool(ctx, r, hc, pool, now)
}

// CountReplacement simulates the placement of a changed pool's VMs: as CountSurge, or, if no VM is created before one
// is removed, whether a node accepts one of them.
func CountReplacement(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, pool *hyperv1.NodePool) (
	placement.Count, error) {
	if surges(pool) {
		return CountSurge(ctx, r, hc, pool)
	}
	return CountPool(ctx, r, hc, pool, hostedcluster.SizeOf(pool))
}

// NotCounted returns the note for a user if an error prevented the count. It is empty, so that the error counts, unless
// rights are missing or the VMs' cluster cannot be read: an allowed change does not need to see all hosts.
func NotCounted(err error) string {
	if away := (*infrastructure.NotReachedError)(nil); err == nil || !kube.IsNotPermitted(err) && !errors.As(err, &away) {
		return ""
	}
	return "whether the worker VMs find places was not counted: " + kube.Explain(err)
}

// surges reports whether an upgrade of the pool creates a VM before it removes one, as HyperShift's default does
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

// checkGrowth fails if there is no room for the additional VMs of an existing pool.
func (p *Plan) checkGrowth(ctx context.Context, have, want *hyperv1.NodePool) error {
	to := hostedcluster.SizeOf(want)
	_, stopped := have.Annotations[hostedcluster.StoppedAnnotation]
	if stopped || to.Max <= hostedcluster.SizeOf(have).Max {
		return nil
	}
	count, err := CountPool(ctx, p.client, objects.TypedHostedCluster(p.Options, p.Inputs), have, to)
	if p.externalInfra() && NotCounted(err) != "" {
		return nil
	}
	if err == nil && count.Impossible != "" {
		err = fmt.Errorf("NodePool %s: %s", kube.Name(have), count.Impossible)
	}
	return err
}

// placed returns the pools of the options, if their VMs run on this cluster.
func (p *Plan) placed() []PlacedPool {
	if p.externalInfra() {
		return nil
	}
	return p.vms()
}

// vms returns the pools of the options.
func (p *Plan) vms() []PlacedPool {
	var pools []PlacedPool
	for _, pool := range p.Options.NodePools {
		np := objects.PatchedNodePool(p.Options, pool, p.Inputs)
		one := PlacedPoolOf(np, hostedcluster.SizeOf(np))
		one.ClusterPatch = p.Options.Annotations[hyperv1.JSONPatchAnnotation]
		pools = append(pools, one)
	}
	return pools
}

// WorkerSizes returns the cores and the memory in bytes of a worker VM for each pool, with its patches.
func (p *Plan) WorkerSizes() (cores, memory []int64) {
	for _, pool := range p.Options.NodePools {
		c, m, err := placement.SizeOf(objects.PatchedNodePool(p.Options, pool, p.Inputs),
			p.Options.Annotations[hyperv1.JSONPatchAnnotation])
		if err != nil { // checkPlacement reports it
			c, m = int64(pool.Cores), pool.Memory.Value()
		}
		cores, memory = append(cores, c), append(memory, m)
	}
	return cores, memory
}

// checkPlacement simulates the placement of the control plane and the worker VMs.
func (p *Plan) checkPlacement(ctx context.Context, r kube.Reader) step.Finding {
	d := demand{pools: p.placed(), plane: p.plane()}
	if p.adopted != nil {
		d.adopts = p.controlPlane()
	}
	err := d.read()
	var count placement.Count
	if err == nil {
		count, err = d.count(ctx, r)
	}
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
	case count.Impossible != "" && !count.Next.IsZero():
		f := step.Missing("%s", count.Impossible)
		if !count.Full {
			f = final(f)
		}
		return f.On("Nodes").WithHint("%s", count.Next)
	case count.Impossible != "":
		return final(step.Missing("%s", count.Impossible)).On("Nodes").WithHint("fewer workers (%s), more hosts, or a "+
			"weaker %s (KEY=preferred, a larger max=N); the labels: oc "+
			"get nodes --show-labels", hint.Flag("node-pool-replicas"), hint.Flag("spread"))
	}
	words := count.Words
	if p.externalInfra() {
		there, err := p.countOnInfra(ctx, r)
		switch {
		case err != nil: // checkInfraNodes reports it
			return step.OK("%s; nothing is known of the worker VMs", words).On("Nodes")
		case there.Impossible != "":
			return step.Missing("%s", there.Impossible).On("Nodes").WithHint("fewer or smaller workers (%s, %s), or more nodes "+
				"there", hint.Flag("node-pool-replicas"), hint.Flag("memory"))
		}
		words += "; the worker VMs on the infrastructure cluster: " + there.Words
	}
	if count.Tight && slices.ContainsFunc(d.pools, func(pool PlacedPool) bool { return surges(pool.NodePool) }) {
		words += fmt.Sprintf("; no place for one more, which an upgrade by replacing makes: %s InPlace needs none",
			hint.Flag("node-upgrade-type"))
	}
	if len(unknown) > 0 {
		words += fmt.Sprintf("; %s to avoid not there yet: %s", plural.Count(len(unknown), "cluster"),
			strings.Join(unknown, ", "))
	}
	return step.OK("%s", words).On("Nodes")
}

// final marks a finding as final: freed resources of others do not change it.
func final(f step.Finding) step.Finding {
	f.Final = true
	return f
}
