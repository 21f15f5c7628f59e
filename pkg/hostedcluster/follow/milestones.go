package follow

import (
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/step"
)

// The functions below only evaluate objects and read nothing, so that tests can cover every state.

// accepted is OK when the operator has accepted the cluster's configuration.
func accepted(hc *hyperv1.HostedCluster) step.Finding {
	r := conditions.OfCluster(hc)
	if len(r.List) == 0 {
		return step.Pending("the HyperShift operator has not reported anything yet").On("%s", r.Object).
			WithHint("if that lasts: is the Deployment hypershift/operator available, and do Routes get hosts? %s",
				hint.Run("check"))
	}
	// Older operators do not report all of these, so only False ones count.
	for _, t := range []hyperv1.ConditionType{
		hyperv1.ReconciliationActive, hyperv1.SupportedHostedCluster, hyperv1.PlatformCredentialsFound,
		hyperv1.ValidHostedClusterConfiguration, hyperv1.ValidReleaseImage, hyperv1.ValidHostedControlPlaneConfiguration,
	} {
		if c := r.Get(string(t)); c.Status == string(metav1.ConditionFalse) {
			return r.Waiting(c)
		}
	}
	return r.RequireTrue("configuration and release image are valid", string(hyperv1.ValidHostedClusterConfiguration),
		string(hyperv1.ValidReleaseImage))
}

// infrastructure is OK when the API server has its address and the Routes have their hosts.
func infrastructure(hc *hyperv1.HostedCluster) step.Finding {
	return conditions.OfCluster(hc).RequireTrue("load balancer and Routes have addresses",
		string(hyperv1.InfrastructureReady))
}

// etcd is OK when etcd has a quorum.
func etcd(hc *hyperv1.HostedCluster) step.Finding {
	return conditions.OfCluster(hc).RequireTrue("etcd has a quorum", string(hyperv1.EtcdAvailable))
}

// Available is OK when the control plane is available and its kubeconfig is published.
func Available(hc *hyperv1.HostedCluster) step.Finding {
	r := conditions.OfCluster(hc)
	f := r.RequireTrue("control plane is available", string(hyperv1.HostedClusterAvailable))
	if f.State == step.StateOK && (hc.Status.KubeConfig == nil || hc.Status.KubeConfig.Name == "") {
		return step.Pending("the kubeconfig is not published yet").On("%s", r.Object)
	}
	return f
}

// Nodes is OK when every node of the NodePool has joined and is healthy, and there are no extra ones.
func Nodes(np *hyperv1.NodePool) step.Finding {
	r, size, have := conditions.OfPool(np), hostedcluster.SizeOf(np), int(np.Status.Replicas)
	progress := fmt.Sprintf("%d of %s nodes joined and ready", have, size)
	if size.Max == 0 && have == 0 {
		return step.OK("%s", progress).On("%s", r.Object)
	}
	if !size.Contains(have) {
		for _, t := range []string{hyperv1.NodePoolReachedIgnitionEndpoint, hyperv1.NodePoolAllNodesHealthyConditionType,
			hyperv1.NodePoolReadyConditionType} {
			if c := r.Get(t); c.Status == string(metav1.ConditionFalse) {
				f := r.Waiting(c)
				f.Message = progress + ": " + f.Message
				f.Trouble = t == hyperv1.NodePoolReachedIgnitionEndpoint && r.MachinesRun()
				return f
			}
		}
		return step.Pending("%s", progress).On("%s", r.Object)
	}
	// The first operators report only Ready for nodes.
	if c := r.Get(hyperv1.NodePoolAllNodesHealthyConditionType); c.Status != "" && !c.True() {
		return r.Waiting(c)
	}
	return r.RequireTrue(progress, hyperv1.NodePoolReadyConditionType)
}

// Rollout is OK when the hosted cluster's operators have rolled out.
func Rollout(hc *hyperv1.HostedCluster) step.Finding {
	r := conditions.OfCluster(hc)
	if v := hc.Status.Version; v != nil && len(v.History) > 0 {
		latest := v.History[0]
		if latest.State == configv1.CompletedUpdate {
			return step.OK("%s rolled out", latest.Version).On("%s", r.Object)
		}
	}
	for _, t := range []hyperv1.ConditionType{hyperv1.ClusterVersionSucceeding, hyperv1.ClusterVersionProgressing,
		hyperv1.ClusterVersionAvailable, hyperv1.HostedClusterAvailable} {
		c := r.Get(string(t))
		if bad := t == hyperv1.ClusterVersionProgressing && c.True() ||
			t != hyperv1.ClusterVersionProgressing && c.False(); bad &&
			c.Message != "" {
			return step.Pending("roll-out: %s", c.Message).On("%s", r.Object)
		}
	}
	return step.Pending("the hosted cluster's operators are rolling out").On("%s", r.Object)
}
