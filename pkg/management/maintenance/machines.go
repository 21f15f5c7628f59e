package maintenance

import (
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// machine holds the fields read of a VirtualMachineInstance.
type machine struct {
	Metadata struct {
		Namespace string            `json:"namespace"`
		Name      string            `json:"name"`
		Labels    map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		EvictionStrategy *kubevirtv1.EvictionStrategy `json:"evictionStrategy"`
	} `json:"spec"`
	Status struct {
		NodeName           string                                       `json:"nodeName"`
		EvacuationNodeName string                                       `json:"evacuationNodeName"`
		Conditions         []kubevirtv1.VirtualMachineInstanceCondition `json:"conditions"`
	} `json:"status"`
}

func (m *machine) condition(kind kubevirtv1.VirtualMachineInstanceConditionType) kube.Condition {
	for _, c := range m.Status.Conditions {
		if c.Type == kind {
			return kube.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, Message: c.Message}
		}
	}
	return kube.Condition{Type: string(kind)}
}

// machineItem returns the outcome for the VM of a pod.
func (w *snapshot) machineItem(pod *corev1.Pod) Item {
	name := pod.Annotations[kubevirtv1.DomainAnnotation]
	i := Item{Kind: machineKind, Namespace: pod.Namespace, Name: name}
	if name == "" {
		i.Kind, i.Name = podKind, pod.Name
	}
	m := w.machine(pod.Namespace, name)
	switch {
	case w.machines.Err != nil:
		i.Outcome, i.Message = Untold, "VirtualMachineInstances are not read: "+kube.Explain(w.machines.Err)
	case m == nil:
		i.Outcome, i.Message = Untold, "its VirtualMachineInstance does not exist"
	case m.Status.NodeName != pod.Spec.NodeName:
		i.NodePool = m.Metadata.Labels[hyperv1.NodePoolNameLabel]
		i.Outcome, i.Message = Waits, fmt.Sprintf("it runs on %s, and is being migrated to this node", m.Status.NodeName)
		i.Hint = hint.New("wait until that is over, and ask again")
	default:
		i.NodePool = m.Metadata.Labels[hyperv1.NodePoolNameLabel]
		i.Outcome, i.Message, i.Hint = w.leave(pod, m)
	}
	return i
}

func (w *snapshot) machine(namespace, name string) *machine {
	for i := range w.machines.Items {
		if m := &w.machines.Items[i]; m.Metadata.Namespace == namespace && m.Metadata.Name == name {
			return m
		}
	}
	return nil
}

// leave returns what a drain does to the VM, by its eviction strategy (kubevirt, virt-api, pod eviction admitter, 1.8).
func (w *snapshot) leave(pod *corev1.Pod, m *machine) (o Outcome, message string, next hint.Text) {
	migratable := m.condition(kubevirtv1.VirtualMachineInstanceIsMigratable)
	strategy, unknown := w.strategy(m)
	switch {
	case unknown != "":
		return Untold, unknown, hint.Text{}
	case strategy == kubevirtv1.EvictionStrategyExternal:
		return w.leaveToOwner(pod)
	case strategy == kubevirtv1.EvictionStrategyNone:
		return w.settle(pod, Restarts, "it is shut down (evictionStrategy None), and starts elsewhere if its VirtualMachine "+
			"runs always")
	case strategy != kubevirtv1.EvictionStrategyLiveMigrate &&
		strategy != kubevirtv1.EvictionStrategyLiveMigrateIfPossible:
		return Untold, fmt.Sprintf("its evictionStrategy is %q, which hcctl does not know", strategy), hint.Text{}
	case migratable.True():
		return w.settle(pod, Migrates, "")
	case !migratable.False():
		return Untold, migratable.Describe(), hint.Text{}
	case strategy == kubevirtv1.EvictionStrategyLiveMigrateIfPossible:
		return w.settle(pod, Restarts, "it is shut down, because it cannot be migrated: "+migratable.Describe())
	}
	next = hint.New("shut it down with its owner: virtctl stop %s -n %s", m.Metadata.Name, m.Metadata.Namespace)
	if m.condition(kubevirtv1.VirtualMachineInstanceIsStorageLiveMigratable).True() {
		next = hint.New("its disks can be migrated to a class whose volumes several nodes can use; or %s", next)
	}
	return Waits, "KubeVirt refuses its eviction: " + migratable.Describe(), next
}

// leaveToOwner returns the outcome for a VM that KubeVirt only marks. Cluster API drains the node inside the hosted
// cluster and then deletes the VM's instance, which starts again elsewhere.
func (w *snapshot) leaveToOwner(pod *corev1.Pod) (o Outcome, message string, next hint.Text) {
	hc := w.planes[pod.Namespace]
	switch {
	case w.hosted.Err != nil:
		return Untold, "HostedClusters are not read: " + kube.Explain(w.hosted.Err), hint.Text{}
	case hc == nil:
		return Untold, "its evictionStrategy is External, and it is of no hosted cluster here: whatever made it has to " +
			"remove it", hint.Text{}
	case hostedcluster.PauseOf(hc.Spec.PausedUntil, w.now).Active:
		return Waits, "its hosted cluster is paused, so nothing drains its node there",
			hint.Run("resume", hostedcluster.Argument(hc.Namespace, hc.Name)).Text()
	}
	return w.settle(pod, Restarts, "its node is drained inside the hosted cluster, then it starts elsewhere")
}

// strategy returns the VM's eviction strategy, or the cluster's default. HyperConverged's default is LiveMigrate with
// several workers, and None on a single node.
func (w *snapshot) strategy(m *machine) (s kubevirtv1.EvictionStrategy, unknown string) {
	switch {
	case m.Spec.EvictionStrategy != nil:
		return *m.Spec.EvictionStrategy, ""
	case w.virtualization.Err != nil:
		return "", "it has no evictionStrategy, and HyperConverged is not read: " + kube.Explain(w.virtualization.Err)
	case len(w.virtualization.Items) == 0:
		return "", "it has no evictionStrategy, and there is no HyperConverged with one for all"
	}
	if text := kube.Text(&w.virtualization.Items[0], "spec", "evictionStrategy"); text != "" {
		return kubevirtv1.EvictionStrategy(text), ""
	}
	if len(w.others) == 0 {
		return kubevirtv1.EvictionStrategyNone, ""
	}
	return kubevirtv1.EvictionStrategyLiveMigrate, ""
}
