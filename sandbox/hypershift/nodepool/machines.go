package nodepool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/clusterapi"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

// pool is the state of a NodePool's machines in one reconcile.
type pool struct {
	*nodePools
	np        *hyperv1.NodePool
	namespace string
	// vms reads and writes VMs in vmNamespace: of this cluster, unless the HostedCluster has them on another.
	vms         client.Client
	vmNamespace string
	guest       guest.State
	// ownPlugIn is set where the cluster has networkType Other: its nodes wait for a network plug-in of its own. plugged
	// are the nodes that have it.
	ownPlugIn bool
	plugged   map[string]bool
	// patch is the JSON patch of machines in the HostedCluster's annotation; that of the pool follows it.
	patch    string
	machines []machine
	// orphans are nodes of this pool without a machine.
	orphans []corev1.Node
	// released are Machines of Cluster API whose VirtualMachine is gone.
	released []string
}

// machine is a VirtualMachine and its node, if it has one.
type machine struct {
	vm   kubevirtv1.VirtualMachine
	node *corev1.Node
	// deleted reports whether its Machine is being deleted, by the pool or by a user.
	deleted bool
	// keepsPods is set where its Machine excludes the node from being drained.
	keepsPods bool
	// reason and message tell why it is not ready.
	reason, message string
}

func (m *machine) leaving() bool { return m.deleted || !m.vm.DeletionTimestamp.IsZero() }
func (m *machine) ready() bool   { return m.vm.Status.Ready }
func (m *machine) healthy() bool { return m.node != nil && guest.NodeReady(m.node) }

// matches reports whether the machine was made from the template with this hash.
func (m *machine) matches(hash string) bool { return m.vm.Labels[machineHashLabel] == hash }

const (
	machineHashLabel = clusterapi.TemplateHashLabel
	// machineVersionAnnotation is the release that a machine boots, which its real token Secret selects.
	machineVersionAnnotation = "sandbox.hcctl.dev/release-version"
)

func (r *nodePools) poolOf(np *hyperv1.NodePool) *pool {
	namespace := metadata.ControlPlaneNamespace(np.Namespace, np.Spec.ClusterName)
	return &pool{nodePools: r, np: np, namespace: namespace, vms: r.Client, vmNamespace: namespace,
		guest: r.Guests.Get(namespace)}
}

// away reports whether the VMs are on another cluster, of which nothing is watched.
func (p *pool) away() bool { return p.vmNamespace != p.namespace }

// awayPoll is how soon VMs of another cluster are looked at again.
const awayPoll = time.Second

// locate has the pool use the cluster that its HostedCluster has the VMs on. One that is gone has none.
func (p *pool) locate(ctx context.Context, hc *hyperv1.HostedCluster) error {
	namespace := reconciler.InfraNamespace(hc)
	if namespace == "" {
		return nil
	}
	config, err := p.InfraConfig(ctx, hc)
	if err != nil {
		return err
	}
	key := p.key() + config.Host + config.BearerToken
	if known, ok := p.infra.Load(key); ok {
		p.vms, _ = known.(client.Client)
	} else if p.vms, err = client.New(config, client.Options{Scheme: p.Scheme}); err != nil {
		return fmt.Errorf("failed to create infra cluster client: %w", err)
	}
	p.infra.Store(key, p.vms)
	p.vmNamespace = namespace
	return nil
}

func (p *pool) key() string { return "np/" + p.np.Namespace + "/" + p.np.Name + "/" }

// load reads the machines and their nodes. It bypasses the cache, because new machines get random names.
func (p *pool) load(ctx context.Context) error {
	list := &kubevirtv1.VirtualMachineList{}
	err := p.vms.List(ctx, list, client.InNamespace(p.vmNamespace),
		client.MatchingLabels{hyperv1.NodePoolNameLabel: p.np.Name})
	if err != nil && !meta.IsNoMatchError(err) && !apierrors.IsNotFound(err) {
		return fmt.Errorf("list VirtualMachines in %s: %w", p.vmNamespace, err)
	}
	nodes, err := p.nodes(ctx)
	if err != nil {
		return err
	}
	capi, err := p.ClusterAPI.Machines(ctx, p.namespace, client.ObjectKeyFromObject(p.np))
	if err != nil {
		return err
	}
	p.machines = nil
	for _, vm := range list.Items {
		if p.away() && vm.Annotations[metadata.NodePoolAnnotation] != p.np.Namespace+"/"+p.np.Name {
			continue
		}
		_, removed := p.removed.Load(p.namespace + "/" + vm.Name)
		m := machine{vm: vm, deleted: removed || !ptr.To(capi[vm.Name]).DeletionTimestamp.IsZero()}
		_, m.keepsPods = capi[vm.Name].Annotations[excludesDrain]
		delete(capi, vm.Name)
		if n, ok := nodes[vm.Name]; ok {
			m.node = ptr.To(n)
			delete(nodes, vm.Name)
		}
		p.machines = append(p.machines, m)
	}
	p.released = slices.Sorted(maps.Keys(capi))
	sort.Slice(p.machines, func(i, j int) bool { return p.machines[i].vm.Name < p.machines[j].vm.Name })
	p.orphans = nil
	for _, n := range nodes {
		p.orphans = append(p.orphans, n)
	}
	return nil
}

// scale takes the next steps towards the desired machines, and returns when to continue.
func (p *pool) scale(ctx context.Context, t template, strategy strategy,
	objects clusterapi.Pool) (time.Duration, error) {
	if err := p.release(ctx); err != nil {
		return 0, err
	}
	plan := plan(p.machines, t.hash, strategy)
	for range plan.create {
		if err := p.create(ctx, t, objects); err != nil {
			return 0, err
		}
	}
	var wait time.Duration
	for _, i := range plan.remove {
		p.machines[i].deleted = true
	}
	for i := range p.machines {
		if !p.machines[i].leaving() {
			continue
		}
		left, err := p.remove(ctx, &p.machines[i])
		if err != nil {
			return 0, err
		}
		wait = reconciler.Soonest(wait, reconciler.Soonest(left, p.Pace.Scale(time.Second)))
	}
	return wait, p.sweepNodes(ctx)
}

// create creates one machine: the Machine, then its VirtualMachine.
func (p *pool) create(ctx context.Context, t template, objects clusterapi.Pool) error {
	name := fmt.Sprintf("%s-%s-%s", p.np.Name, t.hash, rand.String(5))
	if objects.InPlace {
		name = p.np.Name + "-" + rand.String(5)
	}
	if err := p.ClusterAPI.EnsureMachine(ctx, objects, name); err != nil {
		return err
	}
	if err := p.copyUserData(ctx, objects.UserData); err != nil {
		return err
	}
	vm := renderMachine(p.np, objects.InfraID, p.vmNamespace, name, objects.UserData+"-userdata", t.payload.Version)
	vm, err := patched(vm, p.patch, p.np.Annotations[hyperv1.JSONPatchAnnotation])
	if err != nil {
		return err
	}
	vm.Labels[machineHashLabel] = t.hash
	vm.Annotations[machineVersionAnnotation] = t.payload.Version
	if faults := p.np.Annotations[fault.Annotation]; faults != "" {
		vm.Annotations[fault.Annotation] = faults
		vm.Spec.DataVolumeTemplates[0].Annotations = map[string]string{fault.Annotation: faults}
	}
	if err := p.vms.Create(ctx, vm); err != nil {
		return fmt.Errorf("create VirtualMachine %s/%s: %w", p.vmNamespace, name, err)
	}
	return nil
}

// remove drains a machine's node and deletes the machine. sweepNodes deletes the node once the machine is gone.
func (p *pool) remove(ctx context.Context, m *machine) (time.Duration, error) {
	if !m.vm.DeletionTimestamp.IsZero() {
		return 0, nil
	}
	if _, done := p.removed.LoadOrStore(p.namespace+"/"+m.vm.Name, true); !done {
		if err := p.ClusterAPI.BeginRemoval(ctx, p.namespace, m.vm.Name); err != nil {
			p.removed.Delete(p.namespace + "/" + m.vm.Name)
			return 0, err
		}
	}
	m.deleted = true
	if m.node != nil && p.guest.Phase == guest.Running {
		if err := cordon(ctx, p.guest.Client, m.node); err != nil {
			return 0, err
		}
		if left := p.Stages.Remaining(p.key()+"drain/"+m.vm.Name, 500*time.Millisecond); left > 0 {
			return left, nil
		}
		if left, err := p.drain(ctx, m); err != nil || left > 0 {
			return left, err
		}
	}
	p.draining.Delete(p.namespace + "/" + m.vm.Name)
	if err := p.ClusterAPI.RemoveMachine(ctx, p.namespace, m.vm.Name); err != nil {
		return 0, err
	}
	if err := p.vms.Delete(ctx, &m.vm); client.IgnoreNotFound(err) != nil {
		return 0, fmt.Errorf("delete VirtualMachine %s/%s: %w", p.vmNamespace, m.vm.Name, err)
	}
	return p.Pace.Scale(time.Second), nil
}
