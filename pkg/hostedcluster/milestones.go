package hostedcluster

import (
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The functions here judge what was read. They read nothing themselves, so that every state can be tested.

// accepted holds once the operator has let the cluster through its gates.
func accepted(hc *hyperv1.HostedCluster) step.Finding {
	r := hostedClusterConditions(hc)
	if len(r.list) == 0 {
		return step.Waiting("the HyperShift operator has not reported anything yet").On("%s", r.object).
			WithHint("if that lasts: is the Deployment hypershift/operator available, and do Routes get hosts? hcctl check")
	}
	// Older operators do not report all of these; only what is said to be wrong holds up then.
	for _, t := range []hyperv1.ConditionType{
		hyperv1.ReconciliationActive, hyperv1.SupportedHostedCluster, hyperv1.PlatformCredentialsFound,
		hyperv1.ValidHostedClusterConfiguration, hyperv1.ValidReleaseImage, hyperv1.ValidHostedControlPlaneConfiguration,
	} {
		if c := r.get(string(t)); c.False() {
			return r.waiting(c)
		}
	}
	return r.wants("configuration and release image are valid", string(hyperv1.ValidHostedClusterConfiguration), string(hyperv1.ValidReleaseImage))
}

// infrastructure holds once the API server has its address and the Routes their hosts.
func infrastructure(hc *hyperv1.HostedCluster) step.Finding {
	return hostedClusterConditions(hc).wants("load balancer and Routes have addresses", string(hyperv1.InfrastructureReady))
}

// etcd holds once etcd has a quorum.
func etcd(hc *hyperv1.HostedCluster) step.Finding {
	return hostedClusterConditions(hc).wants("etcd has a quorum", string(hyperv1.EtcdAvailable))
}

// available holds once the control plane is available and its kubeconfig published.
func available(hc *hyperv1.HostedCluster) step.Finding {
	r := hostedClusterConditions(hc)
	f := r.wants("control plane is available", string(hyperv1.HostedClusterAvailable))
	if f.State == step.OK && (hc.Status.KubeConfig == nil || hc.Status.KubeConfig.Name == "") {
		return step.Waiting("the kubeconfig is not published yet").On("%s", r.object)
	}
	return f
}

// machines holds once as many worker VMs are ready as the NodePool asks for.
func machines(np *hyperv1.NodePool, vms []kubevirtv1.VirtualMachine) step.Finding {
	r := nodePoolConditions(np)
	want, ready := wanted(np), 0
	var late *kubevirtv1.VirtualMachine
	for i := range vms {
		vm := &vms[i]
		if pool, ok := vm.Labels[hyperv1.NodePoolNameLabel]; ok && pool != np.Name {
			continue
		}
		switch {
		case vm.Status.Ready:
			ready++
		case late == nil:
			late = vm
		}
	}
	if ready >= want {
		return step.Okay("%d of %d worker VMs ready", ready, want).On("%s", r.object)
	}
	progress := fmt.Sprintf("%d of %d worker VMs ready", ready, want)
	if late != nil {
		return step.Waiting("%s: %s", progress, vmState(late)).On("VirtualMachine %s", kube.Name(late))
	}
	for _, t := range []string{
		hyperv1.NodePoolReconciliationActiveConditionType, hyperv1.NodePoolValidReleaseImageConditionType, hyperv1.NodePoolValidArchPlatform,
		hyperv1.NodePoolValidPlatformImageType, hyperv1.NodePoolValidPlatformConfigConditionType, ignitionEndpointAvailable, hyperv1.NodePoolValidMachineConfigConditionType,
		hyperv1.NodePoolValidTuningConfigConditionType, hyperv1.NodePoolValidGeneratedPayloadConditionType,
		hyperv1.NodePoolValidMachineTemplateConditionType, hyperv1.NodePoolAllMachinesReadyConditionType,
	} {
		if c := r.get(t); c.False() {
			f := r.waiting(c)
			f.Message = progress + ": " + f.Message
			return f
		}
	}
	return step.Waiting("%s", progress).On("%s", r.object)
}

// ignitionEndpointAvailable is a NodePool condition whose name the API module only has for HostedClusters.
const ignitionEndpointAvailable = string(hyperv1.IgnitionEndpointAvailable)

// vmState is what keeps a VM from being ready, in KubeVirt's words.
func vmState(vm *kubevirtv1.VirtualMachine) string {
	state := string(vm.Status.PrintableStatus)
	if state == "" {
		state = "not started"
	}
	for _, c := range vm.Status.Conditions {
		if c.Type == kubevirtv1.VirtualMachineReady && c.Message != "" {
			return state + ": " + c.Message
		}
	}
	return state
}

// nodes holds once every node of the NodePool has joined and is healthy.
func nodes(np *hyperv1.NodePool) step.Finding {
	r := nodePoolConditions(np)
	want, have := wanted(np), int(np.Status.Replicas)
	progress := fmt.Sprintf("%d of %d nodes joined and ready", have, want)
	if want == 0 && have == 0 {
		return step.Okay("%s", progress).On("%s", r.object)
	}
	if have != want {
		for _, t := range []string{hyperv1.NodePoolReachedIgnitionEndpoint, hyperv1.NodePoolAllNodesHealthyConditionType, hyperv1.NodePoolReadyConditionType} {
			if c := r.get(t); c.False() {
				f := r.waiting(c)
				f.Message = progress + ": " + f.Message
				return f
			}
		}
		return step.Waiting("%s", progress).On("%s", r.object)
	}
	// The first operators do not report on the nodes' health apart from Ready.
	if c := r.get(hyperv1.NodePoolAllNodesHealthyConditionType); c.Status != "" && !c.True() {
		return r.waiting(c)
	}
	return r.wants(progress, hyperv1.NodePoolReadyConditionType)
}

// wanted is the number of nodes the NodePool asks for.
func wanted(np *hyperv1.NodePool) int {
	switch {
	case np.Spec.Replicas != nil:
		return int(*np.Spec.Replicas)
	case np.Spec.AutoScaling != nil:
		return int(np.Spec.AutoScaling.Min)
	default:
		return 1
	}
}

// rollout holds once the hosted cluster's own operators have all rolled out.
func rollout(hc *hyperv1.HostedCluster) step.Finding {
	r := hostedClusterConditions(hc)
	if v := hc.Status.Version; v != nil && len(v.History) > 0 {
		latest := v.History[0]
		if latest.State == configv1.CompletedUpdate {
			return step.Okay("%s rolled out", latest.Version).On("%s", r.object)
		}
	}
	for _, t := range []hyperv1.ConditionType{hyperv1.ClusterVersionSucceeding, hyperv1.ClusterVersionProgressing, hyperv1.ClusterVersionAvailable, hyperv1.HostedClusterAvailable} {
		c := r.get(string(t))
		if bad := t == hyperv1.ClusterVersionProgressing && c.True() || t != hyperv1.ClusterVersionProgressing && c.False(); bad && c.Message != "" {
			return step.Waiting("roll-out: %s", c.Message).On("%s", r.object)
		}
	}
	return step.Waiting("the hosted cluster's operators are rolling out").On("%s", r.object)
}
