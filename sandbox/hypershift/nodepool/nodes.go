package nodepool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/operator"
)

const guestPoolLabel = "hypershift.openshift.io/nodePool"

// nodes returns the guest's nodes of this pool by name; none while the guest does not run.
func (p *pool) nodes(ctx context.Context) (map[string]corev1.Node, error) {
	byName := map[string]corev1.Node{}
	if p.guest.Phase != guest.Running {
		return byName, nil
	}
	list := &corev1.NodeList{}
	if err := p.guest.Client.List(ctx, list, client.MatchingLabels{guestPoolLabel: p.np.Name}); err != nil {
		return nil, fmt.Errorf("list the nodes of the guest in %s: %w", p.namespace, err)
	}
	for _, n := range list.Items {
		byName[n.Name] = n
	}
	return byName, nil
}

// plugInPoll is how often the workloads of a guest that brings its own network plug-in are looked at.
const plugInPoll = 500 * time.Millisecond

// join simulates the boot of each running machine: its node registers, and becomes ready with its network. A machine
// that stops leaves its node NotReady.
func (p *pool) join(ctx context.Context, t template) (time.Duration, error) {
	if p.guest.Phase != guest.Running {
		return 0, nil
	}
	var wait time.Duration
	changed := false
	if p.ownPlugIn && !p.guest.InMemory() {
		var err error
		if p.plugged, err = guest.PlayWorkloads(ctx, p.guest.Client); err != nil {
			return 0, err
		}
		wait = plugInPoll // nothing tells of changes in a guest
	}
	for i := range p.machines {
		m := &p.machines[i]
		left, did, err := p.joinOne(ctx, m, t)
		if err != nil {
			return 0, err
		}
		wait, changed = reconciler.Soonest(wait, left), changed || did
	}
	if changed {
		p.Guests.Notify(p.namespace)
	}
	return wait, nil
}

func (p *pool) joinOne(ctx context.Context, m *machine, t template) (time.Duration, bool, error) {
	key := p.key() + "boot/" + m.vm.Name
	switch {
	case m.leaving():
		return 0, false, nil
	case !m.ready():
		p.Stages.Restart(key)
		if m.node == nil || !guest.NodeReady(m.node) {
			return 0, false, nil
		}
		return 0, true, p.setReady(ctx, m.node, corev1.ConditionUnknown, reasonNodeStatusUnknown, msgKubeletSilent)
	case m.node == nil:
		if left := p.Stages.Remaining(key, 2*time.Second); left > 0 {
			return left, false, nil
		}
		if ok, err := p.certified(ctx, m); err != nil || !ok {
			return p.Pace.Scale(resyncInterval), false, err
		}
		node, err := p.register(ctx, m, t)
		if err != nil {
			return 0, false, err
		}
		m.node = node
		return p.Stages.Remaining(p.key()+"cni/"+m.vm.Name, 1500*time.Millisecond), true, nil
	case m.node.Annotations[nodeStateAnnotation] == configWorking,
		operator.WrittenByOthers(m.node, operator.ConditionPath(string(corev1.NodeReady))...):
		return 0, false, nil
	case p.ownPlugIn && !p.plugged[m.node.Name] && !guest.NodeReady(m.node):
		return 0, false, nil // nobody has written a CNI configuration on the node; one that is there stays
	case !guest.NodeReady(m.node):
		if left := p.Stages.Remaining(p.key()+"cni/"+m.vm.Name, 1500*time.Millisecond); left > 0 {
			return left, false, nil
		}
		return 0, true, p.setReady(ctx, m.node, corev1.ConditionTrue, reasonKubeletReady, msgKubeletReady)
	}
	return 0, false, nil
}

// register creates the node of a machine, not ready yet.
func (p *pool) register(ctx context.Context, m *machine, t template) (*corev1.Node, error) {
	version := cmp.Or(m.vm.Annotations[machineVersionAnnotation], t.payload.Version)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: m.vm.Name, Labels: map[string]string{
			corev1.LabelHostname: m.vm.Name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: p.arch(),
			"node-role.kubernetes.io/worker": "", "node.openshift.io/os_id": "rhcos",
		}},
		Spec: corev1.NodeSpec{ProviderID: "kubevirt://" + m.vm.Name},
	}
	p.applyLabels(node)
	if p.np.Spec.Management.UpgradeType == hyperv1.UpgradeTypeInPlace {
		setConfig(node, t.configVersion, t.configVersion, configDone)
	}
	if err := p.guest.Client.Create(ctx, node); err != nil {
		if apierrors.IsAlreadyExists(err) {
			return node, nil
		}
		return nil, fmt.Errorf("register node %s in the guest: %w", m.vm.Name, err)
	}
	addresses, err := p.addresses(ctx, m.vm.Name)
	if err != nil {
		return nil, err
	}
	capacity := p.capacity()
	node.Status = corev1.NodeStatus{
		Capacity: capacity, Allocatable: capacity, Addresses: addresses,
		Conditions: append(pressures(corev1.ConditionFalse),
			nodeCondition(corev1.NodeReady, corev1.ConditionFalse, reasonKubeletNotReady, msgKubeletNotReady)),
		NodeInfo: corev1.NodeSystemInfo{
			OperatingSystem: "linux", Architecture: p.arch(), MachineID: metadata.ShortHash(m.vm.Name, 32),
		},
	}
	setNodeInfo(node, version)
	if err := p.guest.Client.Status().Update(ctx, node); err != nil {
		return nil, fmt.Errorf("write the status of node %s in the guest: %w", m.vm.Name, err)
	}
	return node, nil
}

// osImage has the release, where the real one has the version of Red Hat Enterprise Linux CoreOS.
const osImage = "Red Hat Enterprise Linux CoreOS %s (Plow)"

// releaseOf returns the release that setNodeInfo has written.
func releaseOf(node *corev1.Node) (version string) {
	_, _ = fmt.Sscanf(node.Status.NodeInfo.OSImage, osImage, &version)
	return version
}

// setNodeInfo sets the versions in a node's status. Build and kernel numbers are made up.
func setNodeInfo(node *corev1.Node, version string) {
	info := &node.Status.NodeInfo
	info.KubeletVersion = release.KubeletVersion(version)
	info.OSImage = fmt.Sprintf(osImage, version)
	info.KernelVersion = "5.14.0-570.el9.x86_64"
	info.ContainerRuntimeVersion = "cri-o://" + release.KubeletVersion(version)[1:]
}

func (p *pool) arch() string {
	if p.np.Spec.Arch == "" {
		return hyperv1.ArchitectureAMD64
	}
	return p.np.Spec.Arch
}

// addresses returns the machine's addresses: it is bridged to the pod network, so it has its virt-launcher pod's
// address.
func (p *pool) addresses(ctx context.Context, name string) ([]corev1.NodeAddress, error) {
	list := []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}}
	vmi := &kubevirtv1.VirtualMachineInstance{}
	err := p.vms.Get(ctx, types.NamespacedName{Namespace: p.vmNamespace, Name: name}, vmi)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get VirtualMachineInstance %s/%s: %w", p.namespace, name, err)
	}
	for _, i := range vmi.Status.Interfaces {
		if i.IP != "" {
			list = append(list, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: i.IP})
		}
	}
	return list, nil
}

func (p *pool) capacity() corev1.ResourceList {
	list := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("250")}
	kv := p.np.Spec.Platform.Kubevirt
	if kv == nil || kv.Compute == nil {
		return list
	}
	if kv.Compute.Cores != nil {
		list[corev1.ResourceCPU] = *resource.NewQuantity(int64(*kv.Compute.Cores), resource.DecimalSI)
	}
	if kv.Compute.Memory != nil {
		list[corev1.ResourceMemory] = *kv.Compute.Memory
	}
	return list
}

func nodeCondition(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason,
	message string) corev1.NodeCondition {
	now := metav1.Now()
	return corev1.NodeCondition{
		Type: kind, Status: status, Reason: reason, Message: message, LastHeartbeatTime: now,
		LastTransitionTime: now,
	}
}

// pressures are a kubelet's conditions besides Ready: False, or Unknown once it is silent.
func pressures(status corev1.ConditionStatus) []corev1.NodeCondition {
	list := []corev1.NodeCondition{
		nodeCondition(corev1.NodeMemoryPressure, status, "KubeletHasSufficientMemory",
			"kubelet has sufficient memory available"),
		nodeCondition(corev1.NodeDiskPressure, status, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		nodeCondition(corev1.NodePIDPressure, status, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
	}
	for i := range list {
		if status == corev1.ConditionUnknown {
			list[i].Reason, list[i].Message = reasonNodeStatusUnknown, msgKubeletSilent
		}
	}
	return list
}

func (p *pool) setReady(ctx context.Context, n *corev1.Node, status corev1.ConditionStatus, reason,
	message string) error {
	before := n.DeepCopy()
	fresh := append(pressures(corev1.ConditionFalse), nodeCondition(corev1.NodeReady, status, reason, message))
	if status == corev1.ConditionUnknown {
		fresh = append(pressures(status), fresh[len(fresh)-1])
	}
	for _, c := range fresh {
		setNodeCondition(n, c)
	}
	if len(n.Status.Addresses) < 2 {
		addresses, err := p.addresses(ctx, n.Name)
		if err != nil {
			return err
		}
		n.Status.Addresses = addresses
	}
	if err := p.guest.Client.Status().Patch(ctx, n, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of node %s in the guest: %w", n.Name, err)
	}
	return nil
}

// setNodeCondition writes a condition unless it is so, or a user has written it.
func setNodeCondition(n *corev1.Node, c corev1.NodeCondition) {
	if operator.WrittenByOthers(n, operator.ConditionPath(string(c.Type))...) {
		return
	}
	at := slices.IndexFunc(n.Status.Conditions, func(o corev1.NodeCondition) bool { return o.Type == c.Type })
	switch {
	case at < 0:
		n.Status.Conditions = append(n.Status.Conditions, c)
	case n.Status.Conditions[at].Status != c.Status || n.Status.Conditions[at].Reason != c.Reason:
		n.Status.Conditions[at] = c
	}
}

func cordon(ctx context.Context, guest client.Client, n *corev1.Node) error {
	if n.Spec.Unschedulable {
		return nil
	}
	before := n.DeepCopy()
	n.Spec.Unschedulable = true
	if err := guest.Patch(ctx, n, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cordon node %s in the guest: %w", n.Name, err)
	}
	return nil
}

// sweepNodes deletes the nodes without a machine.
func (p *pool) sweepNodes(ctx context.Context) error {
	for i := range p.orphans {
		if err := p.guest.Client.Delete(ctx, &p.orphans[i]); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete node %s in the guest: %w", p.orphans[i].Name, err)
		}
	}
	if len(p.orphans) > 0 {
		p.Guests.Notify(p.namespace)
	}
	return nil
}
