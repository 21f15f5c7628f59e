package creation

import (
	"context"
	"fmt"
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// demand has the pods and VMs that need room on the nodes of the management cluster.
type demand struct {
	// namespace is the control plane namespace with existing VMs; empty for a new cluster.
	namespace string
	pools     []PlacedPool
	// adopts is the namespace that a new control plane adopts, with its quotas; empty for none.
	adopts string
	// plane describes the replicas of a new control plane; nil for none.
	plane *plane
	// self is an existing HostedCluster whose whole demand is counted as if none of it ran; younger clusters come after
	// it. If it is nil, everything that exists comes first.
	self *hyperv1.HostedCluster
	// earlier lists pods that come first and do not exist yet.
	earlier []expectedPod

	written []placement.Written
	rules   []placement.Rule
	avoided []string
}

// plane describes the pods of a control plane: no two copies share a node.
type plane struct {
	fit.Pod
	copies int
}

// read parses the patches of the pools.
func (d *demand) read() error {
	d.written = make([]placement.Written, len(d.pools))
	for i, pool := range d.pools {
		var err error
		if d.written[i], err = placement.Read(pool.patch()); err != nil {
			return fmt.Errorf("annotation %s of NodePool %s: %w", hyperv1.JSONPatchAnnotation, pool.Name, err)
		}
		for _, rule := range d.written[i].Rules {
			if !slices.Contains(d.rules, rule) {
				d.rules = append(d.rules, rule)
			}
		}
		d.avoided = append(d.avoided, d.written[i].Avoid...)
	}
	slices.Sort(d.avoided)
	d.avoided = slices.Compact(d.avoided)
	return nil
}

// count simulates the placement: each VM on empty nodes, then what the rules require, then all together by first fit,
// with the room that is promised to others.
func (d *demand) count(ctx context.Context, r kube.Reader) (placement.Count, error) {
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes); err != nil {
		return placement.Count{}, fmt.Errorf("nodes: %w", err)
	}
	usage, err := fit.ReadUsage(ctx, r, d.ownNamespace())
	if err != nil {
		if !d.hasRules() || !kube.IsNotPermitted(err) && !kube.IsKindMissing(err) {
			return placement.Count{}, fmt.Errorf("pods: %w", err)
		}
		usage = nil
	}
	hypervisor, err := readHypervisor(ctx, r)
	if err != nil {
		return placement.Count{}, err
	}
	free := (&fit.Usage{}).Free(nodes.Items)
	if usage != nil {
		free = usage.Free(nodes.Items)
	}
	launchers := make([]placement.Launcher, len(d.pools))
	for i, pool := range d.pools {
		if launchers[i], err = placement.LauncherOf(pool.NodePool, pool.ClusterPatch, hypervisor); err != nil {
			return placement.Count{}, fmt.Errorf("annotation %s of NodePool %s: %w", hyperv1.JSONPatchAnnotation, pool.Name,
				err)
		}
		if pool.VMs == 0 || pool.unchanged {
			continue
		}
		if c := placement.Alone(free, launchers[i], pool.Name, hypervisor); c.Impossible != "" && (usage != nil || !c.Full) &&
			!d.allRunning(usage, pool, c) {
			return c, nil
		}
	}
	hosts, on, err := d.hosts(ctx, r, free, launchers, usage)
	if err != nil {
		return placement.Count{}, err
	}
	c := placement.Place(withoutFree(hosts), d.rules, d.placePools(launchers, on, hosts, false))
	if c.Impossible != "" || usage == nil {
		return c, nil
	}
	if c, err := d.withinQuotas(ctx, r, launchers, usage); err != nil || c.Impossible != "" {
		return c, err
	}
	promised, err := d.expectedPods(ctx, r, usage, hypervisor)
	if err != nil {
		return placement.Count{}, err
	}
	taken := reserve(free, promised)
	if c := d.placePlane(free, taken); c.Impossible != "" {
		return c, nil
	}
	for i := range hosts {
		hosts[i].Free = freeOf(free, hosts[i].Name)
	}
	if all := placement.Place(hosts, d.rules, d.placePools(launchers, on, hosts, true)); all.Impossible != "" {
		all.Impossible += reservedText(taken)
		all.Next = hint.New("fewer or smaller workers (%s, %s), or more nodes; %s lists what there is",
			hint.Flag("replicas"), hint.Flag("memory"), hint.Run("check").Flag("only", "cluster/capacity"))
		return all, nil
	}
	return c, nil
}

// ownNamespace returns the control plane namespace of the existing HostedCluster; empty without one.
func (d *demand) ownNamespace() string {
	if d.self == nil {
		return ""
	}
	return hostedcluster.ControlPlaneNamespace(d.self.Namespace, d.self.Name)
}

// hasPriority reports whether an object of HostedCluster name, created at made, has priority over the own cluster.
func (d *demand) hasPriority(made time.Time, name string) bool {
	if d.self == nil {
		return true
	}
	if own := d.self.CreationTimestamp.Time; !made.Equal(own) {
		return made.Before(own)
	}
	return name < kube.Name(d.self)
}

// allRunning reports whether all VMs of the pool already run, so that it needs no room.
func (d *demand) allRunning(usage *fit.Usage, pool PlacedPool, c placement.Count) bool {
	there := usage.Launchers[types.NamespacedName{Namespace: d.namespace, Name: pool.Name}]
	return c.Full && d.namespace != "" && there >= pool.MinVMs
}

// readHypervisor reads the settings by which KubeVirt turns VMs into pods.
func readHypervisor(ctx context.Context, r kube.Reader) (placement.Hypervisor, error) {
	all, err := kube.ListStored(ctx, r, kube.HyperConverged)
	switch {
	case err != nil && !kube.IsNotPermitted(err):
		return placement.Hypervisor{}, fmt.Errorf("HyperConvergeds: %w", err)
	case len(all) == 0:
		return placement.HypervisorOf(nil), nil
	}
	return placement.HypervisorOf(&all[0]), nil
}

// hosts returns the nodes that may run VMs of one of the pools, and the number of VMs of each pool on each node.
func (d *demand) hosts(ctx context.Context, r kube.Reader, nodes []fit.Node, launchers []placement.Launcher,
	usage *fit.Usage) (hosts []placement.Host, on map[string]map[string]int, err error) {
	taken := map[string]bool{}
	for _, namespace := range d.avoided {
		others, err := runningVMs(ctx, r, namespace)
		if err != nil {
			return nil, nil, err
		}
		for _, names := range others {
			for host := range names {
				taken[host] = true
			}
		}
	}
	switch {
	case d.hasRules():
		if d.namespace == "" {
			break
		}
		if on, err = runningVMs(ctx, r, d.namespace); err != nil {
			return nil, nil, err
		}
	default:
		on = map[string]map[string]int{}
		for _, pool := range d.pools {
			on[pool.Name] = map[string]int{"": usage.Launchers[types.NamespacedName{Namespace: d.namespace, Name: pool.Name}]}
		}
	}
	for _, n := range nodes {
		h := placement.Host{Name: n.Name, Labels: n.Labels, Pools: map[string]bool{}, Taken: taken[n.Name]}
		for k, pool := range d.pools {
			if kind := n.Refuses(launchers[k].Pod).Kind; kind == fit.Takes || kind == fit.Resource {
				h.Pools[pool.Name] = true
			}
		}
		if len(h.Pools) > 0 {
			hosts = append(hosts, h)
		}
	}
	return hosts, on, nil
}

// hasRules reports whether the placement depends on the nodes of running VMs.
func (d *demand) hasRules() bool { return len(d.rules)+len(d.avoided) > 0 }

// withoutFree returns the hosts without their free resources.
func withoutFree(hosts []placement.Host) []placement.Host {
	out := slices.Clone(hosts)
	for i := range out {
		out[i].Free = nil
	}
	return out
}

// placePools returns the pools with their maximum sizes, or, if counted, with their initial sizes and the requests of
// their VMs. An unchanged pool that no node accepts keeps its running VMs.
func (d *demand) placePools(launchers []placement.Launcher, on map[string]map[string]int, hosts []placement.Host,
	counted bool) []placement.Pool {
	var out []placement.Pool
	for i, pool := range d.pools {
		one := placement.Pool{Name: pool.Name, VMs: pool.VMs, Standing: on[pool.Name]}
		if counted {
			one.VMs, one.Needs = pool.MinVMs, launchers[i].Requests
		}
		taken := slices.ContainsFunc(hosts, func(h placement.Host) bool { return h.Pools[pool.Name] })
		if pool.unchanged && (counted || !taken) {
			one.VMs = 0 // its missing VMs are among the promised pods
		}
		out = append(out, one)
	}
	return out
}

// freeOf returns the free resources of a node; nil if it does not report its resources.
func freeOf(nodes []fit.Node, name string) fit.Resources {
	for _, n := range nodes {
		if n.Name == name && len(n.Status.Allocatable) > 0 {
			return n.Free
		}
	}
	return nil
}

// placePlane places the copies of the control plane on different nodes.
func (d *demand) placePlane(nodes []fit.Node, taken map[string]int) placement.Count {
	if d.plane == nil {
		return placement.Count{}
	}
	used := map[string]bool{}
	for len(used) < d.plane.copies {
		n := emptiest(nodes, d.plane.Pod, used)
		if n == nil {
			break
		}
		n.Free, used[n.Name] = n.Free.Minus(d.plane.Requests), true
	}
	if len(used) == d.plane.copies {
		return placement.Count{}
	}
	tally := fit.Count(nodes, d.plane.Pod)
	why := ""
	if tally.String() != "" {
		why = ": " + tally.String()
	}
	enough := len(tally.Suitable) >= d.plane.copies
	c := placement.Count{Full: enough || tally.Passing(), Next: placement.Opening(tally)}
	if !enough {
		c.Impossible = fmt.Sprintf("the control plane needs %s, no two of its pods of a kind on one, and %d may run it%s",
			plural.Count(d.plane.copies, "node"), len(tally.Suitable), why)
		return c
	}
	c.Next = hint.New("more nodes, or less on them: oc adm top nodes; a control plane of a single replica takes a third: "+
		"%s SingleReplica", hint.Flag("control-plane-availability-policy"))
	c.Impossible = fmt.Sprintf("the control plane needs about %s on each of %s, and %d likely have that free%s%s",
		fit.Describe(d.plane.Requests), plural.Count(d.plane.copies, "node"), len(used), why, reservedText(taken))
	return c
}
