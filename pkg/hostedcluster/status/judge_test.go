package status

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestWhole(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*snapshot)
		want   string
	}{
		"healthy": {func(*snapshot) {}, "ok, ready"},
		"conditions nobody knows, and those nothing is known of": {func(v *snapshot) {
			v.conditions(t, long, "FromTheFuture False Bad very bad",
				"ClusterVersionSucceeding Unknown StatusUnknown Condition not found in the CVO.")
		}, "ok, ready"},
		"false alarm and advice": {func(v *snapshot) {
			v.poolConditions(t, long, "ClusterNetworkCIDRConflict True CIDRConflict overlaps", "Ready True")
		}, `warning, ready: ClusterNetworkCIDRConflict True (CIDRConflict): overlaps` + alarm + `
  warning NodePools 2/2
    warning NodePool kv-00 2/2: 2 of 2 nodes, 4.20.3
      warning Condition ClusterNetworkCIDRConflict: ClusterNetworkCIDRConflict True (CIDRConflict): overlaps` + alarm},
		"etcd": {func(v *snapshot) {
			v.conditions(t, fresh, "EtcdAvailable False EtcdWaitingForQuorum Waiting for etcd to reach quorum",
				"Available False EtcdWaitingForQuorum Waiting for etcd to reach quorum")
			v.pods.items[0].Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				Reason: "Unschedulable", Message: "0/3 nodes are available"}}
			v.pods.items[0].Status.Phase = corev1.PodPending
			v.statefulSets.items[0] = statefulSet("etcd", 1, 0)
		}, `failing, ready: Pod etcd-0: Unschedulable: 0/3 nodes are available
  failing HostedCluster kv-00 5/7
    failing Condition EtcdAvailable: EtcdAvailable False (EtcdWaitingForQuorum): Waiting for etcd to reach quorum
  failing Pods 1/2
    failing StatefulSet etcd: 0 of 1 pods are ready
      failing Pod etcd-0: Unschedulable: 0/3 nodes are available`},
		"creating": {func(v *snapshot) {
			v.hc.CreationTimestamp, v.hc.Status.Version = fresh, nil
			v.conditions(t, fresh, "Available False KubeconfigWaitingForCreate Waiting for hosted control plane kubeconfig to "+
				"be created")
			v.nodes = result[corev1.Node]{err: guest.ErrNoKubeconfig}
			v.operators = result[configv1.ClusterOperator]{err: guest.ErrNoKubeconfig}
			v.vms.items, v.pods.items, v.deployments.items, v.statefulSets.items = nil, nil, nil, nil
			v.pools.items[0].Status = hyperv1.NodePoolStatus{}
			v.pools.items[0].CreationTimestamp = fresh
		}, `progressing, creating: Available False (KubeconfigWaitingForCreate): Waiting for hosted control plane kubeconfig to be created
  progressing HostedCluster kv-00 6/7
    progressing Condition Available: Available False (KubeconfigWaitingForCreate): Waiting for hosted control plane kubeconfig to be created
  progressing Pods: no pod yet
  progressing NodePools 0/2
    progressing NodePool kv-00 0/2: 0 of 2 nodes
  progressing VirtualMachines 0/2: 2 not created yet
  progressing Nodes: the hosted API server cannot be asked: the kubeconfig is not published yet
  progressing ClusterOperators: the hosted API server cannot be asked: the kubeconfig is not published yet`},
		"creating for too long": {func(v *snapshot) {
			v.hc.Status.Version = nil
			v.conditions(t, long, "InfrastructureReady False WaitingOnInfrastructureReady kube-apiserver load balancer is not "+
				"provisioned; 24h0m0s since creation.")
		}, `failing, creating: InfrastructureReady False (WaitingOnInfrastructureReady): kube-apiserver load balancer is not provisioned
  failing HostedCluster kv-00 7/8
    failing Condition InfrastructureReady: InfrastructureReady False (WaitingOnInfrastructureReady): kube-apiserver load balancer is not provisioned`},
		"not even looked at": {func(v *snapshot) {
			v.hc.CreationTimestamp, v.hc.Status, v.pods.items = fresh, hyperv1.HostedClusterStatus{}, nil
			v.deployments.items, v.statefulSets.items = nil, nil
		}, `progressing, creating: HostedCluster kv-00: the HyperShift operator has not reported anything yet
  progressing HostedCluster kv-00: the HyperShift operator has not reported anything yet
  progressing Pods: no pod yet`},
		"hopeless": {func(v *snapshot) {
			v.conditions(t, fresh, "ValidReleaseImage False InvalidImage the latest version supported is 4.20",
				"Progressing False Blocked ValidReleaseImage condition is false: the latest version supported is 4.20")
		}, `broken, ready: ValidReleaseImage False (InvalidImage): the latest version supported is 4.20
  broken HostedCluster kv-00 6/8
    broken Condition ValidReleaseImage: ValidReleaseImage False (InvalidImage): the latest version supported is 4.20
    failing Condition Progressing: Progressing False (Blocked): ValidReleaseImage condition is false: the latest version supported is 4.20`},
		"upgrading": {func(v *snapshot) {
			v.hc.Status.Version.Desired.Version = "4.20.4"
			v.hc.Status.Version.History = append([]configv1.UpdateHistory{{State: configv1.PartialUpdate, Version: "4.20.4"}},
				v.hc.Status.Version.History...)
			v.conditions(t, fresh, "ClusterVersionProgressing True X Working towards 4.20.4: 500 of 900 done")
			v.poolConditions(t, fresh, "UpdatingVersion True AsExpected Updating version in progress. Target version: 4.20.4")
			v.operators.items[0] = operator("console", "True", "False", "True")
		}, `progressing, upgrading: ClusterVersionProgressing True (X): Working towards 4.20.4: 500 of 900 done
  progressing HostedCluster kv-00 6/7
    progressing Condition ClusterVersionProgressing: ClusterVersionProgressing True (X): Working towards 4.20.4: 500 of 900 done
  progressing NodePools 2/2
    progressing NodePool kv-00 2/2: 2 of 2 nodes, 4.20.3
      progressing Condition UpdatingVersion: UpdatingVersion True (AsExpected): Updating version in progress. Target version: 4.20.4
  progressing ClusterOperators 1/2
    progressing ClusterOperator console: Progressing True (R): its words`},
		"no workers": {func(v *snapshot) {
			*v.pools.items[0].Spec.Replicas, v.pools.items[0].Status.Replicas = 0, 0
			v.poolConditions(t, long, "AllMachinesReady False AsExpected NodePool set to no replicas", "Ready True")
			v.conditions(t, long, "ClusterVersionAvailable False X no nodes",
				"DataPlaneConnectionAvailable Unknown NoWorkerNodesAvailable")
			v.vms.items, v.nodes.items, v.operators.items[0] = nil, nil, operator("console", "False", "True", "True")
		}, `warning, no workers: no worker nodes, as the NodePools ask for none
  warning NodePools: no worker nodes, as the NodePools ask for none
  warning ClusterOperators 1/2
    warning ClusterOperator console: Degraded True (R): its words (there are no workers)`},
		"stopped": {func(v *snapshot) {
			*v.pools.items[0].Spec.Replicas, v.pools.items[0].Status.Replicas = 0, 0
			v.pools.items[0].Annotations = map[string]string{hostedcluster.StoppedAnnotation: "2"}
			v.poolConditions(t, long, "AllMachinesReady False AsExpected NodePool set to no replicas", "Ready True")
			v.conditions(t, long, "ClusterVersionAvailable False X no nodes",
				"DataPlaneConnectionAvailable Unknown NoWorkerNodesAvailable")
			v.vms.items, v.nodes.items, v.operators.items[0] = nil, nil, operator("console", "False", "True", "True")
		}, `warning, stopped: HostedCluster kv-00: its workers are stopped: hcctl start kv-00 brings them back
  warning HostedCluster kv-00 5/5: its workers are stopped: hcctl start kv-00 brings them back
  warning NodePools: no worker nodes: they are stopped
  warning ClusterOperators 1/2
    warning ClusterOperator console: Degraded True (R): its words (there are no workers)`},
		"paused": {func(v *snapshot) {
			until := "true"
			v.hc.Spec.PausedUntil, v.pools.items[0].Spec.PausedUntil = &until, &until
			v.conditions(t, fresh, "ReconciliationActive False ReconciliationPaused Reconciliation paused until field removed",
				"Progressing False Blocked ReconciliationActive condition is false")
		}, `warning, paused: HostedCluster kv-00: paused until it is resumed: the operator leaves it as it is
  warning HostedCluster kv-00 5/5: paused until it is resumed: the operator leaves it as it is
  warning NodePools 2/2
    warning NodePool kv-00 2/2: 2 of 2 nodes, 4.20.3, paused until it is resumed`},
		"deleting": {func(v *snapshot) {
			v.hc.DeletionTimestamp = &fresh
			v.blocked = step.Pending("being emptied, left: PersistentVolumeClaim data").On("Namespace clusters-kv-00")
			v.nodes.err, v.operators.err = errors.New("gone"), errors.New("gone")
			v.vms.items, v.pods.items = nil, nil
		}, `progressing, deleting: Namespace clusters-kv-00: being emptied, left: PersistentVolumeClaim data
  progressing HostedCluster kv-00: being deleted for 60s
    progressing Namespace clusters-kv-00: being emptied, left: PersistentVolumeClaim data
  progressing Nodes: no longer asked: the cluster is being deleted
  progressing ClusterOperators: no longer asked: the cluster is being deleted`},
		"a VM that does not fit": {func(v *snapshot) {
			*v.pools.items[0].Spec.Replicas = 3
			v.poolConditions(t, fresh, "AllMachinesReady False VMNotReady 1 of 3 machines are not ready",
				"Ready False WaitingForAvailableMachines")
			stuck := machine("kv-00-c", false, kubevirtv1.VirtualMachineStatusUnschedulable)
			stuck.Status.Conditions = []kubevirtv1.VirtualMachineCondition{{Type: "PodScheduled", Status: corev1.ConditionFalse,
				Reason: "Unschedulable", Message: "0/3 nodes are available: 3 Insufficient memory."}}
			v.vms.items = append([]kubevirtv1.VirtualMachine{machine("kv-00-0", false, kubevirtv1.VirtualMachineStatusStarting)},
				append(v.vms.items, stuck)...)
		}, `failing, ready: VirtualMachine kv-00-c: PodScheduled False (Unschedulable): 0/3 nodes are available: 3 Insufficient memory.
  progressing NodePools 2/3
    progressing NodePool kv-00 2/3: 2 of 3 nodes, 4.20.3
      progressing Condition AllMachinesReady: AllMachinesReady False (VMNotReady): 1 of 3 machines are not ready
      progressing Condition Ready: Ready False (WaitingForAvailableMachines)
  failing VirtualMachines 2/4
    failing VirtualMachine kv-00-c: PodScheduled False (Unschedulable): 0/3 nodes are available: 3 Insufficient memory.
    progressing VirtualMachine kv-00-0: Starting
  progressing Nodes 2/3: 1 not joined`},
		"a node and an operator": {func(v *snapshot) {
			v.nodes.items[0] = node("kv-00-a", corev1.ConditionUnknown)
			v.nodes.items[1].Spec.Unschedulable = true
			v.operators.items[1] = operator("dns", "True", "True", "True")
		}, `failing, ready: Node kv-00-a: Ready Unknown (Kubelet): kubelet says so
  failing Nodes 1/2
    failing Node kv-00-a: Ready Unknown (Kubelet): kubelet says so
    warning Node kv-00-b: it is cordoned and takes no new pods
  failing ClusterOperators 1/2
    failing ClusterOperator dns: Degraded True (R): its words`},
		"no network plug-in yet": {func(v *snapshot) {
			v.hc.Spec.Networking.NetworkType = hyperv1.Other
			v.nodes.items[0] = node("kv-00-a", corev1.ConditionFalse)
			v.nodes.items[0].Status.Conditions[0].Message = "NetworkReady=false reason:NetworkPluginNotReady"
			v.operators.items[1] = operator("dns", "False", "False", "False")
		}, `failing, ready: no network plug-in yet: networkType is Other, and 1 of 2 nodes wait for one
  failing Nodes 1/2
    failing Network: no network plug-in yet: networkType is Other, and 1 of 2 nodes wait for one
    failing Node kv-00-a: Ready False (Kubelet): NetworkReady=false reason:NetworkPluginNotReady
  failing ClusterOperators 1/2
    failing ClusterOperator dns: Available False (R): its words`},
		"a network plug-in of OpenShift's own": {func(v *snapshot) {
			v.nodes.items[0] = node("kv-00-a", corev1.ConditionFalse)
			v.nodes.items[0].Status.Conditions[0].Message = "NetworkReady=false reason:NetworkPluginNotReady"
		}, `failing, ready: Node kv-00-a: Ready False (Kubelet): NetworkReady=false reason:NetworkPluginNotReady
  failing Nodes 1/2
    failing Node kv-00-a: Ready False (Kubelet): NetworkReady=false reason:NetworkPluginNotReady`},
		"nothing may be read": {func(v *snapshot) {
			no := errors.New("no")
			v.pools.err, v.pods.err, v.vms.err, v.nodes.err, v.operators.err = no, no, no, no, no
		}, `unknown, ready: no
  unknown Pods: no
  unknown NodePools: no
  unknown VirtualMachines: no
  unknown Nodes: the hosted API server could not be asked: no
  unknown ClusterOperators: the hosted API server could not be asked: no`},
	} {
		t.Run(name, func(t *testing.T) {
			v := healthy(t)
			tc.change(v)
			if diff := cmp.Diff(tc.want, outline(v.whole())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPodsThatCount(t *testing.T) {
	v := healthy(t)
	crash := pod("crash", corev1.PodRunning, corev1.ConditionFalse)
	crash.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff",
			Message: "back-off 5m0s"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 137,
			Reason: "OOMKilled"}}}}
	launcher := pod("virt-launcher-x", corev1.PodPending, corev1.ConditionFalse)
	launcher.Labels = map[string]string{"kubevirt.io": "virt-launcher"}
	importer := pod("importer-x", corev1.PodPending, corev1.ConditionFalse)
	importer.Labels = map[string]string{"cdi.kubevirt.io": "importer"}
	going := pod("going", corev1.PodRunning, corev1.ConditionTrue)
	going.DeletionTimestamp, going.Status.Conditions = &fresh, nil
	evicted := pod("evicted", corev1.PodFailed, corev1.ConditionFalse)
	evicted.Status.Reason, evicted.Status.Message = "Evicted", "The node was low on memory"
	v.pods.items = append(v.pods.items, pod("job", corev1.PodSucceeded, corev1.ConditionFalse), launcher, importer, going,
		evicted, crash)
	want := `failing, ready: Pod crash: container main: CrashLoopBackOff: it ended with exit code 137 (OOMKilled)
  failing Pods 2/4
    failing Pod crash: container main: CrashLoopBackOff: it ended with exit code 137 (OOMKilled)
    progressing Pod going: it is being deleted
    warning Pod evicted: it has failed: Evicted: The node was low on memory`
	if diff := cmp.Diff(want, outline(v.whole())); diff != "" {
		t.Error(diff)
	}
}

// alarm is the note on a condition that multicluster engine 2.11 reports without a reason.
const alarm = " (on multicluster engine 2.11, and with releases that have its change, this is known to be a false alarm: " +
	"the nodes of KubeVirt share the management cluster's network)"

func TestFleetPutsTheWorstFirst(t *testing.T) {
	all := map[string]func(*snapshot){
		"a-ok": func(*snapshot) {},
		"b-warning": func(v *snapshot) {
			v.poolConditions(t, long, "ClusterNetworkCIDRConflict True CIDRConflict overlaps")
		},
		"c-progressing": func(v *snapshot) { v.conditions(t, fresh, "ClusterVersionProgressing True X working") },
		"d-failing":     func(v *snapshot) { v.conditions(t, fresh, "Degraded True X degraded") },
		"e-broken":      func(v *snapshot) { v.conditions(t, fresh, "ValidReleaseImage False InvalidImage no") },
	}
	var clusters []hyperv1.HostedCluster
	var pools result[hyperv1.NodePool]
	for name, change := range all {
		v := healthy(t)
		change(v)
		v.hc.Name = name
		v.pools.items[0].Spec.ClusterName = name
		clusters, pools.items = append(clusters, *v.hc), append(pools.items, v.pools.items...)
	}
	var got []string
	for _, r := range fleet(clusters, pools, now) {
		got = append(got, fmt.Sprintf("%s %s %d/%d %s", r.Name, r.Health, *r.NodePools.Ready, *r.NodePools.Total, r.Message))
	}
	want := []string{
		"e-broken broken 2/2 ValidReleaseImage False (InvalidImage): no", "d-failing failing 2/2 Degraded True (X): degraded",
		"c-progressing progressing 2/2 ClusterVersionProgressing True (X): working",
		"b-warning warning 2/2 ClusterNetworkCIDRConflict True (CIDRConflict): overlaps" + alarm, "a-ok ok 2/2 ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	unreadable := fleet(clusters[:1], result[hyperv1.NodePool]{err: errors.New("not allowed")}, now)[0]
	if unreadable.NodePools.Health != Unknown || unreadable.Health.Compare(Unknown) < 0 {
		t.Errorf("NodePools that cannot be read: %s, the whole %s", unreadable.NodePools.Health, unreadable.Health)
	}
}

func TestAStoppedClusterSaysHowItIsStarted(t *testing.T) {
	v := healthy(t)
	v.hc.Namespace = "lab"
	*v.pools.items[0].Spec.Replicas, v.pools.items[0].Status.Replicas = 0, 0
	v.pools.items[0].Annotations = map[string]string{hostedcluster.StoppedAnnotation: "2"}
	r := v.brief()
	if r.Health != Warning || r.Phase != Stopped || r.Message != "HostedCluster kv-00: its workers are stopped: hcctl start kv-00 "+
		"--namespace lab brings them back" {
		t.Errorf("%s, %s: %s", r.Health, r.Phase, r.Message)
	}
}
